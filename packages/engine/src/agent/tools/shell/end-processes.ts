import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** The variable that marks everything a command starts, also what left its group. */
export const markName = 'LONGHAUL_COMMAND';

/** So long a process has to put things in order. Milliseconds. */
const grace = 400;
const pause = 20;

/**
 * Ends a command with all that it has started: its group, and on Linux also what left the group, which still carries the
 * mark in its environment. First kindly, then not.
 */
export async function endProcesses({ pid, mark }: { readonly pid: number; readonly mark: string }): Promise<void> {
  if (process.platform === 'win32') {
    await new Promise((resolve) =>
      spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' }).once('close', resolve),
    );
    return;
  }
  signal({ pid: -pid, name: 'SIGTERM' });
  for (const stray of await marked(mark)) signal({ pid: stray, name: 'SIGTERM' });
  for (let waited = 0; waited < grace && isGroupAlive(pid); waited += pause) await later(pause);
  // What is being started while it is ended is found in the next round.
  for (let round = 0; round < 50; round += 1) {
    signal({ pid: -pid, name: 'SIGKILL' });
    const strays = await marked(mark);
    for (const stray of strays) signal({ pid: stray, name: 'SIGKILL' });
    if (strays.length === 0) return;
    await later(pause);
  }
}

/** Ends the group of a command at once: where the process itself ends, nothing can be waited for. */
export function endAtOnce(pid: number): void {
  if (process.platform !== 'win32') signal({ pid: -pid, name: 'SIGKILL' });
}

/** Whether anything of a command's group is left. What has ended and was not fetched by anybody is not. */
export function isGroupAlive(pid: number): boolean {
  if (process.platform === 'win32' || !signal({ pid: -pid, name: 0 })) return false;
  if (process.platform !== 'linux') return true;
  return processes().some((name) => {
    const [state, , group] = statusOf(name);
    return group === String(pid) && state !== 'Z' && state !== 'X';
  });
}

function processes(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** State, parent and group: they stand behind the name, in which anything may stand. */
function statusOf(name: string): string[] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ', 3);
  } catch {
    return [];
  }
}

function signal({ pid, name }: { readonly pid: number; readonly name: NodeJS.Signals | 0 }): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

async function marked(mark: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const found = await Promise.all(
    processes().map(async (name) => {
      const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
      return environment.includes(`${markName}=${mark}`) ? Number(name) : 0;
    }),
  );
  return found.filter((pid) => pid > 0 && pid !== process.pid);
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
