import { setTimeout } from 'node:timers/promises';
import type { Print } from './print.ts';

/** Milliseconds. */
const patience = 500;

/** Knows which calls a person has been told of. */
export interface Shown {
  /** The same printing, which remembers. */
  readonly after: (print: Print) => Print;
  /** Resolves when a call was told, or is one of a sub-agent, of which only the question is told. */
  readonly until: (callId: string) => Promise<void>;
}

/**
 * What happens is told at the pace of the terminal, and a question must not come before the line it is about.
 *
 * @example
 * const shown = createShown();
 * const print = shown.after(printText({ invocation }));
 */
export function createShown(): Shown {
  const calls = new Map<string, PromiseWithResolvers<void>>();
  const callOf = (id: string) => {
    const call = calls.get(id) ?? Promise.withResolvers<void>();
    calls.set(id, call);
    return call;
  };
  return {
    after: (print) => async (event) => {
      await print(event);
      if (event.type === 'tool_start') callOf(event.callId).resolve();
    },
    until: (id) => Promise.race([callOf(id).promise, setTimeout(patience, undefined, { ref: false })]),
  };
}
