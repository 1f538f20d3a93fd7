import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/** Fields of `/proc/PID/stat` from the state on: the name before it may contain anything. */
export function processStatus(pid: string | number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/**
 * When a process started, as text that can be compared; together with the pid it identifies a process, since pids are
 * reused. `undefined` if the process is gone or the system does not tell.
 *
 * @example
 * processStart(process.pid); // '8154321' on Linux: ticks since boot
 */
export function processStart(pid: number): string | undefined {
  if (process.platform === 'linux') {
    const [state, ...fields] = processStatus(pid);
    return state === 'Z' || state === 'X' ? undefined : fields[18];
  }
  if (process.platform === 'win32') return undefined;
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: [...stdio] });
    return text.trim() || undefined;
  } catch {
    return undefined;
  }
}

/** The pid namespace of this process: pids of another one refer to other processes. */
export function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return '0';
  }
}

/** Whether a process with this pid exists. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process of another user exists, although no signal can be sent to it.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
