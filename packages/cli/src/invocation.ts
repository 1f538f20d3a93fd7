import type { Command } from 'commander';
import type { Io } from './io/io.ts';
import type { Resolved } from './settings/resolve.ts';
import type { settingsSchema } from './settings/schema.ts';
import type { Paint } from './text/paint.ts';

/** What a command gets when it runs. */
export interface Invocation {
  readonly io: Io;
  /** The caller's working directory, regardless of `--cwd`. */
  readonly cwd: () => string;
  /** The arguments that are not flags. */
  readonly args: readonly string[];
  /** Reads the settings. Lazy, so that `--help` and `config schema` work with invalid ones. */
  readonly settings: () => Promise<Resolved<typeof settingsSchema>>;
  /** The colors for a stream, according to the settings. */
  readonly paint: (stream: 'stdout' | 'stderr') => Paint;
  /** Whether the output is JSON. */
  readonly json: boolean;
  /** Runs another command line of this program, without a terminal, and returns what it prints. */
  readonly runProgram: (args: readonly string[]) => Promise<{
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }>;
}

/** Runs a command and returns the exit code. */
export type CommandAction<Options> = (invocation: Invocation & { readonly options: Options }) => Promise<number>;

/** A parser command and its action. */
export interface CommandBinding<Options> {
  readonly command: Command;
  readonly action: CommandAction<Options>;
}

/** Registers an action. */
export type Bind = <Options extends object>(binding: CommandBinding<Options>) => void;
