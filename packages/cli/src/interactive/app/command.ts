import type { Interactive } from './interactive.ts';
import type { CommandResult } from './result.ts';

/** A command that the user types as `/name arguments`. */
export interface SlashCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** What follows the name: `[focus]`, `HANDLE`. */
  readonly hint?: string;
  /** One line. */
  readonly help: string;
  /** Whether it can run while the agent works; others wait for its end. */
  readonly isLive?: true;
  /** Where it comes from, if it is not one of ours: the path of its file. */
  readonly source?: string;
  /** Possible arguments, for completion. */
  readonly complete?: (of: CommandContext) => Promise<readonly ArgumentCandidate[]> | readonly ArgumentCandidate[];
  readonly run: (of: CommandContext) => Promise<readonly CommandResult[]>;
}

export interface ArgumentCandidate {
  readonly value: string;
  readonly detail?: string;
}

/** What a command gets when it runs. */
export interface CommandContext {
  readonly app: Interactive;
  /** The text after the name, trimmed. */
  readonly text: string;
  /** Aborted by Esc. */
  readonly signal: AbortSignal;
}
