import { advanceFrontier, createFrontier, pathKey, recordedFiles, type SourceItem } from '../../analysis/index.ts';
import type { Entry } from '../../session/index.ts';

/** The files of a branch, those last touched at the end; one that was changed is not among those that were read. */
export interface BranchFiles {
  readonly read: readonly string[];
  readonly changed: readonly string[];
}

/**
 * The files that were read and changed on a branch: by its calls, all of them, also those for which the budget of its
 * summary has no room; and by what compactions and earlier branch summaries on it recorded, ours and pi's. A failed edit
 * changed nothing (sessions.md 6.7, 7.3).
 *
 * @example
 * const { changed } = filesOf({ items, entries: abandoned, root: '/repo' });
 */
export function filesOf({
  items,
  entries,
  root,
}: {
  readonly items: readonly SourceItem[];
  readonly entries: readonly Entry[];
  readonly root: string | undefined;
}): BranchFiles {
  const files = new Map<string, { readonly path: string; readonly isChanged: boolean }>();
  for (const { path, isChanged } of recordedFiles(entries)) note(path, isChanged);
  const frontier = createFrontier(root === undefined ? {} : { root });
  for (const file of advanceFrontier({ frontier, items }).files) note(file.path, file.changed !== undefined);
  const all = [...files.values()];
  return {
    read: all.flatMap(({ path, isChanged }) => (isChanged ? [] : [path])),
    changed: all.flatMap(({ path, isChanged }) => (isChanged ? [path] : [])),
  };

  function note(path: string, isChanged: boolean): void {
    const key = pathKey({ path, root });
    const known = files.get(key);
    files.delete(key);
    files.set(key, { path, isChanged: isChanged || known?.isChanged === true });
  }
}

/**
 * The files that a text does not name already, the newest first, in at most so many tokens. What finds no room is
 * counted.
 *
 * @example
 * filesText({ files, besides: summary.text, budget: 500, count });
 */
export function filesText({
  files,
  besides,
  budget,
  count,
}: {
  readonly files: BranchFiles;
  readonly besides: string;
  readonly budget: number;
  readonly count: (text: string) => number;
}): string {
  const sections = [
    ['Also changed there:', files.changed],
    ['Also read there:', files.read],
  ] as const;
  let room = budget;
  return sections
    .flatMap(([title, paths]) => {
      const missing = paths.filter((path) => !besides.includes(path)).toReversed();
      const section = missing.length === 0 ? '' : sectionOf({ title, paths: missing });
      room -= count(section) + 1;
      return section === '' ? [] : [section];
    })
    .join('\n');

  function sectionOf({ title, paths }: { readonly title: string; readonly paths: readonly string[] }): string {
    const all = [title, ...paths.map((path) => `- ${path}`)];
    if (count(all.join('\n')) <= room) return all.join('\n');
    let left = room - count(`${title}\n… and ${paths.length} more`);
    const end = all.findIndex((line, index) => {
      left -= index === 0 ? 0 : count(`${line}\n`);
      return left < 0;
    });
    return end <= 1 ? '' : [...all.slice(0, end), `… and ${all.length - end} more`].join('\n');
  }
}
