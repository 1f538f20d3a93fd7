import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants, type FSWatcher, rmSync, type Stats, watch } from 'node:fs';
import {
  type FileHandle,
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { homedir, constants as osConstants, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface as createLines } from 'node:readline';
import { createInterface } from 'node:readline/promises';
import { setTimeout } from 'node:timers/promises';
import { LonghaulError } from 'longhaul';
import { openFolder, openLineFile } from 'longhaul/engine';
import type { TelemetryModules } from '../agent/telemetry.ts';
import { cannotWrite } from '../errors/file-errors.ts';
import { columnsOf } from '../text/width.ts';
import { type FileFacts, type FileSystem, systemCode } from './files.ts';
import type { Child, ClientExit, ClientProcess, Io, OutputStream, ProcessEnvironment } from './io.ts';

/**
 * The `Io` of a Node process.
 *
 * @example
 * process.exitCode = await run({ argv: process.argv.slice(2), io: nodeIo({ process }) });
 */
export function nodeIo({
  process,
  cwd,
  files = nodeFiles,
}: {
  readonly process: NodeJS.Process;
  /** The working directory, if not that of the process. */
  readonly cwd?: string;
  readonly files?: FileSystem;
}): Io {
  return {
    stdout: outputOf({ stream: process.stdout, name: 'standard output', env: process.env }),
    stderr: outputOf({ stream: process.stderr, name: 'standard error', env: process.env }),
    stdin: () => process.stdin,
    get stdinIsTerminal() {
      return process.stdin.isTTY === true;
    },
    // A copy, because keys are removed from the process. On Windows names are case-insensitive only in Node's own object.
    env: process.platform === 'win32' ? process.env : { ...process.env },
    // Read lazily: help does not need it, and commands can report that it is gone.
    get cwd() {
      return cwd ?? workingDirectory({ process });
    },
    home: homedir(),
    platform: process.platform,
    files,
    // Loaded lazily: most commands need no database. Most that do are done before a thread would have started.
    openStore: async (dir) => (await import('longhaul/session')).openSqliteStore({ dir, callsBeforeThread: 100 }),
    importTelemetry,
    importPrompts: async (input) => (await import('../prompt/import-prompt.ts')).importPrompts(input),
    lineFile: openLineFile,
    folder: (path) => openFolder({ path, now: Date.now }),
    now: Date.now,
    ask: (question, until) => askOn({ process, question, signal: until?.signal }),
    onInterrupt: (listener) => interruptOf({ process, listener }),
    sleep: async ({ ms, signal }) => {
      await setTimeout(ms, undefined, { signal }).catch(() => undefined);
    },
    temporaryFolder: async () => {
      const path = await mkdtemp(join(tmpdir(), 'longhaul-'));
      return { path, remove: () => rm(path, { recursive: true, force: true }) };
    },
    runCommand: async (request) => (await import('longhaul/engine')).runCommand(request),
    fetch: globalThis.fetch,
    // Loaded lazily: clients are large, and most commands need none.
    models: {
      list: async (input) => (await import('longhaul/models/clients')).listModels(input),
      create: async (input) => (await import('longhaul/models/clients')).createModel(input),
    },
    openMemory: async (input) => (await import('longhaul/memory')).openMemory(input),
    startSelf: (input) => startSelf({ process, ...input }),
    runClient: (client) => runClient({ process, client }),
    raise: (signal) => void setImmediate(() => process.kill(process.pid, signal)),
    // Loaded lazily: a gateway needs a server and a database.
    startGateway: async (options) => (await import('./start-gateway.ts')).startGateway(options),
    startDetached: ({ args, env, cwd }) => {
      const [, script = ''] = process.argv;
      const child = spawn(process.execPath, [...process.execArgv, script, ...args], {
        env,
        cwd,
        stdio: 'ignore',
        detached: true,
      });
      // Best effort: without the process, the session can be consolidated later.
      child.once('error', () => undefined);
      child.unref();
    },
    unique: () => randomUUID().slice(0, 8),
  };
}

function workingDirectory({ process }: { readonly process: NodeJS.Process }): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new LonghaulError({
      code: 'no-working-directory',
      message: 'The current folder no longer exists or cannot be accessed.',
      hint: 'Change to another folder and try again.',
      cause: error,
    });
  }
}

