import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { timedOut, withTimeout } from '../../../time.ts';

/** A command to run, with its input. */
export interface CommandRequest {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** How a command ended. */
export interface CommandExit {
  /** The exit code; `null` where a signal ended it or it never began. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly isLate: boolean;
  /** It said more than is taken. */
  readonly isCut: boolean;
  /** Why it never began. */
  readonly failure?: string;
  readonly ms: number;
}

export type RunCommand = (request: CommandRequest) => Promise<CommandExit>;

/** Bytes kept of each stream. The rest is read and discarded, so that the command does not block on a full pipe. */
const mostOutput = 65_536;

/** So long the pipes of a command that has ended are waited for: what it left running may hold them open. Milliseconds. */
const lastWords = 100;

/**
 * Runs a command in the user's shell. Never throws. On timeout or abort it is killed with all processes it has started.
 *
 * @example
 * const { code, stdout } = await runCommand({ command: 'cat', cwd: '/repo', env: {}, input: '{}', timeout: 10_000 });
 */
export const runCommand: RunCommand = async ({ command, cwd, env, input, timeout, signal }) => {
  const started = performance.now();
  const child = spawn(command, {
    shell: true,
    cwd,
    env: { ...env },
    stdio: 'pipe',
    windowsHide: true,
    // A group of its own, so that it can be ended with all that it has started.
    detached: process.platform !== 'win32',
  });
  const [stdout, stderr] = [gather(child.stdout), gather(child.stderr)];
  child.stdin.on('error', () => {
    // It does not want to know.
  });
  child.stdin.end(input);
  const exit = settled(child);
  const first = await withTimeout({ work: () => exit, timeout, signal, keepAlive: true }).catch(() => aborted);
  if (first === timedOut || first === aborted) end(child);
  const how = await exit;
  const isCut = stdout.isCut() || stderr.isCut();
  const isLate = first === timedOut;
  return { ...how, stdout: stdout.text(), stderr: stderr.text(), isLate, isCut, ms: since(started) };
};

const aborted = Symbol('aborted');

async function settled(child: ChildProcess): Promise<Pick<CommandExit, 'code' | 'failure'>> {
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const how = await new Promise<Pick<CommandExit, 'code' | 'failure'>>((resolve) => {
    child.once('exit', (code) => resolve({ code }));
    child.once('error', (error) => resolve({ code: null, failure: error.message }));
  });
  await withTimeout({ work: () => closed, timeout: lastWords, keepAlive: true });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  return how;
}

function end(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  try {
    if (process.platform === 'win32') spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
    else process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

function gather(stream: Readable): { readonly text: () => string; readonly isCut: () => boolean } {
  const chunks: Buffer[] = [];
  let [kept, isCut] = [0, false];
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => {
    const room = mostOutput - kept;
    if (chunk.length > room) isCut = true;
    if (room <= 0) return;
    chunks.push(chunk.subarray(0, room));
    kept += Math.min(room, chunk.length);
  });
  return { text: () => Buffer.concat(chunks).toString('utf8'), isCut: () => isCut };
}

function since(started: number): number {
  return Math.round(performance.now() - started);
}
