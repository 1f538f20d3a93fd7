import { spawn } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { LonghaulError } from '../../errors.ts';
import { globPattern } from '../glob.ts';
import { isSecretFile, secretGlobs } from '../permissions/secret-files.ts';
import { plain } from '../plain-text.ts';
import type { Tool } from '../tool.ts';
import { notAFile } from '../workspace/errors.ts';
import { statRealPath } from '../workspace/open.ts';
import type { Workspace, WorkspacePath } from '../workspace/workspace.ts';
import { defineTool, toolText } from './define.ts';

const defaultGrepLimit = 200;
const maxChars = 40_000;
const longestLine = 400;

interface GrepTarget {
  readonly place: WorkspacePath;
  readonly pattern: string;
  readonly glob: string | undefined;
  readonly options: readonly string[];
  readonly limit: number;
}

/** Searches in files. */
export function grepTool({ workspace, ripgrep, isDenied }: SearchToolInput): Tool {
  return defineTool<GrepTarget>({
    name: 'grep',
    description: `Searches files for a regular expression (Rust syntax). Returns path:line:text, at most ${defaultGrepLimit} lines. Files ignored by .gitignore and files with secrets are skipped.`,
    properties: {
      pattern: { type: 'string', description: 'The pattern to search for.' },
      path: { type: 'string', description: 'File or folder to search; default: the workspace.' },
      glob: { type: 'string', description: 'Only files whose name or path matches, such as *.ts or src/**/*.md.' },
      ignore_case: { type: 'boolean' },
      literal: { type: 'boolean', description: 'Treat the pattern as literal text.' },
      context: { type: 'integer', minimum: 0, maximum: 20, description: 'Lines of context around each match.' },
      limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'Maximum number of lines.' },
    },
    required: ['pattern'],
    target: async (args) => ({
      place: await workspace.resolve(args.text('path') ?? '.'),
      pattern: args.needText('pattern'),
      glob: args.text('glob'),
      options: [
        ...(args.flag('ignore_case') ? ['--ignore-case'] : []),
        ...(args.flag('literal') ? ['--fixed-strings'] : []),
        `--context=${args.whole({ name: 'context', least: 0, most: 20 }) ?? 0}`,
      ],
      limit: args.whole({ name: 'limit', most: 1000 }) ?? defaultGrepLimit,
    }),
    access: ({ place }) => ({ kind: 'read', paths: [place.path], isOutside: place.isOutside }),
    run: async ({ target, signal }) => {
      const { place, pattern, glob, options, limit } = target;
      const found = await statRealPath(place);
      const isFolder = found.isDirectory();
      // ripgrep skips pipes and devices it finds itself, but blocks on one that is named.
      if (!isFolder && !found.isFile()) throw notAFile({ path: place.shown, what: 'a pipe, a device or a socket' });
      const cwd = isFolder ? place.path : dirname(place.path);
      const isWanted = globFilter(glob);
      const isLeftOut = omittedNote({ place, isFolder, isDenied });
      const lines: string[] = [];
      let [chars, isMore] = [0, false];
      await runRipgrep({
        find: ripgrep,
        cwd,
        signal,
        args: [
          ...['--line-number', '--no-heading', '--with-filename', '--null', '--no-context-separator'],
          ...[`--max-columns=${longestLine}`, '--max-columns-preview', ...options],
          ...(isFolder && !isSecretFile(place.path) ? secretGlobs.map((secret) => `--iglob=!${secret}`) : []),
          ...[`--regexp=${pattern}`, '--', isFolder ? '.' : place.path],
        ],
        take(raw) {
          const [file = '', rest = ''] = raw.split('\0', 2);
          const path = file.replace(/^\.\//, '');
          if (!isWanted(path) || isLeftOut(resolve(cwd, path))) return true;
          const line = plain(`${shownPath({ place, path, isFolder })}:${rest}`).slice(0, longestLine + 300);
          if (lines.length >= limit || chars + line.length > maxChars) {
            isMore = true;
            return false;
          }
          lines.push(line);
          chars += line.length + 1;
          return true;
        },
      });
      if (lines.length === 0) return toolText('No matches.');
      const note = isMore ? `\n[Showing the first ${lines.length} lines; there are more. Narrow the search.]` : '';
      return toolText(`${lines.join('\n')}${note}`);
    },
  });
}

