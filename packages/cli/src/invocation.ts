import type { Command } from 'commander';
import type { Io } from './io/io.ts';
import type { Resolved } from './settings/resolve.ts';
import type { settingsSchema } from './settings/schema.ts';
import type { Paint } from './text/paint.ts';

/** What a command is given when it runs. */
export interface Invocation {
  readonly io: Io;
  /** Where the person stands, also where `--cwd` sends the work elsewhere. */
  readonly cwd: () => string;
  /** The arguments that are no flags. */
  readonly args: readonly string[];
  /** Reads the settings: only here can they fail, so that `--help` and `config schema` work with broken ones. */
  readonly settings: () => Promise<Resolved<typeof settingsSchema>>;
  /** The colors for a stream, by the settings. */
  readonly paint: (stream: 'stdout' | 'stderr') => Paint;
  /** Whether the answer is for a program. */
  readonly json: boolean;
}

/** Does what a command is for and returns the exit code. */
export type Action<Options> = (invocation: Invocation & { readonly options: Options }) => Promise<number>;

/** A command of the parser, and what it does. */
export interface Binding<Options> {
  readonly command: Command;
  readonly action: Action<Options>;
}

/** Joins the two. */
export type Bind = <Options extends object>(binding: Binding<Options>) => void;
