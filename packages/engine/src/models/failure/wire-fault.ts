import { innerError } from './report.ts';

/**
 * What a wire call was ended for:
 *
 * - `redirect`: the endpoint redirected to another origin, or without end;
 * - `too-large`: an answer, an event or a line exceeded its limit;
 * - `timeout`: nothing came for too long, or the whole call took too long.
 */
export type WireFaultCode = 'redirect' | 'too-large' | 'timeout';

/** Thrown where a limit of a wire call was exceeded. `classifyFailure` turns it into a `ModelFailure` with the same code. */
export class WireFault extends Error {
  override readonly name = 'WireFault';
  readonly code: WireFaultCode;

  constructor({ code, message }: { readonly code: WireFaultCode; readonly message: string }) {
    super(message);
    this.code = code;
  }
}

/** The fault that an error is or was caused by. SDKs wrap what `fetch` throws. */
export function wireFaultIn(error: unknown): WireFault | undefined {
  let current = error;
  for (let depth = 0; depth < 4 && current !== undefined && current !== null; depth += 1) {
    if (current instanceof WireFault) return current;
    current = innerError(current);
  }
  return undefined;
}