/**
 * Files that a search skips: those that rules deny, and those with secrets. Tested with the full path, since a pattern
 * such as `.config/gh/**` does not match from within `.config`. A file or folder that was named and approved is
 * searched completely.
 */
function omittedNote(of: {
  readonly place: WorkspacePath;
  readonly isFolder: boolean;
  readonly isDenied: (path: string) => boolean;
}): (path: string) => boolean {
  const isNamed = !of.isFolder || isSecretFile(of.place.path);
  return (path) => of.isDenied(path) || (!isNamed && isSecretFile(path));
}

/** Filters by a glob. Applied here because ripgrep's own globs override .gitignore. */
function globFilter(glob: string | undefined): (path: string) => boolean {
  if (glob === undefined || glob === '') return () => true;
  const bare = glob.replace(/^\.?\//, '');
  const pattern = globPattern({ glob: bare.includes('/') ? bare : `**/${bare}` });
  return (path) => pattern.test(path);
}

/** A path as other tools accept it. */
function shownPath(of: { readonly place: WorkspacePath; readonly path: string; readonly isFolder: boolean }): string {
  const { place, path, isFolder } = of;
  if (!isFolder) return place.shown;
  return place.shown === '.' ? path : `${place.shown}/${path}`;
}

/** Returns the path of ripgrep. Resolved when needed, since the package is optional. */
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

/** Input of the search tools. */
export interface SearchToolInput {
  readonly workspace: Workspace;
  readonly ripgrep: FindRipgrep;
  /** Files that are denied although their folder is allowed. */
  readonly isDenied: (path: string) => boolean;
}

/** The user's configuration is not read; files ignored by git and git's own files are skipped. */
const commonOptions = [
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
 * Runs ripgrep until `take` has enough lines; never holds more than one line. Arguments of the model follow `=` or
 * `--`, so they cannot be options.
 */
async function runRipgrep({
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
  /** Returns whether more lines are wanted. */
  readonly take: (line: string) => boolean;
}): Promise<void> {
  const child = spawn(await find(), [...commonOptions, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {},
    signal,
  });
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
    const message = `The search failed: ${plain(complaint).trim()}`;
    throw new LonghaulError({ code: 'search-refused', message, hint: 'Correct the pattern, or set literal.' });
  }
}

const defaultFindLimit = 500;

/** Finds files by their names. */
export function findTool({ workspace, ripgrep, isDenied }: SearchToolInput): Tool {
  return defineTool<{ readonly place: WorkspacePath; readonly pattern: string; readonly limit: number }>({
    name: 'find',
    description: `Finds files by name, such as *.ts or src/**/test-*.md. Returns at most ${defaultFindLimit} paths, sorted. Files ignored by .gitignore and files with secrets are skipped.`,
    properties: {
      pattern: { type: 'string', description: 'A glob: * within a folder, ** across folders, ?, {a,b}, [a-z].' },
      path: { type: 'string', description: 'The folder to search; default: the workspace.' },
      limit: { type: 'integer', minimum: 1, maximum: 5000, description: 'Maximum number of paths.' },
    },
    required: ['pattern'],
    target: async (args) => ({
      place: await workspace.resolve(args.text('path') ?? '.'),
      pattern: args.needText('pattern'),
      limit: args.whole({ name: 'limit', most: 5000 }) ?? defaultFindLimit,
    }),
    access: ({ place }) => ({ kind: 'read', paths: [place.path], isOutside: place.isOutside }),
    run: async ({ target: { place, pattern, limit }, signal }) => {
      if (!(await statRealPath(place)).isDirectory()) {
        throw new LonghaulError({
          code: 'no-folder',
          message: `${place.shown} is not a folder.`,
          hint: 'Give a folder.',
        });
      }
      const isWanted = globFilter(pattern);
      const isLeftOut = omittedNote({ place, isFolder: true, isDenied });
      const paths: string[] = [];
      let isMore = false;
      await runRipgrep({
        find: ripgrep,
        cwd: place.path,
        signal,
        args: ['--files'],
        take(path) {
          if (!isWanted(path) || isLeftOut(join(place.path, path))) return true;
          isMore = paths.length >= limit;
          if (!isMore) paths.push(plain(shownPath({ place, path, isFolder: true })).slice(0, 1000));
          return !isMore;
        },
      });
      if (paths.length === 0) return toolText('No matches.');
      const note = isMore ? `\n[Showing the first ${limit} paths; there are more. Narrow the pattern.]` : '';
      return toolText(`${paths.join('\n')}${note}`);
    },
  });
}