/** Starts this program again, the way it was started. */
function startSelf({
  process,
  args,
  env,
}: {
  readonly process: NodeJS.Process;
  readonly args: readonly string[];
  readonly env: ProcessEnvironment;
}): Child {
  const [, script = ''] = process.argv;
  const child = spawn(process.execPath, [...process.execArgv, script, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 0));
    child.once('error', reject);
  });
  // The caller that kills it observes the exit there.
  ended.catch(() => undefined);
  return {
    lines: createLines({ input: child.stdout }),
    ended,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function askOn({
  process,
  question,
  signal,
}: {
  readonly process: NodeJS.Process;
  readonly question: string;
  readonly signal: AbortSignal | undefined;
}): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  // On standard error, so that standard output holds only the result.
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
    // readline intercepts Ctrl-C, which must behave as everywhere else.
    lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    const asked = signal ? lines.question(question, { signal }) : lines.question(question);
    return await Promise.race([asked, closed]);
  } catch (error) {
    if (signal?.aborted) return undefined;
    throw error;
  } finally {
    lines.close();
  }
}

function interruptOf({
  process,
  listener,
}: {
  readonly process: NodeJS.Process;
  readonly listener: (signal: NodeJS.Signals) => void;
}): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const off = () => {
    for (const signal of signals) process.off(signal, once);
  };
  // Without a listener the second signal has its default effect.
  const once = (signal: NodeJS.Signals) => {
    off();
    listener(signal);
  };
  for (const signal of signals) process.on(signal, once);
  return off;
}

function outputOf({
  stream,
  name,
  env,
}: {
  readonly stream: NodeJS.WriteStream;
  readonly name: string;
  readonly env: ProcessEnvironment;
}): OutputStream {
  // The `write` callback gets the same error; without a listener the event would crash the process.
  stream.on('error', () => undefined);
  const isTerminal = stream.isTTY === true;
  return {
    isTerminal,
    // Some terminals report a width of 0.
    columns: columnsOf(env) ?? (stream.columns || 100),
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(isTerminal ? withoutEightBits(text) : text, (error) => {
          // EPIPE: the reader has closed the pipe. Windows calls it EOF.
          if (!error || systemCode(error) === 'EPIPE' || systemCode(error) === 'EOF') resolve();
          else reject(cannotWrite({ name, error }));
        });
      }),
  };
}

/**
 * Some terminals interpret C1 control characters, which JSON does not escape. Our own text has none, and in JSON the
 * escape is equivalent.
 */
