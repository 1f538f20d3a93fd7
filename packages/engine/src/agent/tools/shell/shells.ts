import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Captured, createCapture } from './capture.ts';
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

/** All commands of an agent: those that run in the background, and what others left running. */
export interface Shells {
  run(of: RunInput): Promise<Run>;
  background(of: Pick<RunInput, 'command' | 'cwd'>): Shell;
  find(id: string): Shell | undefined;
  close(): Promise<void>;
}

interface RunInput {
  readonly command: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onText?: ((text: string) => void) | undefined;
}

export interface Run extends Ended {
  readonly output: Captured;
  /** Why it was ended before its time. */
  readonly stopped?: 'timeout' | 'abort';
  /** Something of it runs on. */
  readonly isLeft: boolean;
}

/**
 * The commands of one agent. Everything that is still running ends with it.
 *
 * @example
 * const shells = createShells({ env: { PATH: '/bin' }, scratch: '/tmp/scratch' });
 */
export function createShells({
  env,
  scratch,
}: {
  readonly env: Readonly<Record<string, string>>;
  /** Where outputs go that are too long to be told. */
  readonly scratch: string;
}): Shells {
  const known = new Map<string, Shell>();
  const left = new Set<Started>();
  // The folder may be one of an earlier run.
  const run = randomBytes(3).toString('hex');
  let files = 0;
  // Whoever ends the process without closing the tools must not leave commands behind.
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
    async run({ command, cwd, timeoutMs, signal, onText }) {
      const capture = createCapture({ file: nextFile(), onText });
      const started = startCommand({ command, cwd, env, capture });
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
        if (stopped) await started.stop();
        const isLeft = !stopped && started.isLeft();
        if (!isLeft) release(started);
        return { ...how, output: await capture.end(), isLeft, ...(stopped && { stopped }) };
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      }
    },
    background({ command, cwd }) {
      let capture = createCapture({ file: nextFile() });
      const started = startCommand({ command, cwd, env, capture });
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
