import type { HookFailure } from '../types.ts';

/**
 * Thrown by a hook that knows in which way it failed; any other error is `threw`.
 *
 * @example
 * throw new HookError({ kind: 'answer', why: 'Its answer is not JSON.' });
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
