import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendRates, median, rounds } from './append.ts';
import { buildFile, buildStore, bytesIn } from './build.ts';
import type { Opened } from './open.ts';
import { searchTimes } from './search.ts';

const sizes = [1000, 100_000, 1_000_000].filter((size) => size <= Number(process.env.LONGHAUL_BENCH_ENTRIES ?? 1e9));

/**
 * What a session costs as it grows: opening it to what is sent, appending durably, searching, memory and disk. Beside it
 * pi's loader and JSON.parse of each line on the same session, a bare node:sqlite loop, and the disk itself.
 */
export async function run(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'longhaul-bench-'));
  try {
    await appending(dir);
    await opening(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function appending(dir: string): Promise<void> {
  console.log(`session: entries of 1 kB appended a second, each durable; median of ${rounds} interleaved rounds\n`);
  // The thread costs the same whatever the disk does, so on a slow disk it is lost in the noise, and on a quick one not.
  console.log(
    'writers   longhaul   bare node:sqlite   x of bare   bar   disk fdatasync/s   us more a commit   bar holds from',
  );
  for (const [writers, bar] of [
    [1, 0.8],
    [16, 0.7],
  ] as const) {
    const { ours, bare, syncs, ratio } = await appendRates({ dir, writers });
    const cells = [String(writers).padStart(7), ours.toFixed(0).padStart(10), bare.toFixed(0).padStart(18)];
    const more = (writers / ours - writers / bare) * 1e6;
    const holds = `${((more * bar) / (1 - bar) / 1000).toFixed(2)} ms a commit`;
    const rest = [syncs.toFixed(0).padStart(18), more.toFixed(0).padStart(18), holds.padStart(17)];
    console.log([...cells, ratio.toFixed(2).padStart(11), String(bar).padStart(5), ...rest].join(' '));
  }
}

async function opening(dir: string): Promise<void> {
  console.log('\nopen to context (median of 5 processes), a compaction every 2,000 entries\n');
  console.log('entries    way                       ms    rows read    items   memory MB   disk MB');
  const rows = new Map<number, number>();
  for (const count of sizes) {
    const store = join(dir, `store-${count}`);
    const file = join(dir, `${count}.jsonl`);
    const built = await buildStore({ dir: store, count });
    await buildFile({ path: file, count });
    const ours = opened({ way: 'longhaul', path: store, times: 5 });
    rows.set(count, 'rows' in ours ? ours.rows : 0);
    line({ count, way: 'longhaul', result: ours, disk: bytesIn(store) });
    for (const way of ['pi', 'JSON.parse per line']) {
      // pi may rewrite what it opens.
      const copy = `${file}.copy`;
      copyFileSync(file, copy);
      line({
        count,
        way,
        result: opened({ way, path: copy, times: count > 100_000 ? 1 : 3 }),
        disk: statSync(copy).size,
      });
      rmSync(copy);
    }
    rmSync(file);
    const search = await searchTimes({ dir: store, queries: 200 });
    const index = `index built in ${(search.indexed / 1000).toFixed(1)} s (${((count / search.indexed) * 1000).toFixed(0)} entries/s)`;
    const written = `written at ${((count / built) * 1000).toFixed(0)} entries/s in batches of 5,000`;
    console.log(
      `           search p50 ${search.p50.toFixed(1)} ms, p95 ${search.p95.toFixed(1)} ms; ${index}; ${written}`,
    );
    rmSync(store, { recursive: true });
  }
  const [small, large] = [rows.get(100_000), rows.get(1_000_000)];
  if (small && large)
    console.log(`\ngrowth: rows read at 1,000,000 are ${(large / small).toFixed(2)} x those at 100,000 (bar 1.2)`);
}

/** Time limit for opening a session. */
const patience = 120_000;

type Result = Opened | { readonly failure: string };

/** Each time in a process of its own, so that nothing is warm and memory is its own. */
function opened({ way, path, times }: { way: string; path: string; times: number }): Result {
  const script = join(import.meta.dirname, 'open.ts');
  const all: Opened[] = [];
  for (let time = 0; time < times; time += 1) {
    const options = { encoding: 'utf8', maxBuffer: 1e9, timeout: patience, killSignal: 'SIGKILL' } as const;
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['--conditions=longhaul-source', script, way, path],
      options,
    );
    if (status === null) return { failure: `not done after ${patience / 1000} s` };
    if (status !== 0)
      return { failure: /^(?:FATAL )?\w*(?:Error|ERROR)\b.*$/m.exec(stderr)?.[0] ?? `ended with ${status}` };
    all.push(JSON.parse(stdout) as Opened);
  }
  const of = (key: keyof Opened) => median(all.map((one) => one[key]));
  return { ms: of('ms'), rows: of('rows'), items: of('items'), megabytes: of('megabytes') };
}

function line({ count, way, result, disk }: { count: number; way: string; result: Result; disk: number }): void {
  const name = `${count.toLocaleString('en').padEnd(10)} ${way.padEnd(20)}`;
  if ('failure' in result) {
    console.log(`${name} ${result.failure}`);
    return;
  }
  const cells = [result.ms.toFixed(1).padStart(7), result.rows.toLocaleString('en').padStart(12)];
  const rest = [
    String(result.items).padStart(8),
    result.megabytes.toFixed(0).padStart(11),
    (disk / 2 ** 20).toFixed(0).padStart(9),
  ];
  console.log(`${name} ${[...cells, ...rest].join(' ')}`);
}
