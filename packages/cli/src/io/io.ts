import type { Files } from './files.ts';

/**
 * Everything the command touches outside itself. It comes in as an argument, so that a test needs no child process
 * (see `memoryIo`).
 *
 * @example
 * const io: Io = nodeIo({ process });
 * await io.stdout.write('hello\n');
 */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Standard input, read only when a command asks for it. */
  readonly stdin: () => AsyncIterable<Uint8Array>;
  readonly env: Environment;
  /** The working directory, absolute. */
  readonly cwd: string;
  /** The user's home folder, absolute. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly files: Files;
  /** A short text that no other run of the command uses at the same time; part of temporary names. */
  readonly unique: () => string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** One of the two streams the command prints to. */
export interface Output {
  readonly isTerminal: boolean;
  /** How many characters fit on a line. */
  readonly columns: number;
  /** Resolves when the text is handed over. A reader that went away (`| head`) is no failure. */
  readonly write: (text: string) => Promise<void>;
}
