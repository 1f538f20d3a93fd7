import { dirname, resolve } from 'node:path';
import { globPattern } from '../glob.ts';
import { isSecretFile, secretGlobs } from '../permissions/secret-files.ts';
import { plain } from '../plain.ts';
import type { Tool } from '../tool.ts';
import { lookAt } from '../workspace/open.ts';
import { notAFile } from '../workspace/problems.ts';
import type { Place } from '../workspace/workspace.ts';
import { defineTool, told } from './define.ts';
import { runRipgrep, type SearchInput } from './ripgrep.ts';

const usualLimit = 200;
const mostChars = 40_000;
const longestLine = 400;

interface Wanted {
  readonly place: Place;
  readonly pattern: string;
  readonly glob: string | undefined;
  readonly options: readonly string[];
  readonly limit: number;
}

/** Searches in files. */
export function grepTool({ workspace, ripgrep, isDenied }: SearchInput): Tool {
  return defineTool<Wanted>({
    name: 'grep',
    description: `Searches files for a regular expression, in Rust's syntax. Gives path:line:text, ${usualLimit} lines at most. What .gitignore names is left out, and so are files with secrets.`,
    properties: {
      pattern: { type: 'string', description: 'What to search for.' },
      path: { type: 'string', description: 'A file or folder to search in; the workspace where it is left out.' },
      glob: { type: 'string', description: 'Only files whose name or path fits, such as *.ts or src/**/*.md.' },
      ignore_case: { type: 'boolean' },
      literal: { type: 'boolean', description: 'The pattern is a text, not an expression.' },
      context: { type: 'integer', minimum: 0, maximum: 20, description: 'Lines around each hit.' },
      limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'How many lines to give.' },
    },
    required: ['pattern'],
    target: async (args) => ({
      place: await workspace.place(args.text('path') ?? '.'),
      pattern: args.needText('pattern'),
      glob: args.text('glob'),
      options: [
        ...(args.flag('ignore_case') ? ['--ignore-case'] : []),
        ...(args.flag('literal') ? ['--fixed-strings'] : []),
        `--context=${args.whole({ name: 'context', least: 0, most: 20 }) ?? 0}`,
      ],
      limit: args.whole({ name: 'limit', most: 1000 }) ?? usualLimit,
    }),
    access: ({ place }) => ({ kind: 'read', paths: [place.path], isOutside: place.isOutside }),
    run: async ({ target, signal }) => {
      const { place, pattern, glob, options, limit } = target;
      const found = await lookAt(place);
      const isFolder = found.isDirectory();
      // ripgrep leaves out pipes and devices that it finds by itself, and waits for one that is named.
      if (!isFolder && !found.isFile()) throw notAFile({ path: place.shown, what: 'a pipe, a device or a socket' });
      const cwd = isFolder ? place.path : dirname(place.path);
      const isWanted = fits(glob);
      const isLeftOut = leftOut({ place, isFolder, isDenied });
      const lines: string[] = [];
      let [chars, isMore] = [0, false];
      await runRipgrep({
        ...{ find: ripgrep, cwd, signal },
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
          if (lines.length >= limit || chars + line.length > mostChars) {
            isMore = true;
            return false;
          }
          lines.push(line);
          chars += line.length + 1;
          return true;
        },
      });
      if (lines.length === 0) return told('Nothing was found.');
      const note = isMore ? `\n[Showing the first ${lines.length} lines; there are more. Narrow the search.]` : '';
      return told(`${lines.join('\n')}${note}`);
    },
  });
}

/**
 * Which files of a search are not shown: those that rules deny, and those with secrets. It is asked about the whole path,
 * since a pattern such as `.config/gh/**` does not match from within `.config`. A file or folder that was itself named,
 * with consent, is searched whole.
 */
export function leftOut(of: {
  readonly place: Place;
  readonly isFolder: boolean;
  readonly isDenied: (path: string) => boolean;
}): (path: string) => boolean {
  const isNamed = !of.isFolder || isSecretFile(of.place.path);
  return (path) => of.isDenied(path) || (!isNamed && isSecretFile(path));
}

/** What a glob leaves. It is applied here, since ripgrep's own globs bring back what .gitignore leaves out. */
export function fits(glob: string | undefined): (path: string) => boolean {
  if (glob === undefined || glob === '') return () => true;
  const bare = glob.replace(/^\.?\//, '');
  const pattern = globPattern({ glob: bare.includes('/') ? bare : `**/${bare}` });
  return (path) => pattern.test(path);
}

/** A path as the model can give it to other tools. */
export function shownPath(of: { readonly place: Place; readonly path: string; readonly isFolder: boolean }): string {
  const { place, path, isFolder } = of;
  if (!isFolder) return place.shown;
  return place.shown === '.' ? path : `${place.shown}/${path}`;
}
