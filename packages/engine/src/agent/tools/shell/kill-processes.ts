import { spawn } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pidNamespace, processStart, processStatus } from '../../../process-identity.ts';
import { systemClock } from '../../../time.ts';

/** Variable that marks every process a command starts, including those that leave its process group. */
export const markName = 'LONGHAUL_COMMAND';

/** Time for a process to shut down. Milliseconds. */
const grace = 400;
const pause = 20;

/** Origin of a process: the agent that owns it and the command it belongs to. */
export interface Mark {
  readonly owner: string;
  readonly id: string;
}

/** The value of the marking variable. */
export function markText({ owner, id }: Mark): string {
  return `${owner}.${id}`;
}

/**
 * Identifies this process so that a later one can tell whether it still runs: namespace, pid and start time, since pids
 * are reused.
 */
export function ownerName(): string {
  return process.platform === 'linux' ? `${pidNamespace()}-${process.pid}-${processStart(process.pid) ?? 0}` : '0-0-0';
}

/**
 * Ends a command and everything it started: its process group, and on Linux also processes that left the group but
 * carry the mark in their environment. SIGTERM first, then SIGKILL.
 */
export async function endProcesses({ pid, mark }: { readonly pid: number; readonly mark: Mark }): Promise<void> {
  if (process.platform === 'win32') {
    await new Promise((resolve) =>
      spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' }).once('close', resolve),
    );
    return;
  }
  signal({ pid: -pid, name: 'SIGTERM' });
  for (const stray of marked(mark)) signal({ pid: stray, name: 'SIGTERM' });
  for (let waited = 0; waited < grace && isAlive({ pid, mark }); waited += pause) await systemClock.sleep(pause);
  // Processes started meanwhile are found in the next round.
  for (let round = 0; round < 50; round += 1) {
    signal({ pid: -pid, name: 'SIGKILL' });
    const strays = marked(mark);
    for (const stray of strays) signal({ pid: stray, name: 'SIGKILL' });
    if (strays.length === 0) return;
    await systemClock.sleep(pause);
  }
}

/** Ends a command immediately, for process exit, when nothing can be awaited. */
export function endAtOnce({ pid, mark }: { readonly pid: number; readonly mark: Mark }): void {
  if (process.platform === 'win32') return;
  signal({ pid: -pid, name: 'SIGKILL' });
  for (const stray of marked(mark)) signal({ pid: stray, name: 'SIGKILL' });
}

/** Whether any process of a command is left. Zombies do not count. */
export function isAlive({ pid, mark }: { readonly pid: number; readonly mark: Mark }): boolean {
  if (process.platform === 'win32') return false;
  if (process.platform !== 'linux') return signal({ pid: -pid, name: 0 });
  return processes().some((name) => {
    const [state, , group] = processStatus(name);
    if (state === undefined || state === 'Z' || state === 'X') return false;
    return group === String(pid) || markOf(name) === markText(mark);
  });
}

/**
 * Removes the scratch folders of agents that were killed: those whose name has a process of this system that no longer
 * runs. Folders of running agents, of other users and without a name are not touched.
 */
export function removeOrphanedFolders({ dir }: { readonly dir: string }): void {
  if (process.platform !== 'linux') return;
  const own = pidNamespace();
  for (const name of namesIn(dir)) {
    const [, space, pid = '', start] = /^longhaul-(\d+)-(\d+)-(\d+)-\w{6}$/.exec(name) ?? [];
    if (space !== own || processStart(Number(pid)) === start) continue;
    try {
      const path = join(dir, name);
      const facts = lstatSync(path);
      if (facts.isDirectory() && facts.uid === process.getuid?.()) rmSync(path, { recursive: true, force: true });
    } catch {
      // Another agent was faster, or the folder is in use.
    }
  }
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

/** Ends processes left by agents that were killed. Processes of running agents are not touched. */
export function endOrphans(): number {
  if (process.platform !== 'linux') return 0;
  const own = pidNamespace();
  const orphans = processes().filter((name) => {
    const [, space, pid = '', start] = /^(\d+)-(\d+)-(\d+)\.\w+$/.exec(markOf(name) ?? '') ?? [];
    // Pids of another namespace refer to other processes.
    return space !== undefined && space === own && processStart(Number(pid)) !== start;
  });
  return orphans.filter((name) => signal({ pid: Number(name), name: 'SIGKILL' })).length;
}

function processes(): string[] {
  return namesIn('/proc').filter((name) => /^\d+$/.test(name));
}

function markOf(name: string): string | undefined {
  try {
    const environment = readFileSync(`/proc/${name}/environ`, 'latin1');
    const at = `\0${environment}`.indexOf(`\0${markName}=`);
    return at < 0 ? undefined : environment.slice(at + markName.length + 1).split('\0', 1)[0];
  } catch {
    return undefined;
  }
}

function marked(mark: Mark): number[] {
  if (process.platform !== 'linux') return [];
  return processes()
    .filter((name) => Number(name) !== process.pid && markOf(name) === markText(mark))
    .map(Number);
}

function signal({ pid, name }: { readonly pid: number; readonly name: NodeJS.Signals | 0 }): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
