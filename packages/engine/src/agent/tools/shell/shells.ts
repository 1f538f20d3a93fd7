import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { constants } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { systemClock, timedOut, withTimeout } from '../../../time.ts';
import { createPlainStream } from '../../plain-text.ts';
import type { Launch, Sandbox } from '../../sandbox/sandbox.ts';
import {
  endAtOnce,
  endOrphans,
  endProcesses,
  isAlive,
  type Mark,
  markName,
  markText,
  ownerName,
} from './kill-processes.ts';

/** A command in the background. */
export interface Shell {
  readonly id: string;
  readonly command: string;
  readonly ended: Promise<CommandEnd>;
  /** How it ended, or `undefined` while it runs. */
  outcome(): CommandEnd | undefined;
  /** Output since the last call. */
  fresh(): Promise<Captured>;
  stop(): Promise<void>;
}

/** A command was started in the background, has printed something, or has ended. */
export interface BackgroundEvent {
  /** As the tools name it: `b1`. */
  readonly id: string;
  readonly command: string;
  /** New output, without control sequences. */
  readonly text?: string;
  /** Set when it has ended. */
  readonly exit?: number;
}

/** Milliseconds. */
const settlingMs = 30;

/** All commands of an agent: background commands and leftovers. */
export interface Shells {
  run(of: CommandInput): Promise<ShellRun>;
  background(of: Pick<CommandInput, 'command' | 'cwd' | 'isOutside'>): Shell;
  find(id: string): Shell | undefined;
  close(): Promise<void>;
}

interface CommandInput {
  readonly command: string;
  readonly cwd: string;
  /** Whether to run outside the sandbox. */
  readonly isOutside: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onText?: ((text: string) => void) | undefined;
}

export interface ShellRun extends CommandEnd {
  readonly output: Captured;
  /** Why it was ended early. */
  readonly stopped?: 'timeout' | 'abort';
  /** Whether it left processes running, which were ended. */
  readonly isLeft: boolean;
}

/**
 * The commands of one agent. Processes of a command end with it; background commands end with the agent. Leftovers of a
 * killed agent end when the next one starts.
 *
 * @example
 * const shells = createShells({ env: { PATH: '/bin' }, scratch: '/tmp/scratch', sandbox: undefined });
 */
export function createShells({
  env,
  scratch,
  sandbox,
  onBackground,
}: {
  readonly env: Readonly<Record<string, string>>;
  /** Folder for outputs that are too long to return. */
  readonly scratch: string;
  /** Runs commands, unless they run outside. */
  readonly sandbox: Sandbox | undefined;
  readonly onBackground?: ((event: BackgroundEvent) => void) | undefined;
}): Shells {
  const owner = ownerName();
  // Looking at all processes takes long, and the first request does not depend on it.
  let orphans: NodeJS.Timeout | undefined = setTimeout(endOrphansOnce, orphansDelay).unref();
  const temporary = join(scratch, 'tmp');
  const wrapIn = (cwd: string, isOutside: boolean) => {
    if (!sandbox || isOutside) return undefined;
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    const empty = join(scratch, 'empty');
    writeFileSync(empty, '', { mode: 0o400, flag: 'a' });
    return (launch: Parameters<Sandbox['wrap']>[0]['launch']) =>
      sandbox.wrap({ launch, cwd, temporary, empty, scratch });
  };
  const known = new Map<string, Shell>();
  const left = new Set<StartedCommand>();
  // The folder may contain outputs of an earlier run.
  const run = randomBytes(3).toString('hex');
  let files = 0;
  // Commands must also end if the process exits without closing the tools.
  const onExit = () => {
    for (const started of left) started.stopNow();
  };
  const hold = (started: StartedCommand) => {
    if (left.size === 0) process.on('exit', onExit);
    left.add(started);
  };
  const release = (started: StartedCommand) => {
    left.delete(started);
    if (left.size === 0) process.off('exit', onExit);
  };
  const nextFile = () => join(scratch, `output-${run}-${++files}.txt`);
  return {
    async run({ command, cwd, isOutside, timeoutMs, signal, onText }) {
      const capture = createCapture({ file: nextFile(), onText });
      const started = startCommand({ command, cwd, env, owner, capture, wrap: wrapIn(cwd, isOutside) });
      hold(started);
      let stopped: ShellRun['stopped'];
      const end = (why: 'timeout' | 'abort') => {
        stopped ??= why;
        void started.stop();
      };
      const timer = setTimeout(() => end('timeout'), timeoutMs);
      const abort = () => end('abort');
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      try {
        const how = await started.ended;
        // Other members of a pipeline may end slightly later.
        if (started.isLeft()) await systemClock.sleep(settlingMs);
        const isLeft = started.isLeft();
        if (stopped || isLeft) await started.stop();
        release(started);
        return { ...how, output: await capture.end(), isLeft: isLeft && !stopped, ...(stopped && { stopped }) };
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      }
    },
    background({ command, cwd, isOutside }) {
      const id = `b${known.size + 1}`;
      const captured = () =>
        createCapture({ file: nextFile(), onText: onBackground && ((text) => onBackground({ id, command, text })) });
      let capture = captured();
      const started = startCommand({ command, cwd, env, owner, capture, wrap: wrapIn(cwd, isOutside) });
      let outcome: CommandEnd | undefined;
      const ended = started.ended.then((how) => {
        outcome = how;
        onBackground?.({ id, command, exit: how.exit });
        if (!started.isLeft()) release(started);
        return how;
      });
      hold(started);
      onBackground?.({ id, command });
      const shell: Shell = {
        id,
        command,
        ended,
        stop: () => started.stop(),
        outcome: () => outcome,
        async fresh() {
          const before = capture;
          capture = captured();
          started.into(capture);
          return await before.end();
        },
      };
      known.set(id, shell);
      return shell;
    },
    find: (id) => known.get(id),
    async close() {
      endOrphansOnce();
      const all = [...left];
      await Promise.all(all.map((started) => started.stop()));
      for (const started of all) release(started);
    },
  };

  function endOrphansOnce(): void {
    if (orphans === undefined) return;
    clearTimeout(orphans);
    orphans = undefined;
    endOrphans();
  }
}

