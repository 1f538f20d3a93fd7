import type { AgentHookFailure } from './hooks.ts';

/** Thrown by a hook that knows in which way it failed; any other error is `threw`. */
export class HookTrouble extends Error {
  override readonly name = 'HookTrouble';
  readonly kind: AgentHookFailure['kind'];
  readonly command: string | undefined;

  constructor({ kind, why, command }: Pick<AgentHookFailure, 'kind' | 'why' | 'command'>) {
    super(why);
    this.kind = kind;
    this.command = command;
  }
}
