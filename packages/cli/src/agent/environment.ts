import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { arch, release } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { EngineSession } from 'longhaul/engine';
import type { Message } from 'longhaul/message';
import type { Io } from '../io/io.ts';

const tag = '<environment>';

/** The description of the environment for the model. */
export interface Environment {
  /** For the head: the same text for the whole session. */
  readonly head: string | undefined;
  /** For the next turn, if it has changed since. */
  readonly change: string | undefined;
}

/**
 * Date, system and repository. The head of a session stays the same: a session that has begun keeps what it began with,
 * and changes travel in the turn.
 *
 * @example
 * const { head, change } = await readEnvironment({ io, session });
 */
export async function readEnvironment({
  io,
  session,
}: {
  readonly io: Pick<Io, 'cwd' | 'env' | 'now' | 'platform'>;
  readonly session: EngineSession;
}): Promise<Environment> {
  const now = await environmentText({ io });
  const texts = session.context.items.map(({ message }) => textIn(message));
  if (texts.length === 0) return { head: now, change: undefined };
  const head = session.context.items.map(({ message }) => (message.role === 'system' ? textIn(message) : undefined));
  const known = texts.findLast((text) => text !== undefined);
  return { head: head.find((text) => text !== undefined), change: known === now ? undefined : now };
}

function textIn({ parts }: Message): string | undefined {
  for (const part of parts)
    if (part.type === 'text' && part.origin === 'engine' && part.text.startsWith(tag)) return part.text;
  return undefined;
}

async function environmentText({ io }: { readonly io: Pick<Io, 'cwd' | 'env' | 'now' | 'platform'> }): Promise<string> {
  const lines = [
    `Date: ${new Date(io.now()).toISOString().slice(0, 10)}`,
    `System: ${systems[io.platform] ?? io.platform} ${release()} (${arch()})`,
    ...(await gitLines({ io })),
  ];
  return `${tag}\n${lines.join('\n')}\n</environment>`;
}

const systems: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'macOS',
  linux: 'Linux',
  win32: 'Windows',
};

/** Settings of a repository that make `git status` run commands. Opening a folder must not run anything in it. */
const runsCommands = /\[\s*(?:filter|include|includeif|diff)\b|fsmonitor|hookspath|sshcommand|worktree/i;

async function gitLines({ io }: { readonly io: Pick<Io, 'cwd' | 'env'> }): Promise<string[]> {
  try {
    // Looking for a repository here saves a process in folders without one, and two in others.
    const repository = await findRepository(io.cwd);
    if (!repository) return [];
    if (runsCommands.test(await readFile(join(repository.common, 'config'), 'utf8'))) {
      const [, branch = 'detached HEAD'] =
        /^ref: refs\/heads\/(.+)$/m.exec(await readFile(join(repository.own, 'HEAD'), 'utf8')) ?? [];
      return [`Git: ${branch}`];
    }
    const args = ['-c', 'core.fsmonitor=false', 'status', '--porcelain=v1', '--branch'];
    const { stdout } = await promisify(execFile)('git', args, {
      cwd: io.cwd,
      env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
      timeout: 2_000,
      maxBuffer: 4_000_000,
    });
    const [head = '', ...status] = stdout.split('\n').filter((line) => line !== '');
    const untracked = status.filter((line) => line.startsWith('??')).length;
    const counts = [
      ...(status.length > untracked ? [`${status.length - untracked} changed`] : []),
      ...(untracked > 0 ? [`${untracked} untracked`] : []),
    ];
    return [`Git: ${branchIn(head)}, ${counts.length === 0 ? 'clean' : counts.join(', ')}`];
  } catch {
    // Not a repository, no git, or a repository that is too large to look at.
    return [];
  }
}

/** The branch in the first line of a status, e.g. `## main...origin/main [ahead 1]`. */
function branchIn(line: string): string {
  if (line.startsWith('## No commits yet')) return 'without commits';
  if (line.startsWith('## HEAD (no branch)')) return 'detached HEAD';
  return line.slice(3).split(/\.\.\.| /, 1)[0] ?? '';
}

/** The folder of a repository, and the one that its worktrees share. */
async function findRepository(folder: string): Promise<{ readonly own: string; readonly common: string } | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const git = join(at, '.git');
    const facts = await stat(git).catch(() => undefined);
    if (facts?.isDirectory()) return { own: git, common: git };
    if (facts?.isFile()) {
      const [, named = ''] = /^gitdir: (.+)$/m.exec(await readFile(git, 'utf8')) ?? [];
      const own = resolve(at, named);
      const shared = await readFile(join(own, 'commondir'), 'utf8').catch(() => '.');
      return { own, common: resolve(own, shared.trim()) };
    }
    if (dirname(at) === at) return undefined;
  }
}
