import { timedOut, withTimeout } from '../../time.ts';
import type { HookFailure } from '../types.ts';

/**
 * Thrown by a hook that knows in which way it failed; any other error is `threw`.
 *
 * @example
 * throw new HookError({ kind: 'answer', why: 'It answered something else.' });
 */
export class HookError extends Error {
  override readonly name = 'HookError';
  readonly kind: HookFailure['kind'];
  readonly command: string | undefined;

  constructor({ kind, why, command }: Pick<HookFailure, 'kind' | 'why' | 'command'>) {
    super(why);
    this.kind = kind;
    this.command = command;
  }
}

/**
 * The answer of a hook, if it arrives in time. An aborted call has no answer.
 *
 * @example
 * const answer = await inTime({ call: (signal) => hook({ signal }), patience: 10_000, signal });
 */
export async function inTime({
  call,
  patience,
  signal,
}: {
  readonly call: (signal: AbortSignal) => unknown;
  readonly patience: number;
  readonly signal: AbortSignal | undefined;
}): Promise<unknown> {
  try {
    const answer = await withTimeout({
      work: async (end) => await call(end),
      timeout: patience,
      signal,
      keepAlive: true,
    });
    if (answer !== timedOut) return answer;
  } catch (error) {
    if (signal?.aborted) return undefined;
    throw error;
  }
  throw new HookError({ kind: 'late', why: `It took longer than ${patience} ms and was not waited for.` });
}
