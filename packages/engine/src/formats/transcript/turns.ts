import type { TranscriptEvent } from './events.ts';

/** Puts answers between the beginning and the end of a turn. */
export interface Turns {
  readonly around: (event: TranscriptEvent) => Generator<TranscriptEvent>;
  /** Ends the turn that goes on, if one does. */
  readonly end: () => Generator<TranscriptEvent>;
}

/** What happens inside of a turn. */
const inside = /^tool\.|^assistant\.usage$/;

/** Each answer is a turn, up to its last result. */
export function createTurns(): Turns {
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
