import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Encoding, encodings } from 'longhaul/tokens';
import { counters } from './counters.ts';
import { hostileTable } from './hostile.ts';
import { median, table } from './measure.ts';
import type { Measured } from './one.ts';
import { stallTable } from './stall.ts';

/** `npm run bench -- tokens [--encoding=NAME] [--rounds=3] [--scale=1]` */
export async function run(): Promise<void> {
  const { values } = parseArgs({
    strict: false,
    options: { encoding: { type: 'string' }, rounds: { type: 'string' }, scale: { type: 'string' } },
  });
  const { encoding: only, rounds = '3', scale = '1' } = values;
  // What people install is measured, not the source with its types.
  execFileSync('npm', ['run', '-s', 'build', '-w', 'longhaul'], { stdio: ['ignore', 'ignore', 'inherit'] });
  for (const encoding of encodings.filter((name) => !only || name === only)) {
    print(`\n## ${encoding}, compared with others (MB/s of CPU time unless noted; medians of ${rounds} processes)\n`);
    print(peersTable({ encoding, rounds: Number(rounds), scale: String(scale) }));
    print(`\n## ${encoding}, hostile text (CPU ms; how many times longer four times the text takes)\n`);
    print(await hostileTable(encoding));
  }
  print(
    '\n## What the caller’s event loop waits for while 40 MB are counted (CPU ms of its thread between two ticks)\n',
  );
  print(await stallTable());
}

function peersTable({ encoding, rounds, scale }: { encoding: Encoding; rounds: number; scale: string }): string {
  const results = new Map<string, Measured[]>(Object.keys(counters).map((name) => [name, []]));
  const one = fileURLToPath(new URL('./one.ts', import.meta.url));
  for (let round = 0; round < rounds; round++) {
    for (const [name, list] of results) {
      const nodeArgs = [one, name, encoding, scale];
      list.push(JSON.parse(execFileSync(process.execPath, nodeArgs, { encoding: 'utf8', maxBuffer: 1e7 })));
    }
  }
  const exact = results.get('tiktoken')?.[0]?.total;
  const columns = Object.keys(results.get('longhaul')?.[0]?.speed ?? {});
  const rows = [...results].map(([name, list]) => [
    name,
    ...columns.map((column) => median(list.map(({ speed }) => speed[column] ?? 0)).toFixed(1)),
    list[0]?.total === exact ? 'equal' : `${(list[0]?.total ?? 0) - (exact ?? 0)}`,
    median(list.map(({ startupMs }) => startupMs)).toFixed(0),
    median(list.map(({ loadedMB }) => loadedMB)).toFixed(0),
    median(list.map(({ peakMB }) => peakMB)).toFixed(0),
    median(list.map(({ growth }) => growth)).toFixed(1),
  ]);
  const last = ['total', 'start-up ms', 'loaded MB', 'peak MB', '32 KB / 8 KB of one letter'];
  return table(['library', ...columns, ...last], rows);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