/** Processes left by agents that were killed are ended so many milliseconds after the start, or when it closes. */
const orphansDelay = 1000;

/** How a command ended. */
interface CommandEnd {
  /** As in shells: 128 plus the signal number if a signal ended it. */
  readonly exit: number;
  /** Why it could not be started. */
  readonly failure?: string;
}

/** A command that was started. */
interface StartedCommand {
  /** Resolves when it has ended and its output was read. */
  readonly ended: Promise<CommandEnd>;
  /** Ends it with everything it has started. */
  stop(): Promise<void>;
  /** The same without waiting. */
  stopNow(): void;
  /** Whether a process it started still runs. */
  isLeft(): boolean;
  /** Sets where its output goes. */
  into(capture: Capture): void;
}

/** Time to wait for the pipes of an ended command, since leftover processes may keep them open. Milliseconds. */
const lastOutputMs = 150;

const shells = /^(?:ba|z|da|k)?sh$/;

/** The user's shell if it is compatible with what models write, otherwise the default shell. */
function shellFor(env: Readonly<Record<string, string | undefined>>): string {
  const own = env.SHELL ?? '';
  if (shells.test(basename(own))) return own;
  // On Windows, the bash that comes with git.
  return process.platform === 'win32' ? 'bash.exe' : '/bin/sh';
}

/** Variables that change how a shell parses a line, so that it would run something else than was approved. */
const unsafeVariables = ['CDPATH', 'SHELLOPTS', 'BASHOPTS', 'POSIXLY_CORRECT', 'GLOBIGNORE', 'IFS', 'PS4'];

/** Starts a command in a shell without input, in its own process group, so that it can be ended as a whole. */
function startCommand({
  command,
  cwd,
  env,
  owner,
  capture,
  wrap = (launch) => launch,
}: {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The owning agent. */
  readonly owner: string;
  readonly capture: Capture;
  /** Wraps it in a sandbox. */
  readonly wrap?: ((launch: Launch) => Launch) | undefined;
}): StartedCommand {
  const mark: Mark = { owner, id: randomBytes(9).toString('hex') };
  let target = capture;
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !unsafeVariables.includes(name)));
  const options = {
    cwd,
    env: { ...kept, [markName]: markText(mark) },
    windowsHide: true,
    detached: process.platform !== 'win32',
  };
  // A command may begin with a dash.
  const { file, args } = wrap({ file: shellFor(env), args: ['-c', '--', command] });
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const pumps = [child.stdout, child.stderr].map((stream) => pump(stream));
  const stop = async () => {
    if (child.pid !== undefined) await endProcesses({ pid: child.pid, mark });
  };
  return {
    ended: settled({ child, pumps }),
    stop,
    stopNow: () => child.pid !== undefined && endAtOnce({ pid: child.pid, mark }),
    isLeft: () => child.pid !== undefined && isAlive({ pid: child.pid, mark }),
    into(next) {
      target = next;
    },
  };

  /** Characters and escape sequences may be split anywhere, so each pipe is decoded separately. */
  async function pump(stream: Readable): Promise<void> {
    const decoder = new StringDecoder('utf8');
    const plainly = createPlainStream();
    try {
      for await (const chunk of stream) await target.take(plainly.push(decoder.write(chunk)));
    } catch {
      // The pipe was closed on purpose.
    }
    await target.take(`${plainly.push(decoder.end())}${plainly.end()}`);
  }
}

