import type { Judge } from '../effects.ts';
import { awk } from './awk.ts';
import { find } from './find.ts';
import { git } from './git.ts';
import { informationCommands } from './informants.ts';
import { readers } from './readers.ts';
import { projectTool, runners } from './runners.ts';
import { sed } from './sed.ts';
import { wrappers } from './wrappers.ts';
import { writers } from './writers.ts';

const table: Readonly<Record<string, Judge>> = {
  ...readers,
  ...informationCommands,
  ...writers,
  ...runners,
  ...wrappers,
  find,
  sed,
  awk,
  gawk: awk,
  mawk: awk,
  git,
};

/** Folders of system programs. */
const systemFolder = /^(?:\/usr(?:\/local)?)?\/s?bin$|^\/opt\/homebrew\/bin$/;

/**
 * The judge of a program by its name; `undefined` if the program is unknown. A path into the workspace is a program of
 * the project.
 */
export function judgeOf(name: string): Judge | undefined {
  const slash = name.lastIndexOf('/');
  if (slash < 0) return Object.hasOwn(table, name) ? table[name] : undefined;
  if (systemFolder.test(name.slice(0, slash))) return judgeOf(name.slice(slash + 1));
  return (args) => {
    const found = projectTool(args);
    return 'unclear' in found ? found : { writes: [name, '.', ...(found.writes ?? [])] };
  };
}