function withoutEightBits(text: string): string {
  return text.replace(/[\u0080-\u009f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/** Imported by a computed name that bundlers do not resolve: the package is an optional peer. */
const telemetrySdk = '@opentelemetry/sdk-node';

async function importTelemetry(): Promise<TelemetryModules> {
  const sdk = (await import(telemetrySdk)) as TelemetryModules['sdk'];
  const [agent, session] = [await import('longhaul/adapters/otel-agent'), await import('longhaul/adapters/otel')];
  return { agent, session, gateway: await import('@longhaul/gateway/otel'), sdk };
}

/** Termination signals that a program can handle. */
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The real file system. */
const nodeFiles: FileSystem = {
  async stat(path) {
    try {
      return factsOf(await stat(path));
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  },

  async follow(path) {
    try {
      return await realpath(path);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      // Nothing is there, or the link is dangling. Circular links fail with ELOOP, so this terminates.
      const target = await readlink(path).catch(() => undefined);
      return target === undefined ? path : await nodeFiles.follow(resolve(dirname(path), target));
    }
  },

  async *read(path) {
    const file = await openForReading(path);
    // The stream closes the file, even if the reader stops early.
    yield* file.createReadStream({ highWaterMark: 1 << 20 }) as AsyncIterable<Uint8Array>;
  },

  async head({ path, bytes }) {
    const file = await openForReading(path);
    try {
      const buffer = new Uint8Array(bytes);
      let length = 0;
      while (length < bytes) {
        const { bytesRead } = await file.read(buffer, length, bytes - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return buffer.subarray(0, length);
    } finally {
      await file.close();
    }
  },

  watch({ path, onChange }) {
    let watcher: FSWatcher;
    try {
      // The folder is watched, because a program may replace the file or write next to it.
      watcher = watch(dirname(path), { persistent: false }, onChange);
    } catch {
      return () => undefined;
    }
    watcher.on('error', () => undefined);
    return () => watcher.close();
  },

  async list(path) {
    const items = await readdir(path, { withFileTypes: true });
    return items.map((item) => ({
      name: item.name,
      kind: item.isFile() ? 'file' : item.isDirectory() ? 'folder' : 'other',
    }));
  },

  async create({ path, text, mode }) {
    const file = await open(path, 'wx', mode);
    try {
      await file.writeFile(text, 'utf8');
      await file.sync();
    } finally {
      await file.close();
    }
  },

  link: ({ from, to }) => link(from, to),
  rename: ({ from, to }) => rename(from, to),
  remove: (path) => rm(path, { force: true }),

  removeOnSignal(path) {
    const forget = () => {
      for (const signal of endings) process.off(signal, end);
    };
    const end = (signal: NodeJS.Signals) => {
      rmSync(path, { force: true });
      // Without a listener the signal has its default effect.
      forget();
      process.kill(process.pid, signal);
    };
    for (const signal of endings) process.on(signal, end);
    return forget;
  },

  async createFolder(path) {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },

  async syncFolder(path) {
    // Windows cannot open a folder, and some network file systems cannot sync one; the rename is done anyway.
    const folder = await open(path, 'r').catch(() => undefined);
    await folder?.sync().catch(() => undefined);
    await folder?.close();
  },
};

/** Process substitution `<(command)` and standard input by path: already open, so opening them does not block. */
const descriptor = /^\/(?:dev\/(?:fd\/\d{1,9}|stdin)|proc\/self\/fd\/\d{1,9})$/;

/**
 * Opens a regular file. Pipes and devices are rejected without blocking: the file is opened non-blocking and then checked,
 * so that it cannot be swapped in between.
 */
async function openForReading(path: string): Promise<FileHandle> {
  if (descriptor.test(path)) return await open(path, 'r');
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = await file.stat();
  if (stats.isFile() || stats.isDirectory()) return file;
  await file.close();
  throw Object.assign(new Error('it is a pipe, a device or a socket, not a file'), { code: 'ENOTREG' });
}

function factsOf(stats: Stats): FileFacts {
  return {
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
    bytes: stats.size,
    modifiedAt: stats.mtimeMs,
    mode: stats.mode & 0o777,
    identity: `${stats.dev}:${stats.ino}`,
  };
}

/** Signals that a process manager sends to this process only. A terminal sends its own to the whole group. */
const forwarded = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGCONT'] as const;

/**
 * Runs a program with the terminal of this process until it ends. Signals reach it; this process does not end before it.
 *
 * @throws LonghaulError `client-missing` or `client-not-started`.
 * @example
 * const { code } = await runClient({ process, client: { command: 'claude', args: [], env: process.env, cwd: '.' } });
 */
async function runClient({
  process,
  client: { command, args, env, cwd },
}: {
  readonly process: NodeJS.Process;
  readonly client: ClientProcess;
}): Promise<ClientExit> {
  const child = spawn(command, [...args], { cwd, env, stdio: 'inherit' });
  const forward = (signal: NodeJS.Signals) => void child.kill(signal);
  // Ctrl-C is sent to the whole group by the terminal; a second one from here would be taken for a repeated Ctrl-C.
  const interrupt = (signal: NodeJS.Signals) => {
    if (!process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of forwarded) process.on(signal, forward);
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) process.on(signal, interrupt);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (error) => reject(notStarted({ command, error })));
      child.once('close', (code, signal) =>
        resolve(signal === null ? { code: code ?? 0 } : { code: 128 + (osConstants.signals[signal] ?? 0), signal }),
      );
    });
  } finally {
    for (const signal of forwarded) process.off(signal, forward);
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) process.off(signal, interrupt);
  }
}

function notStarted({ command, error }: { readonly command: string; readonly error: unknown }): LonghaulError {
  if (systemCode(error) === 'ENOENT')
    return new LonghaulError({
      code: 'client-missing',
      message: `The command "${command}" was not found.`,
      hint: 'Install it, or check PATH.',
      cause: error,
    });
  return new LonghaulError({
    code: 'client-not-started',
    message: `The command "${command}" could not be started: ${error instanceof Error ? error.message : String(error)}.`,
    hint: 'Try to start it without longhaul.',
    cause: error,
  });
}
