import { createReadStream } from 'node:fs';
import { importSession } from 'longhaul/formats';
import { createMemoryStore, openSession, visibleItem } from 'longhaul/session';
import { listedIn } from '../import/listed.ts';
import { compactSession, type Outcome } from './sessions.ts';

const windows = [200_000, 64_000, 24_000];

interface Row extends Outcome {
  readonly format: string;
  readonly file: string;
}

/** Compacts every session of a folder for three windows, whole and in ten slices. */
export async function whole({
  folder,
  isJson,
}: {
  readonly folder: string;
  readonly isJson: boolean;
}): Promise<string> {
  const rows: Row[] = [];
  for (const { format, file, path } of listedIn(folder)) {
    const store = createMemoryStore();
    const { session } = await importSession({ store, path, open: () => createReadStream(path) });
    const live = await openSession({ store, id: session });
    const messages = (await live.path()).flatMap((entry) => visibleItem(entry)?.message ?? []);
    for (const window of windows) rows.push({ format, file, ...(await compactSession({ messages, window })) });
  }
  return isJson ? JSON.stringify(rows, undefined, 2) : tableOf(rows);
}

function tableOf(rows: readonly Row[]): string {
  const head = [
    '| window | format | sessions | compacted | head too large | fits | legal | undo exact | tokens before | after | slices | sound | ms, median |',
    '| --: | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |',
  ];
  const lines = windows.flatMap((window) => {
    const ofWindow = rows.filter((row) => row.window === window);
    const formats = [...new Set(ofWindow.map(({ format }) => format))].toSorted();
    const all = { name: 'all', list: ofWindow };
    const groups = formats.map((name) => ({ name, list: ofWindow.filter(({ format }) => format === name) }));
    return [...groups, all].map(({ name, list }) => lineOf({ window, name, list }));
  });
  return [...head, ...lines].join('\n');
}

function lineOf(of: { readonly window: number; readonly name: string; readonly list: readonly Row[] }): string {
  const { window, name, list } = of;
  const sum = (value: (row: Row) => number) => list.reduce((total, row) => total + value(row), 0);
  const share = (is: (row: Row) => boolean) => `${list.filter(is).length}/${list.length}`;
  const installed = list.filter((row) => row.installed);
  const possible = list.filter((row) => !row.isHeadTooLarge);
  const before = installed.reduce((total, row) => total + row.tokensBefore, 0);
  const after = installed.reduce((total, row) => total + row.tokensAfter, 0);
  const ms = list.map((row) => row.ms).toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
  const cells = [
    window,
    name,
    list.length,
    installed.length,
    list.length - possible.length,
    `${possible.filter(({ fits }) => fits).length}/${possible.length}`,
    `${sum(({ legal }) => legal)}/${possible.length * 4}`,
    share(({ isUndoExact }) => isUndoExact),
    before,
    after,
    sum(({ slices }) => slices.compacted),
    `${sum(({ slices }) => slices.sound)}/${sum(({ slices }) => slices.of)}`,
    ms.toFixed(0),
  ];
  return `| ${cells.join(' | ')} |`;
}
