import { posix } from 'node:path';
import type { GatewayOptions, GatewayTotals } from '@longhaul/gateway';
import type { CommandRequest, Folder, LineFile, RunCommand } from 'longhaul/engine';
import { type Memory, openMemory } from 'longhaul/memory';
import { createModel, listModels } from 'longhaul/models/clients';
import { createMemoryStore } from 'longhaul/session';
import type { TelemetryModules } from '../agent/telemetry.ts';
import { columnsOf } from '../text/width.ts';
import type { FileSystem } from './files.ts';
import type { ClientProcess, Io, ProcessEnvironment, SessionStore } from './io.ts';

/** An in-memory `Io` that records what was printed. */
export interface MemoryIo extends Io {
  readonly printed: { stdout: string; stderr: string };
  /** The files by absolute path. */
  readonly content: Map<string, Uint8Array>;
  /** The opened stores, by folder. They outlive the run, so that the next run finds them. */
  readonly stores: Map<string, SessionStore>;
  /** Simulates Ctrl-C. */
  readonly interrupt: () => void;
  /** The shell commands that were run, in order. */
  readonly ranCommands: CommandRequest[];
  /** The clients that were started, in order. */
  readonly launched: ClientProcess[];
  /** The options of the gateways that were started, in order. */
  readonly gateways: GatewayOptions[];
}

export interface MemoryWorld {
  /** Files by absolute path; their folders exist. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Modification times by path; default: the first day of 2026. */
  readonly modified?: Readonly<Record<string, number>>;
  readonly env?: ProcessEnvironment;
  readonly cwd?: string;
  readonly stdin?: string;
  readonly terminal?: boolean;
  readonly platform?: NodeJS.Platform;
  /** Answers to questions; without it there is no terminal. */
  readonly answer?: string;
  /** Steps that run while the command waits, in order; after the last one Ctrl-C is simulated. */
  readonly meanwhile?: readonly ((io: MemoryIo) => void)[];
  /** Exports of prompt files, by absolute path. */
  readonly prompts?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Output of shell commands, by command; `exit N` ends with that code, others are not found. */
  readonly commands?: Readonly<Record<string, string>>;
  /** Handles network requests; without it they fail. */
  readonly fetch?: typeof globalThis.fetch;
  /** The OpenTelemetry packages; without it they are not installed. */
  readonly telemetry?: () => Promise<TelemetryModules>;
  /** Why no gateway can be started. */
  readonly gatewayFailure?: Error;
  /** What passed through the gateway. */
  readonly totals?: GatewayTotals;
  /** File system operations that fail, by name, with the error code. */
  readonly failures?: Readonly<Partial<Record<keyof FileSystem, string>>>;
}

/**
 * An `Io` for tests: no disk, no process.
 *
 * @example
 * const io = memoryIo({ files: { '/home/me/a.json': '[]' }, cwd: '/home/me' });
 * await run({ argv: ['check', 'a.json'], io });
 * io.printed.stdout;
 */
