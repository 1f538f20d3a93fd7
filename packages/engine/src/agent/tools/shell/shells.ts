import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { type Captured, createCapture } from './capture.ts';
import { endOrphans, ownerName } from './kill-processes.ts';
import { type Ended, type Started, startCommand } from './start.ts';

/** A command in the background. */
export interface Shell {
  readonly id: string;
  readonly command: string;
  readonly ended: Promise<Ended>;
  /** How it ended, once it has. */
  outcome(): Ended | undefined;
  /** What it has printed since this was last asked. */
  fresh(): Promise<Captured>;
  stop(): Promise<void>;
}

/** Milliseconds. */
const settling = 30;

/** All commands of an agent: those that run in the background, and what others left running. */
export interface Shells {
  run(of: RunInput): Promise<Run>;
  background(of: Pick<RunInput, 'command' | 'cwd' | 'isOutside'>): Shell;
  find(id: string): Shell | undefined;
  close(): Promise<void>;
}

interface RunInput {
  readonly command: string;
  readonly cwd: string;
  /** Whether to run it without the sandbox. */
  readonly isOutside: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onText?: ((text: string) => void) | undefined;
}

export interface Run extends Ended {
  readonly output: Captured;
  /** Why it was ended before its time. */
  readonly stopped?: 'timeout' | 'abort';
  /** Whether it left processes running, which were ended. */
  readonly isLeft: boolean;
}

/**
 * The commands of one agent. What a command has started ends with it; commands in the background end with the agent.
 * What an agent that was killed left running ends when the next one starts.
 *
 * @example
 * const shells = createShells({ env: { PATH: '/bin' }, scratch: '/tmp/scratch', sandbox: undefined });
 */
export function createShells({
  env,
  scratch,
  sandbox,
}: {
  readonly env: Readonly<Record<string, string>>;
  /** Where outputs go that are too long to be told. */
  readonly scratch: string;
  /** Where commands run, unless they are to run outside. */
  readonly sandbox: Sandbox | undefined;
}): Shells {
  const owner = ownerName();
  endOrphans();
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
  const left = new Set<Started>();
  // The folder may be one of an earlier run.
  const run = randomBytes(3).toString('hex');
  let files = 0;
  // Commands must end also if the process exits without closing the tools.
  const onExit = () => {
    for (const started of left) started.stopNow();
  };
  const hold = (started: Started) => {
    if (left.size === 0) process.on('exit', onExit);
    left.add(started);
  };
  const release = (started: Started) => {
    left.delete(started);
    if (left.size === 0) process.off('exit', onExit);
  };
  const nextFile = () => join(scratch, `output-${run}-${++files}.txt`);
  return {
    async run({ command, cwd, isOutside, timeoutMs, signal, onText }) {
      const capture = createCapture({ file: nextFile(), onText });
      const started = startCommand({ command, cwd, env, owner, capture, wrap: wrapIn(cwd, isOutside) });
      hold(started);
      let stopped: Run['stopped'];
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
        // The members of a pipe may end a moment after the last one.
        if (started.isLeft()) await later(settling);
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
      let capture = createCapture({ file: nextFile() });
      const started = startCommand({ command, cwd, env, owner, capture, wrap: wrapIn(cwd, isOutside) });
      let outcome: Ended | undefined;
      const ended = started.ended.then((how) => {
        outcome = how;
        if (!started.isLeft()) release(started);
        return how;
      });
      hold(started);
      const id = `b${known.size + 1}`;
      const shell: Shell = {
        ...{ id, command, ended, stop: () => started.stop(), outcome: () => outcome },
        async fresh() {
          const before = capture;
          capture = createCapture({ file: nextFile() });
          started.into(capture);
          return await before.end();
        },
      };
      known.set(id, shell);
      return shell;
    },
    find: (id) => known.get(id),
    async close() {
      const all = [...left];
      await Promise.all(all.map((started) => started.stop()));
      for (const started of all) release(started);
    },
  };
}
