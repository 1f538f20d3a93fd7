import type { Folder, LineFile, RunCommand } from 'longhaul/engine';
import type { createModel, listModels } from 'longhaul/models/clients';
import type { DoctorReport, SessionId, Store } from 'longhaul/session';
import type { ImportedPrompts } from '../prompt/import-prompt.ts';
import type { TelemetryModules } from '../telemetry/start-telemetry.ts';
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
  /** Whether a person types there. */
  readonly stdinIsTerminal: boolean;
  readonly env: Environment;
  /** The working directory, absolute. */
  readonly cwd: string;
  /** The user's home folder, absolute. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly files: Files;
  /** Opens the store in a folder, which is made if it is not there. */
  readonly openStore: (dir: string) => Promise<SessionStore>;
  /** Runs a file of prompts, with what it imports. */
  readonly importPrompts: (input: { readonly path: string; readonly cwd: string }) => Promise<ImportedPrompts>;
  /** A file of lines that only grows. */
  readonly lineFile: (path: string) => LineFile;
  /** A folder of small files that are written whole or not at all. */
  readonly folder: (path: string) => Folder;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /**
   * Asks a person on the terminal and answers the line they typed; `undefined` where there is no person to ask, or the
   * signal is given first.
   */
  readonly ask: (question: string, until?: { readonly signal: AbortSignal }) => Promise<string | undefined>;
  /**
   * From now until the answer is called, Ctrl-C, or another signal that asks it to end, calls the listener instead of
   * ending the process. The second one ends it all the same.
   */
  readonly onInterrupt: (listener: () => void) => () => void;
  /** Waits so many milliseconds, or until the signal is given. */
  readonly sleep: (input: { readonly ms: number; readonly signal: AbortSignal }) => Promise<void>;
  /** A new empty folder, and a way to take it away with all that is in it. */
  readonly temporaryFolder: () => Promise<{ readonly path: string; readonly remove: () => Promise<void> }>;
  /** Runs a command of the user's shell, for hooks. */
  readonly runCommand: RunCommand;
  /** Sends a request to the endpoint that the user named; nothing else goes over the network. */
  readonly fetch: typeof globalThis.fetch;
  /** Models by their names; what is said to them goes to the provider that the user named. */
  readonly models: { readonly list: typeof listModels; readonly create: typeof createModel };
  /** Loads what OpenTelemetry needs; rejects where its packages are not installed. */
  readonly importTelemetry: () => Promise<TelemetryModules>;
  /** Starts this very program once more in another process. */
  readonly startSelf: (input: { readonly args: readonly string[]; readonly env: Environment }) => Child;
  /** A short text that no other run of the command uses at the same time; part of temporary names. */
  readonly unique: () => string;
}

/** A store that can examine itself. */
export interface SessionStore extends Store {
  doctor(input: { readonly session?: SessionId; readonly fix?: boolean }): Promise<DoctorReport>;
}

/** Another process. */
export interface Child {
  /** What it prints, line by line. */
  readonly lines: AsyncIterable<string>;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Ends it as `kill -9` does, and returns when it is gone. */
  readonly kill: () => Promise<void>;
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