export function memoryIo(world: MemoryWorld = {}): MemoryIo {
  const printed = { stdout: '', stderr: '' };
  const content = new Map<string, Uint8Array>();
  for (const [path, data] of Object.entries(world.files ?? {})) content.set(path, bytesOf(data));
  const stores = new Map<string, SessionStore>();
  const memories = new Map<string, Memory>();
  const interrupts = new Set<(signal: NodeJS.Signals) => void>();
  const meanwhile = [...(world.meanwhile ?? [])];
  let time = Date.UTC(2026, 0, 2, 3, 4, 5);
  const output = (name: 'stdout' | 'stderr') => ({
    isTerminal: world.terminal ?? false,
    columns: columnsOf(world.env ?? {}) ?? 100,
    write: async (text: string) => {
      printed[name] += text;
    },
  });
  const ranCommands: CommandRequest[] = [];
  const launched: ClientProcess[] = [];
  const gateways: GatewayOptions[] = [];
  const io: MemoryIo = {
    stdout: output('stdout'),
    stderr: output('stderr'),
    stdin: async function* () {
      yield bytesOf(world.stdin ?? '');
    },
    stdinIsTerminal: world.stdin === undefined,
    env: world.env ?? {},
    cwd: world.cwd ?? '/project',
    home: '/home/me',
    platform: world.platform ?? 'linux',
    files: memoryFiles({ content, stores, modified: world.modified ?? {}, failures: world.failures ?? {} }),
    openStore: async (dir) => {
      const store = stores.get(dir) ?? memoryStore();
      stores.set(dir, store);
      return store;
    },
    importTelemetry: world.telemetry ?? (() => Promise.reject(new Error('Cannot find package'))),
    importPrompts: async ({ path }) => ({
      exports: world.prompts?.[path] ?? {},
      isCompat: false,
      close: () => undefined,
    }),
    lineFile: (path) => memoryLines({ content, path }),
    folder: (path) => memoryFolder({ content, path }),
    // Every read of the clock is a second later.
    now: () => {
      time += 1000;
      return time;
    },
    ask: async () => world.answer,
    onInterrupt: (listener) => {
      interrupts.add(listener);
      return () => void interrupts.delete(listener);
    },
    sleep: async ({ ms }) => {
      time += ms;
      const next = meanwhile.shift() ?? (() => io.interrupt());
      next(io);
    },
    temporaryFolder: async () => ({
      path: '/tmp/longhaul-demo',
      remove: async () => void stores.delete('/tmp/longhaul-demo'),
    }),
    runCommand: async (errand) => {
      ranCommands.push(errand);
      return await memoryShell({ ...errand, commands: world.commands ?? {} });
    },
    fetch: world.fetch ?? (() => Promise.reject(new TypeError('fetch failed'))),
    models: {
      list: (input) => listModels({ ...input, probe: false }),
      create: (input) => createModel({ ...input, ...(world.fetch && { fetch: world.fetch }) }),
    },
    openMemory: async ({ dir: _, ...input }) => {
      const known = memories.get(input.repository) ?? { ...openMemory(input), close: () => undefined };
      memories.set(input.repository, known);
      return known;
    },
    startDetached: () => undefined,
    startSelf: () => {
      throw new Error('There are no processes in memory.');
    },
    runClient: async (client) => {
      launched.push(client);
      return { code: 0 };
    },
    raise: () => undefined,
    startGateway: async (options) => {
      if (world.gatewayFailure !== undefined) throw world.gatewayFailure;
      gateways.push(options);
      return { url: 'http://127.0.0.1:4141', close: async () => undefined, totals: () => world.totals ?? noTotals };
    },
    unique: () => 'test',
    printed,
    ranCommands,
    launched,
    gateways,
    content,
    stores,
    interrupt: () => {
      for (const listener of [...interrupts]) listener('SIGINT');
    },
  };
  return io;
}

const noTotals: GatewayTotals = { requests: 0, tokensReceived: 0, tokensForwarded: 0, compactions: 0, sessions: [] };

type Content = Map<string, Uint8Array>;

function memoryLines({ content, path }: { readonly content: Content; readonly path: string }): LineFile {
  const bytes = () => content.get(path) ?? new Uint8Array();
  return {
    size: async () => bytes().length,
    async *lines() {
      let end = 0;
      for (const piece of Buffer.from(bytes())
        .toString('utf8')
        .split(/(?<=\n)/)) {
        end += Buffer.byteLength(piece);
        if (piece !== '')
          yield piece.endsWith('\n') ? { text: piece.slice(0, -1), end } : { text: piece, end: undefined };
      }
    },
    async put({ at, text }) {
      content.set(path, new Uint8Array([...bytes().subarray(0, at), ...bytesOf(text)]));
    },
  };
}

function memoryFolder({ content, path }: { readonly content: Content; readonly path: string }): Folder {
  const at = (name: string) => posix.join(path, name);
  return {
    list: async () =>
      [...content.keys()].filter((file) => posix.dirname(file) === path).map((file) => posix.basename(file)),
    async read(name) {
      const bytes = content.get(at(name));
      return bytes && Buffer.from(bytes).toString('utf8');
    },
    write: async ({ name, text }) => void content.set(at(name), bytesOf(text)),
    remove: async (name) => void content.delete(at(name)),
  };
}

