import { join } from 'node:path';
import type { BoardChange, Memory, MemoryEntry, Repository } from 'longhaul/memory';
import type { Invocation } from '../invocation.ts';
import type { Io } from '../io/io.ts';
import { printResult } from '../output/print-result.ts';
import type { Settings } from '../settings/schema.ts';
import { count } from '../text/count.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';
import { when } from '../text/when.ts';

/** The memory of the repository of a folder. */
export interface OpenBoard {
  readonly memory: Memory;
  readonly repository: Repository;
}

/**
 * Opens the memory of the repository that a folder is in, as the settings say: in the store, or in a file of the
 * repository. Entries of branches that were merged since become entries of the repository.
 *
 * @example
 * const { memory, repository } = await openBoard({ io, dir, values, folder: io.cwd });
 */
export async function openBoard({
  io,
  dir,
  values,
  folder,
}: {
  readonly io: Pick<Io, 'openMemory'>;
  /** The folder of the store; without it, what is in a file of the repository is still read. */
  readonly dir: string | undefined;
  readonly values: Pick<Settings, 'memory'>;
  readonly folder: string;
}): Promise<OpenBoard> {
  const { foldBranches, mergedBranches, repositoryOf } = await import('longhaul/memory');
  const repository = repositoryOf({ folder });
  const { inRepo, entries, tokens } = values.memory;
  const memory = await io.openMemory({
    ...(dir !== undefined && { dir }),
    repository: repository.id,
    limits: { entries, tokens },
    ...(inRepo && { file: join(repository.root, '.longhaul', 'memory.md') }),
  });
  const { root, base } = repository;
  if (base !== undefined && memory.list().some(({ branch }) => branch !== undefined)) {
    const merged = await mergedBranches({ root, base });
    const isFolding = memory.list().some(({ branch }) => branch !== undefined && merged.has(branch));
    if (isFolding) memory.change({ work: (state) => foldBranches({ state, merged }) });
  }
  return { memory, repository };
}

type BoardInvocation = Invocation & { readonly options: { readonly dryRun?: true } };

/** Prints entries as a table. */
export async function printEntries(of: {
  readonly invocation: BoardInvocation;
  readonly entries: readonly MemoryEntry[];
  readonly empty: string;
}): Promise<number> {
  const { invocation, entries, empty } = of;
  const { faint, strong } = invocation.paint('stdout');
  const rows = entries.map(({ id, kind, text, author, confirmedAt, branch, stale, archived }) => {
    const notes = [
      author,
      ...(confirmedAt > 0 ? [when(confirmedAt).slice(0, 10)] : []),
      ...(branch === undefined ? [] : [`branch ${branch}`]),
      ...(stale === undefined ? [] : [stale]),
      ...(archived ? [archived.by === undefined ? archived.why : `${archived.why} by ${archived.by}`] : []),
    ];
    return [strong(id), kind, printable(text), faint(printable(notes.join(', ')))];
  });
  await printResult({
    invocation,
    value: { entries },
    lines: () => (rows.length === 0 ? [empty] : columns({ rows, width: invocation.io.stdout.columns })),
  });
  return 0;
}

/** The change as a diff: what came (+), what changed (~), what left the board (-), and why. */
export async function printChange(of: {
  readonly invocation: BoardInvocation;
  readonly change: BoardChange;
  readonly more?: object;
}): Promise<number> {
  const { invocation, change, more = {} } = of;
  const { added, changed, archived, restored, contradictions } = change;
  const isDry = invocation.options.dryRun === true;
  const line =
    (sign: string) =>
    ({ id, kind, text }: MemoryEntry) =>
      `${sign} ${id}  ${kind}: ${printable(text)}`;
  const lines = [
    ...[...added, ...restored].map(line('+')),
    ...changed.map(line('~')),
    ...archived.map(line('-')),
    ...contradictions.map(
      ({ kept, archived: lost, why }) => `  ${lost} contradicts ${kept}, which has the higher ${why}`,
    ),
  ];
  const total = count({ amount: added.length + restored.length, of: 'entry' });
  await printResult({
    invocation,
    value: { ...more, dryRun: isDry, ...change },
    lines: () => [...lines, lines.length === 0 ? 'Nothing changed.' : `${isDry ? 'would add' : 'added'} ${total}`],
  });
  return 0;
}
