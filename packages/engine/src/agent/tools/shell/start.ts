import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createPlainStream } from '../../plain.ts';
import type { Launch } from '../../sandbox/plan.ts';
import type { Capture } from './capture.ts';
import { endAtOnce, endProcesses, isAlive, type Mark, markName, markText } from './kill-processes.ts';

/** How a command ended. */
export interface Ended {
  /** As shells tell it: 128 and the number of the signal, where one ended it. */
  readonly exit: number;
  /** Why it never began. */
  readonly failure?: string;
}

/** A command that was started. */
export interface Started {
  /** Resolves when it has ended and its output is taken. */
  readonly ended: Promise<Ended>;
  /** Ends it with everything that it has started. */
  stop(): Promise<void>;
  /** The same without waiting. */
  stopNow(): void;
  /** Whether something that it has started still runs. */
  isLeft(): boolean;
  /** Where its output goes from now on. */
  into(capture: Capture): void;
}

/** So long the pipes of a command that has ended are waited for: what it left running may hold them open. Milliseconds. */
const lastWords = 150;

const shells = /^(?:ba|z|da|k)?sh$/;

/** The user's shell where it speaks the language that models write, and otherwise the one that every system has. */
function shellFor(env: Readonly<Record<string, string | undefined>>): string {
  const own = env.SHELL ?? '';
  if (shells.test(basename(own))) return own;
  // On Windows that is the one that comes with git.
  return process.platform === 'win32' ? 'bash.exe' : '/bin/sh';
}

/** Variables that change how a shell reads a line, so that it would do something else than was decided about. */
const misleading = ['CDPATH', 'SHELLOPTS', 'BASHOPTS', 'POSIXLY_CORRECT', 'GLOBIGNORE', 'IFS', 'PS4'];

/** Starts a command in a shell without input, in a group of its own, so that it can be ended as a whole. */
export function startCommand({
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
  /** The agent that it belongs to. */
  readonly owner: string;
  readonly capture: Capture;
  /** Puts it into a sandbox. */
  readonly wrap?: ((launch: Launch) => Launch) | undefined;
}): Started {
  const mark: Mark = { owner, id: randomBytes(9).toString('hex') };
  let target = capture;
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !misleading.includes(name)));
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

  /** Characters and escape sequences may be cut anywhere, so each pipe is put together by itself. */
  async function pump(stream: Readable): Promise<void> {
    const decoder = new StringDecoder('utf8');
    const plainly = createPlainStream();
    try {
      for await (const chunk of stream) await target.take(plainly.push(decoder.write(chunk)));
    } catch {
      // The pipe was closed because nobody waits for it.
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
}): Promise<Ended> {
  const how = await new Promise<Ended>((resolve) => {
    child.once('exit', (code, signal) => resolve({ exit: code ?? 128 + (signal ? constants.signals[signal] : 0) }));
    child.once('error', (error) => resolve({ exit: 127, failure: error.message }));
  });
  const all = Promise.all(pumps);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), lastWords);
  });
  if ((await Promise.race([all, late])) === 'late') {
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  }
  clearTimeout(timer);
  await all;
  return how;
}
