import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { LonghaulError } from '../../errors.ts';
import { plain } from '../plain.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Where the program is. It is asked for when it is needed, since the package is an optional one. */
export type FindRipgrep = () => Promise<string>;

export const installedRipgrep: FindRipgrep = async () => {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return rgPath;
  } catch {
    throw new LonghaulError({
      code: 'no-ripgrep',
      message: 'grep and find need the package @vscode/ripgrep, which is not installed here.',
      hint: 'Use bash with grep -rn or find, or ask the user to run npm install @vscode/ripgrep.',
    });
  }
};

/** What the tools that search are made of. */
export interface SearchInput {
  readonly workspace: Workspace;
  readonly ripgrep: FindRipgrep;
  /** Files that nobody may look at, though the folder may be. */
  readonly isDenied: (path: string) => boolean;
}

/** Settings of the user's own are not read; what git ignores and what git keeps for itself is left out. */
const always = [
  '--no-config',
  '--hidden',
  '--no-require-git',
  '--color=never',
  '--no-messages',
  '--sort=path',
  '--glob=!.git',
];

const longestComplaint = 2000;

/**
 * Runs it line by line until `take` has enough, and never holds more than a line. Arguments that a model wrote go behind
 * `=` or `--`, where nothing is an option.
 */
export async function runRipgrep({
  find,
  args,
  cwd,
  signal,
  take,
}: {
  readonly find: FindRipgrep;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Whether it wants more. */
  readonly take: (line: string) => boolean;
}): Promise<void> {
  const child = spawn(await find(), [...always, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: {}, signal });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', reject);
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('utf8')).slice(0, longestComplaint);
  });
  let wantsMore = true;
  let isAny = false;
  try {
    for await (const line of createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })) {
      isAny = true;
      wantsMore = take(line);
      if (!wantsMore) break;
    }
  } finally {
    child.stdout.destroy();
    if (!wantsMore) child.kill('SIGKILL');
  }
  const code = await ended;
  if (code === 2 && !isAny && complaint !== '') {
    const message = `The search was refused: ${plain(complaint).trim()}`;
    throw new LonghaulError({
      code: 'search-refused',
      message,
      hint: 'Correct the pattern; literal takes it as it is.',
    });
  }
}
