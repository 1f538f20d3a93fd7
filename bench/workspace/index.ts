/**
 * `npm run bench -- workspace`: parsing next to web-tree-sitter alone, and the code index next to plain FTS5 on the same
 * files, in wall time and in CPU time of the process (a quiet machine is needed for the former); `FILES=5000` measures one
 * size only, `PARSE=0` leaves parsing out.
 */
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCodeIndex } from '@longhaul/workspace/search';
import { parseSpeed } from './parse.ts';
import { buildPlain } from './plain.ts';
import { realCode, writeTree } from './tree.ts';

/** Questions in words, and pairs of identifiers. */
const questions = [
  'where is the token parsed',
  'resolveModulePath',
  'create a readable stream from an iterator',
  'error message for invalid options',
  'schema validation of objects',
  'cache',
  'isPlainObject',
  'how are retries delayed',
  'parse arguments of the command line',
  'convert a buffer to base64',
];

export async function run(): Promise<void> {
  if (process.env.PARSE !== '0') await parseSpeed();
  const code = realCode();
  const sizes = process.env.FILES === undefined ? [5_000, 25_000] : [Number(process.env.FILES)];
  console.log(`\nindex over ${code.length} different files of node_modules`);
  const rows: Record<string, Measured> = {};
  for (const files of sizes) rows[String(files)] = await measure({ files, code });
  console.table(rows);
  const [small, large] = Object.values(rows);
  if (small && large) {
    const growth = large.buildSeconds / large.megabytes / (small.buildSeconds / small.megabytes);
    console.log(`time a megabyte from the smaller to the larger tree: x ${growth.toFixed(2)}`);
  }
}

interface Measured {
  readonly megabytes: number;
  readonly plainSeconds: number;
  readonly buildSeconds: number;
  readonly toPlain: number;
  /** The same in CPU time: two threads share the work of the index. */
  readonly cpuToPlain: number;
  /** Plain FTS5 over chunks of 40 lines with the words of the path: the baseline of search quality. */
  readonly chunkedSeconds: number;
  readonly toChunked: number;
  readonly queryP50: number;
  readonly queryP95: number;
  readonly updateP50: number;
  readonly updateMax: number;
  readonly refreshMs: number;
  readonly indexMegabytes: number;
  readonly rssMegabytes: number;
}

async function measure(of: { readonly files: number; readonly code: ReturnType<typeof realCode> }): Promise<Measured> {
  const scratch = mkdtempSync(join(tmpdir(), 'longhaul-bench-'));
  try {
    const root = join(scratch, 'tree');
    const bytes = writeTree({ root, ...of });
    const plain = await timed(() => buildPlain({ root, file: join(scratch, 'plain.sqlite') }));
    const chunked = await timed(() => buildPlain({ root, file: join(scratch, 'chunked.sqlite'), lines: 40 }));
    const file = join(scratch, 'index.sqlite');
    const index = openCodeIndex({ root, file });
    let rss = 0;
    const watch = setInterval(() => {
      rss = Math.max(rss, process.memoryUsage.rss());
    }, 50);
    const build = await timed(async () => void (await index.refresh()));
    clearInterval(watch);
    const queries = await wallTimes({
      times: 60,
      work: async (at) => void (await index.search({ query: questions[at % questions.length] ?? '' })),
    });
    const updates = await wallTimes({
      times: 200,
      async work(at) {
        const path = `area${at % 20}/part0/file${at}${of.code[at]?.extension}`;
        appendFileSync(join(root, path), `export const changed${at} = 1;\n`);
        await index.refreshPaths([path]);
      },
    });
    const [refreshMs = 0] = await wallTimes({ times: 1, work: async () => void (await index.refresh()) });
    await index.close();
    return {
      megabytes: round(bytes / 1e6),
      plainSeconds: round(plain.wall),
      buildSeconds: round(build.wall),
      toPlain: round(build.wall / plain.wall),
      cpuToPlain: round(build.cpu / plain.cpu),
      chunkedSeconds: round(chunked.wall),
      toChunked: round(build.wall / chunked.wall),
      queryP50: round(at({ times: queries, share: 0.5 })),
      queryP95: round(at({ times: queries, share: 0.95 })),
      updateP50: round(at({ times: updates, share: 0.5 })),
      updateMax: round(at({ times: updates, share: 1 })),
      refreshMs: round(refreshMs),
      indexMegabytes: round(statSync(file).size / 1e6),
      rssMegabytes: round(rss / 1e6),
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function timed(work: () => void | Promise<void>): Promise<{ readonly wall: number; readonly cpu: number }> {
  const before = process.cpuUsage();
  const start = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: (performance.now() - start) / 1e3, cpu: (user + system) / 1e6 };
}

async function wallTimes(of: {
  readonly times: number;
  readonly work: (at: number) => Promise<void>;
}): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < of.times; index += 1) {
    const start = performance.now();
    await of.work(index);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

function at({ times, share }: { readonly times: readonly number[]; readonly share: number }): number {
  return times[Math.floor((times.length - 1) * share)] ?? 0;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
