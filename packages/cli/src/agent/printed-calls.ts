import { setTimeout } from 'node:timers/promises';
import type { Print } from './print.ts';

/** Milliseconds to wait for a line that may never be printed. */
const printTimeout = 500;

/** Tracks which tool calls have been printed. */
export interface PrintedCalls {
  /** Wraps a printer so that printed calls are recorded. */
  readonly after: (print: Print) => Print;
  /** Resolves when the call has been printed, or after a timeout: calls of sub-agents are not printed. */
  readonly until: (callId: string) => Promise<void>;
}

/**
 * Events are printed at the pace of the terminal; a permission question must not appear before the line of its call.
 *
 * @example
 * const shown = createShown();
 * const print = shown.after(printText({ invocation }));
 */
export function trackPrintedCalls(): PrintedCalls {
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
    until: (id) => Promise.race([callOf(id).promise, setTimeout(printTimeout, undefined, { ref: false })]),
  };
}