async function settled({
  child,
  pumps,
}: {
  readonly child: ChildProcess;
  readonly pumps: readonly Promise<void>[];
}): Promise<CommandEnd> {
  const how = await new Promise<CommandEnd>((resolve) => {
    child.once('exit', (code, signal) => resolve({ exit: code ?? 128 + (signal ? constants.signals[signal] : 0) }));
    child.once('error', (error) => resolve({ exit: 127, failure: error.message }));
  });
  const all = Promise.all(pumps);
  if ((await withTimeout({ work: () => all, timeout: lastOutputMs, keepAlive: true })) === timedOut) {
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  }
  await all;
  return how;
}

/** The captured part of an output. */
interface Captured {
  /** All of it, or its head and tail with a note in between. */
  readonly text: string;
  readonly chars: number;
  /** File with the complete output. */
  readonly file?: string;
}

/** Captures output with bounded memory. */
interface Capture {
  /** Resolves when there is room for more. */
  take(text: string): Promise<void>;
  end(): Promise<Captured>;
}

const headChars = 8_000;
const tailChars = 22_000;

/** Limit per output; the rest is counted and discarded. */
const largestFile = 32 * 1024 * 1024;

/**
 * Keeps head and tail of an output in memory, and all of it in a file once it is too long to return. The model gets the
 * path of the file, not a handle: large outputs do not belong in the log, which holds the truncated text.
 */
function createCapture({
  file: path,
  onText,
}: {
  /** Created only if needed. */
  readonly file: string;
  readonly onText?: ((text: string) => void) | undefined;
}): Capture {
  let [head, tail, chars, lines, written] = ['', '', 0, 0, 0];
  let file: FileHandle | undefined;
  let isFull = false;
  // Two pipes must not interleave their chunks.
  let line: Promise<unknown> = Promise.resolve();
  return {
    async take(text) {
      if (text === '') return;
      onText?.(text);
      const done = line.then(() => keep(text));
      line = done;
      await done;
    },
    async end() {
      await line;
      await file?.close().catch(() => undefined);
      const isWhole = chars <= headChars + tailChars;
      return {
        text: isWhole ? head + tail : shortened(),
        chars,
        ...(file && { file: path }),
      };
    },
  };

  async function keep(text: string): Promise<void> {
    chars += text.length;
    const room = headChars - head.length;
    const all = head + tail + text;
    head += text.slice(0, Math.max(0, room));
    tail += text.slice(Math.max(0, room));
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
    if (chars > headChars + tailChars) await spill(file || isFull ? text : all);
    if (tail.length > 2 * tailChars) tail = tail.slice(-tailChars);
  }

  /** A full disk must not end the command. */
  async function spill(text: string): Promise<void> {
    if (isFull) return;
    try {
      if (!file) {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        file = await open(path, 'wx', 0o600);
      }
      const data = Buffer.from(text, 'utf8');
      const rest = data.subarray(0, largestFile - written);
      written += rest.length;
      isFull = written >= largestFile;
      await file.write(rest);
    } catch {
      isFull = true;
    }
  }

  function shortened(): string {
    const end = tail.slice(-tailChars).toWellFormed();
    const start = head.toWellFormed();
    const rest = chars - start.length - end.length;
    const where =
      file === undefined
        ? ''
        : `; ${isFull ? `its first ${largestFile / 1024 / 1024} MB are` : 'all of it is'} in ${path}; use read or grep on it`;
    return `${start}\n[… ${rest} of ${chars} characters in ${lines} lines left out${where} …]\n${end}`;
  }
}
