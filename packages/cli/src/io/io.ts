import type { Folder, LineFile, RunCommand } from 'longhaul/engine';
import type { Memory, openMemory } from 'longhaul/memory';
import type { createModel, listModels } from 'longhaul/models/clients';
import type { DoctorReport, SessionId, Store } from 'longhaul/session';
import type { TelemetryModules } from '../agent/telemetry.ts';
import type { ImportedPrompts } from '../prompt/import-prompt.ts';
import type { FileSystem } from './files.ts';
import type { StartGateway } from './start-gateway.ts';

/**
 * All side effects of the CLI. Passed as an argument, so that tests need no child process (see `memoryIo`).
 *
 * @example
 * const io: Io = nodeIo({ process });
 * await io.stdout.write('hello\n');
 */
export interface Io {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Standard input, read only when a command asks for it. */
  readonly stdin: () => AsyncIterable<Uint8Array>;
  /** Whether standard input is a terminal. */
  readonly stdinIsTerminal: boolean;
  readonly env: ProcessEnvironment;
  /** The working directory, absolute. */
  readonly cwd: string;
  /** The user's home folder, absolute. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly files: FileSystem;
  /** Opens the store in a folder, creating it if needed. */
  readonly openStore: (dir: string) => Promise<SessionStore>;
  /** Opens the memory of a repository, in the folder of a store. */
  readonly openMemory: (input: Parameters<typeof openMemory>[0]) => Promise<Memory>;
  /** Executes a prompt file with its imports. */
  readonly importPrompts: (input: { readonly path: string; readonly cwd: string }) => Promise<ImportedPrompts>;
  /** An append-only file of lines. */
  readonly lineFile: (path: string) => LineFile;
  /** A folder of small files that are written atomically. */
  readonly folder: (path: string) => Folder;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /**
   * Asks a question on the terminal and returns the line typed; `undefined` without a terminal, or if the signal is
   * aborted first.
   */
  readonly ask: (question: string, until?: { readonly signal: AbortSignal }) => Promise<string | undefined>;
  /**
   * Calls the listener on Ctrl-C or another termination signal instead of ending the process; returns an unsubscribe
   * function. The second signal ends the process anyway.
   */
  readonly onInterrupt: (listener: (signal: NodeJS.Signals) => void) => () => void;
  /** Waits, or until the signal is aborted. */
  readonly sleep: (input: { readonly ms: number; readonly signal: AbortSignal }) => Promise<void>;
  /** Creates an empty temporary folder, with a function that removes it. */
  readonly temporaryFolder: () => Promise<{ readonly path: string; readonly remove: () => Promise<void> }>;
  /** Runs a command in the user's shell, for hooks. */
  readonly runCommand: RunCommand;
  /** Sends a request to the endpoint that the user configured. */
  readonly fetch: typeof globalThis.fetch;
  /** Models by name; requests go to the provider that the user configured. */
  readonly models: { readonly list: typeof listModels; readonly create: typeof createModel };
  /** Loads OpenTelemetry; rejects if its packages are not installed. */
  readonly importTelemetry: () => Promise<TelemetryModules>;
  /** Starts this program in another process. */
  readonly startSelf: (input: { readonly args: readonly string[]; readonly env: ProcessEnvironment }) => Child;
  /** Runs a program with this terminal until it ends; signals reach it. */
  readonly runClient: (client: ClientProcess) => Promise<ClientExit>;
  /** Ends this process by a signal, once its output is written. */
  readonly raise: (signal: NodeJS.Signals) => void;
  /** Starts a gateway on a loopback port. */
  readonly startGateway: StartGateway;
  /** Starts this program in another process, which continues when this one ends. */
  readonly startDetached: (input: {
    readonly args: readonly string[];
    readonly env: ProcessEnvironment;
    readonly cwd: string;
  }) => void;
  /** A short text that is unique among concurrent runs; part of temporary names. */
  readonly unique: () => string;
}

/** A store that can check itself. */
export interface SessionStore extends Store {
  doctor(input: { readonly session?: SessionId; readonly fix?: boolean }): Promise<DoctorReport>;
}

/** A child process. */
export interface Child {
  /** Its output, line by line. */
  readonly lines: AsyncIterable<string>;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Ends it as `kill -9` does; resolves when it has ended. */
  readonly kill: () => Promise<void>;
}

/** A program that takes over the terminal. */
export interface ClientProcess {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: ProcessEnvironment;
  readonly cwd: string;
}

/** How it ended: the exit code as a shell reports it, and the signal that ended it, if any. */
export interface ClientExit {
  readonly code: number;
  readonly signal?: NodeJS.Signals;
}

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** Standard output or standard error. */
export interface OutputStream {
  readonly isTerminal: boolean;
  /** Characters per line. */
  readonly columns: number;
  /** Resolves when the text has been handed over. A closed reader (`| head`) is not an error. */
  readonly write: (text: string) => Promise<void>;
}
