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
 * What a hook says, if it says it in time. Whoever asked may stop waiting: then it has said nothing.
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
  const late = new AbortController();
  const stopped = Promise.withResolvers<undefined>();
  const stop = () => stopped.resolve(undefined);
  // A timer takes an endless time for none.
  const timer = Number.isFinite(patience) ? setTimeout(() => late.abort(), patience) : undefined;
  late.signal.addEventListener('abort', () =>
    stopped.reject(new HookError({ kind: 'late', why: `It took longer than ${patience} ms and was not waited for.` })),
  );
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const either = AbortSignal.any([late.signal, ...(signal ? [signal] : [])]);
    const answer = Promise.resolve(call(either));
    // One that fails after it was given up is nobody's business any more.
    answer.catch(() => undefined);
    return await Promise.race([answer, stopped.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}
