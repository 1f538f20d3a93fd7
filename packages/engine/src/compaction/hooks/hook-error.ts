import type { HookFailure } from './hooks.ts';

/** Thrown by a hook that knows in which way it failed; any other error is `threw`. */
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
