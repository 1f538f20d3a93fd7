import { execFile } from 'node:child_process';
import { mkdir, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { LonghaulError } from 'longhaul';
import { count } from '../text/count.ts';

/** A git worktree for the work of one sub-agent. */
export interface Worktree {
  /** The folder in it that corresponds to the working folder. */
  readonly cwd: string;
  /** Removes it if nothing was changed; otherwise it stays, and the text says where. */
  readonly finish: () => Promise<string>;
}

/**
 * Creates a git worktree on a new branch, from the last commit. Hooks and file system monitors of the repository are not
 * run.
 *
 * @throws LonghaulError `no-worktree` if there is no repository or no commit
 * @example
 * const worktree = await openWorktree({ cwd: '/repo', dir: '/store/worktrees', name: '4ce81e79' });
 */
export async function openWorktree({
  cwd,
  dir,
  name,
}: {
  readonly cwd: string;
  /** The folder in which worktrees are created. */
  readonly dir: string;
  /** Unique; part of the path and of the branch. */
  readonly name: string;
}): Promise<Worktree> {
  const git = gitIn(cwd);
  const branch = `longhaul/${name}`;
  try {
    const top = (await git('rev-parse', '--show-toplevel')).trim();
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const path = join(await realpath(dir), name);
    const start = (await git('rev-parse', 'HEAD')).trim();
    await git('worktree', 'add', '--quiet', '-b', branch, path, start);
    const own = gitIn(path);
    return {
      cwd: join(path, relative(top, await realpath(cwd))),
      async finish() {
        const changed = lines(await own('status', '--porcelain')).length;
        const commits = lines(await own('rev-list', `${start}..${branch}`)).length;
        if (changed === 0 && commits === 0) {
          await git('worktree', 'remove', '--force', path);
          await git('branch', '--quiet', '-D', branch);
          return 'It worked in a worktree, changed nothing there, and the worktree was removed.';
        }
        const what = [
          ...(commits > 0 ? [count({ amount: commits, of: 'commit' })] : []),
          ...(changed > 0 ? [`${count({ amount: changed, of: 'file' })} not committed`] : []),
        ];
        return `Its work is in the worktree ${path}, branch ${branch}: ${what.join(', ')}. Nothing was merged. To remove it: git worktree remove --force ${path} && git branch -D ${branch}`;
      },
    };
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    throw new LonghaulError({
      code: 'no-worktree',
      message: `A worktree could not be created: ${stderr.split('\n', 1)[0] ?? ''}.`,
      hint: 'Worktrees need a git repository with at least one commit. Work without one.',
      cause: error,
    });
  }
}

function gitIn(cwd: string): (...args: string[]) => Promise<string> {
  const safe = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' };
  return async (...args) =>
    (await promisify(execFile)('git', [...safe, ...args], { cwd, env, timeout: 120_000, maxBuffer: 16_000_000 }))
      .stdout;
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
