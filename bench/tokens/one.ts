/** Measures one library in a process of its own and prints the result as JSON. */
import type { Encoding } from 'longhaul/tokens';
import { type Class, readCorpus, shortStrings } from './corpus.ts';
import { type Count, counters } from './counters.ts';
import { cpuOf, median } from './measure.ts';

export interface Measured {
  readonly startupMs: number;
  readonly loadedMB: number;
  readonly peakMB: number;
  readonly total: number;
  /** MB/s by name: cold, warm, short and every class. */
  readonly speed: Record<string, number>;
  /** How much longer one run of 32 KB of a letter takes than one of 8 KB. */
  readonly growth: number;
}

const [name = '', encoding = 'o200k_base', scale = '1'] = process.argv.slice(2);
const load = counters[name];
if (!load) throw new Error(`no counter called ${name}`);

const before = process.cpuUsage();
const count = await load(encoding as Encoding);
count('Hello, world!');
const started = process.cpuUsage(before);
const loadedMB = process.memoryUsage.rss() / 1e6;

const corpus = readCorpus({ scale: Number(scale) });
// Random bytes overflow the caches of some libraries, which then take seconds: they count as a class, not as mixed text.
const mixed = corpus.filter((part) => part.name !== 'base64' && part.name !== 'log');
const bytes = mixed.reduce((sum, part) => sum + part.bytes, 0);
let total = 0;
const all = () => {
  total = mixed.reduce((sum, part) => sum + pass(part, count), 0);
};
const cold = cpuOf(all);
const warm = median([1, 2, 3].map(() => cpuOf(all)));
const speed: Record<string, number> = { cold: bytes / cold / 1e3, warm: bytes / warm / 1e3 };
for (const part of [shortStrings(corpus), ...corpus]) {
  speed[part.name] = part.bytes / median([1, 2, 3].map(() => cpuOf(() => void pass(part, count)))) / 1e3;
}
// Another letter each time, for some libraries remember the piece.
const run = (length: number) => median([...'aeiou'].map((letter) => cpuOf(() => void count(letter.repeat(length)))));
run(8_000);
const growth = run(32_768) / run(8_192);

const measured: Measured = {
  startupMs: (started.user + started.system) / 1e3,
  loadedMB,
  peakMB: process.resourceUsage().maxRSS / 1e3,
  total,
  speed,
  growth,
};
process.stdout.write(JSON.stringify(measured));

function pass(part: Class, by: Count): number {
  let sum = 0;
  for (const text of part.texts) sum += by(text);
  return sum;
}
