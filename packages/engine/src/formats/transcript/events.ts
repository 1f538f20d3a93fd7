import type { JsonObject } from '../../json.ts';
import { hashedId } from '../chain.ts';
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
export function createEnvelopes(): (of: Happening) => Enclosed {
  let parentId: string | null = null;
  return (happening) => {
    const event = enclosed({ ...happening, parentId });
    parentId = event.id;
    return event;
  };
}

/** An event and when it happened. */
interface Happening {
  readonly event: TranscriptEvent;
  readonly at: number;
}

type Enclosed = JsonObject & { readonly id: string };

/** One event in its envelope, after the one that is named. */
export function enclosed({
  event: { type, data },
  at,
  parentId,
}: Happening & { readonly parentId: string | null }): Enclosed {
  const timestamp = isoTime(at);
  const { messageId, ...said } = data;
  const id = hashedId(JSON.stringify([parentId, timestamp, type, said]));
  const named = type === 'assistant.message' ? { messageId: messageId ?? id, ...said } : data;
  return { type, data: named, id, timestamp, parentId };
}