/** The few commands that tests need; the real shell is tested with the real CLI. */
async function memoryShell({
  command,
  commands,
}: CommandRequest & { readonly commands: Readonly<Record<string, string>> }): ReturnType<RunCommand> {
  const [, exit] = /^exit (\d+)$/.exec(command) ?? [];
  const stdout = commands[command];
  const code = exit !== undefined ? Number(exit) : stdout === undefined ? 127 : 0;
  const stderr = code === 0 ? '' : code === 127 ? `sh: ${command}: not found` : `ended with ${code}`;
  return { code, stdout: stdout ?? '', stderr, isLate: false, isCut: false, ms: 7 };
}

function memoryStore(): SessionStore {
  const store = createMemoryStore();
  return {
    ...store,
    // In-memory files cannot be torn.
    doctor: async () => ({
      sound: true,
      sessions: (await store.list()).map(({ header, count }) => ({
        session: header.id,
        sound: true,
        entries: count,
        problems: [],
      })),
      problems: [],
      leftovers: [],
    }),
    close: async () => undefined,
  };
}

function memoryFiles({
  content,
  stores,
  modified,
  failures,
}: {
  readonly content: Map<string, Uint8Array>;
  /** Their folders exist. */
  readonly stores: ReadonlyMap<string, unknown>;
  readonly modified: Readonly<Record<string, number>>;
  readonly failures: Partial<Record<keyof FileSystem, string>>;
}): FileSystem {
  const folders = new Set<string>();
  const isFolder = (path: string) =>
    folders.has(path) ||
    stores.has(path) ||
    [...content.keys()].some((file) => file.startsWith(path === '/' ? '/' : `${path}/`));
  const fail = (code: string): never => {
    throw Object.assign(new Error(`${code}: made up for a test`), { code });
  };
  const step = (name: keyof FileSystem) => {
    const code = failures[name];
    if (code !== undefined) fail(code);
  };
  const bytes = (path: string): Uint8Array => content.get(path) ?? fail('ENOENT');
  return {
    async stat(path) {
      step('stat');
      const data = content.get(path);
      if (!data && !isFolder(path)) return undefined;
      return {
        kind: data ? 'file' : 'folder',
        bytes: data?.length ?? 0,
        modifiedAt: modified[path] ?? Date.UTC(2026, 0, 1),
        mode: 0o644,
        identity: path,
      };
    },
    async follow(path) {
      step('follow');
      return path;
    },
    async *read(path) {
      step('read');
      yield bytes(path);
    },
    async head({ path, bytes: length }) {
      step('head');
      return bytes(path).subarray(0, length);
    },
    watch: () => () => undefined,
    async list(path) {
      step('list');
      if (!isFolder(path)) fail('ENOENT');
      const inside = [...content.keys()].filter((file) => file.startsWith(`${path}/`));
      const names = new Set(inside.map((file) => file.slice(path.length + 1).split('/')[0] ?? ''));
      return [...names].map((name) => ({ name, kind: content.has(`${path}/${name}`) ? 'file' : 'folder' }));
    },
    async create({ path, text: given }) {
      const text = typeof given === 'string' ? given : (await Array.fromAsync(given)).join('');
      if (content.has(path)) fail('EEXIST');
      if (!isFolder(posix.dirname(path))) fail('ENOENT');
      // A failed write leaves half a file behind, as on a full disk.
      content.set(path, bytesOf(text.slice(0, failures.create === undefined ? text.length : text.length / 2)));
      step('create');
    },
    async link({ from, to }) {
      step('link');
      if (content.has(to)) fail('EEXIST');
      content.set(to, bytes(from));
    },
    async rename({ from, to }) {
      step('rename');
      content.set(to, bytes(from));
      content.delete(from);
    },
    async remove(path) {
      step('remove');
      content.delete(path);
    },
    removeOnSignal: () => () => undefined,
    async createFolder(path) {
      step('createFolder');
      folders.add(path);
    },
    async syncFolder() {
      step('syncFolder');
    },
  };
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data;
}
