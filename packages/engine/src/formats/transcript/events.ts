import type { JsonObject } from '../../json.ts';
import { hashedId } from '../ids.ts';
import { isoTime } from '../time.ts';

/** An event without the envelope that all of them are in. */
export interface TranscriptEvent {
  readonly type: string;
  readonly data: JsonObject;
}

/**
 * Puts events into their envelope: each has an id and names the one before. The ids are made from what was said so far,
 * so that the same conversation is the same file, however often it went to and fro.
 *
 * @example
 * const enclose = createEnvelopes();
 * enclose({ event: { type: 'user.message', data: { content: 'Hi.', attachments: [] } }, at: Date.now() });
 */
export function createEnvelopes(): (of: TimedEvent) => Enclosed {
  let parentId: string | null = null;
  return (timed) => {
    const event = enclosed({ ...timed, parentId });
    parentId = event.id;
    return event;
  };
}

/** An event and when it happened. */
interface TimedEvent {
  readonly event: TranscriptEvent;
  readonly at: number;
}

type Enclosed = JsonObject & { readonly id: string };

/** One event in its envelope, after the one that is named. */
export function enclosed({
  event: { type, data },
  at,
  parentId,
}: TimedEvent & { readonly parentId: string | null }): Enclosed {
  const timestamp = isoTime(at);
  const { messageId, ...said } = data;
  const id = hashedId(JSON.stringify([parentId, timestamp, type, said]));
  const named = type === 'assistant.message' ? { messageId: messageId ?? id, ...said } : data;
  return { type, data: named, id, timestamp, parentId };
}

/** Puts answers between the beginning and the end of a turn. */
interface TurnMarkers {
  readonly around: (event: TranscriptEvent) => Generator<TranscriptEvent>;
  /** Ends the turn that goes on, if one does. */
  readonly end: () => Generator<TranscriptEvent>;
}

/** What happens inside of a turn. */
const inside = /^tool\.|^assistant\.usage$/;

/** Each answer is a turn, up to its last result. */
export function createTurnMarkers(): TurnMarkers {
  let number = 0;
  let isOpen = false;
  const mark = (type: string): TranscriptEvent => ({ type, data: { turnId: String(number) } });
  return {
    *around(event) {
      if (!inside.test(event.type)) yield* end();
      if (event.type === 'assistant.message') {
        isOpen = true;
        yield mark('assistant.turn_start');
      }
      yield event;
    },
    end,
  };

  function* end(): Generator<TranscriptEvent> {
    if (!isOpen) return;
    yield mark('assistant.turn_end');
    isOpen = false;
    number += 1;
  }
}
