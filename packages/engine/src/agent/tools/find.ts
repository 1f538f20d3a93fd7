import { join } from 'node:path';
import { LonghaulError } from '../../errors.ts';
import { plain } from '../plain.ts';
import type { Tool } from '../tool.ts';
import { lookAt } from '../workspace/open.ts';
import type { Place } from '../workspace/workspace.ts';
import { defineTool, told } from './define.ts';
import { fits, leftOut, shownPath } from './grep.ts';
import { runRipgrep, type SearchInput } from './ripgrep.ts';

const usualLimit = 500;

/** Finds files by their names. */
export function findTool({ workspace, ripgrep, isDenied }: SearchInput): Tool {
  return defineTool<{ readonly place: Place; readonly pattern: string; readonly limit: number }>({
    name: 'find',
    description: `Finds files by name, such as *.ts or src/**/test-*.md. Gives ${usualLimit} paths at most, in order. What .gitignore names is left out, and so are files with secrets.`,
    properties: {
      pattern: { type: 'string', description: 'A glob: * within a folder, ** across folders, ?, {a,b}, [a-z].' },
      path: { type: 'string', description: 'The folder to search in; the workspace where it is left out.' },
      limit: { type: 'integer', minimum: 1, maximum: 5000, description: 'How many paths to give.' },
    },
    required: ['pattern'],
    target: async (args) => ({
      place: await workspace.place(args.text('path') ?? '.'),
      pattern: args.needText('pattern'),
      limit: args.whole({ name: 'limit', most: 5000 }) ?? usualLimit,
    }),
    access: ({ place }) => ({ kind: 'read', paths: [place.path], isOutside: place.isOutside }),
    run: async ({ target: { place, pattern, limit }, signal }) => {
      if (!(await lookAt(place)).isDirectory()) {
        throw new LonghaulError({ code: 'no-folder', message: `${place.shown} is no folder.`, hint: 'Give a folder.' });
      }
      const isWanted = fits(pattern);
      const isLeftOut = leftOut({ place, isFolder: true, isDenied });
      const paths: string[] = [];
      let isMore = false;
      await runRipgrep({
        ...{ find: ripgrep, cwd: place.path, signal, args: ['--files'] },
        take(path) {
          if (!isWanted(path) || isLeftOut(join(place.path, path))) return true;
          isMore = paths.length >= limit;
          if (!isMore) paths.push(plain(shownPath({ place, path, isFolder: true })).slice(0, 1000));
          return !isMore;
        },
      });
      if (paths.length === 0) return told('Nothing was found.');
      const note = isMore ? `\n[Showing the first ${limit} paths; there are more. Narrow the pattern.]` : '';
      return told(`${paths.join('\n')}${note}`);
    },
  });
}
