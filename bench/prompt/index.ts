import { spawnSync } from 'node:child_process';
import { CountMemory } from 'longhaul/prompt/compat';
import { cpuMs } from '../compaction/cpu.ts';
import { type History, makeHistory } from './history.ts';
import { compare, median, ours, renderer, theirs, timed } from './measure.ts';
import { type Shape, shapes } from './shapes.ts';
import { type BenchTokenizer, benchTokenizer, type TokenizerName } from './tokenizers.ts';

/** How often each is measured, by the number of messages. */
const plan: Readonly<Record<number, { readonly rounds: number; readonly warmUps: number }>> = {
  50: { rounds: 3, warmUps: 50 },
  500: { rounds: 3, warmUps: 20 },
  5000: { rounds: 3, warmUps: 8 },
  10000: { rounds: 1, warmUps: 4 },
};

/** The bars at half pruned, as times faster than prompt-tsx. */
const bars: Readonly<Record<string, number>> = {
  'flat cheap 5000': 30,
  'keep-with cheap 5000': 60,
  'flat o200k 5000': 5,
  'keep-with o200k 5000': 8,
  'flat o200k 500': 2.5,
  'keep-with o200k 500': 2.5,
  'limits o200k 500': 2.5,
  'pass o200k 500': 2.5,
};

/** Rendering an agent's prompt, compared with prompt-tsx; CPU time, alternating, with the same tokenizer and the same result. */
export async function run(): Promise<void> {
  const sizes = (process.argv.find((each) => each.startsWith('--sizes='))?.slice(8) ?? '50,500,5000')
    .split(',')
    .map(Number);
  const grown = process.argv.find((each) => each.startsWith('--growth='))?.slice(9);
  if (grown !== undefined) return growth(grown as Shape);
  if (process.argv.includes('--growth')) return growthApart();
  console.log('prompt: CPU ms to render, medians; x = times faster than prompt-tsx\n');
  console.log('shape      counter  messages  pruned   prompt-tsx      ours        x   bar');
  for (const size of sizes) {
    const history = makeHistory({ messages: size });
    for (const shape of shapes)
      for (const name of ['cheap', 'o200k'] as const) await cells({ shape, name, size, history });
  }
  await nextTurn();
  await plainTokenizer();
  growthApart();
}

/** Each shape in a process of its own: behind thousands of other renders one would measure the garbage they left. */
function growthApart(): void {
  console.log('\ngrowth of ours from 5,000 to 10,000 messages, half pruned; bar: 2.3\n');
  console.log('shape      counter     5,000    10,000        x');
  for (const shape of shapes) {
    const args = [...process.execArgv, process.argv[1] ?? '', 'prompt', `--growth=${shape}`];
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
    if (status !== 0) throw new Error(`The growth of ${shape} could not be measured.`);
  }
}

interface Cells {
  readonly shape: Shape;
  readonly name: TokenizerName;
  readonly size: number;
  readonly history: History;
}

async function cells({ shape, name, size, history }: Cells): Promise<void> {
  const tokenizer = await benchTokenizer({ name, additive: true });
  const total = await totalOf({ shape, history, tokenizer });
  for (const pruned of [0, 50, 90]) {
    const budget = pruned === 0 ? total : Math.floor(total * (1 - pruned / 100));
    const { rounds, warmUps } = plan[size] ?? { rounds: 1, warmUps: 2 };
    const times = await compare({ shape, history, tokenizer, budget, rounds, warmUps, hasTheirs: true });
    const bar = pruned === 50 ? bars[`${shape} ${name} ${size}`] : undefined;
    row({ shape, name, size, label: `${pruned} %`, ...times, bar });
  }
}

async function totalOf(of: { readonly shape: Shape; readonly history: History; readonly tokenizer: BenchTokenizer }) {
  return (await renderer({ ...of, budget: 1e9, lib: ours })()).tokenCount;
}

/** The next turn of a conversation: one round more, counts remembered by ours. */
async function nextTurn(): Promise<void> {
  console.log('\nthe next turn: one round appended, half pruned, counts remembered');
  for (const shape of ['flat', 'keep-with'] as const) {
    const history = makeHistory({ messages: 5_000 });
    const tokenizer = await benchTokenizer({ name: 'o200k', additive: true });
    const budget = Math.floor((await totalOf({ shape, history, tokenizer })) / 2);
    const before = { ...history, rounds: history.rounds.slice(0, -1) };
    const job = { shape, tokenizer, budget };
    const renderTheirs = renderer({ ...job, history, lib: theirs });
    const times = { theirs: [] as number[], ours: [] as number[] };
    for (let round = 0; round < 5; round += 1) {
      // A memory that knows the turn before, and not the new one.
      const memory = new CountMemory();
      await renderer({ ...job, history: before, lib: ours, memory })();
      if (round < 3) times.theirs.push((await timed(renderTheirs)).ms);
      const next = renderer({ ...job, history, lib: ours, memory });
      times.ours.push(await cpuMs(next));
    }
    row({
      shape,
      name: 'o200k',
      size: 5_000,
      label: 'next',
      theirs: median(times.theirs),
      ours: median(times.ours),
      bar: 20,
    });
  }
}

/** A tokenizer that does not say that it is additive: messages are counted besides their texts. */
async function plainTokenizer(): Promise<void> {
  console.log('\nthe same with a tokenizer that does not say that it is additive, half pruned');
  for (const shape of ['flat', 'keep-with'] as const) {
    const history = makeHistory({ messages: 5_000 });
    const tokenizer = await benchTokenizer({ name: 'o200k', additive: false });
    const budget = Math.floor((await totalOf({ shape, history, tokenizer })) / 2);
    const times = await compare({ shape, history, tokenizer, budget, rounds: 3, warmUps: 8, hasTheirs: true });
    row({ shape, name: 'o200k', size: 5_000, label: 'plain', ...times, bar: undefined });
  }
}

/** Twice the messages must not cost much more than twice as much; both sizes by turns. prompt-tsx is not waited for. */
async function growth(shape: Shape): Promise<void> {
  const histories = [5_000, 10_000].map((messages) => makeHistory({ messages }));
  for (const name of ['cheap', 'o200k'] as const) {
    const tokenizer = await benchTokenizer({ name, additive: true });
    const renders: (() => Promise<unknown>)[] = [];
    for (const history of histories) {
      const budget = Math.floor((await totalOf({ shape, history, tokenizer })) / 2);
      renders.push(renderer({ shape, history, tokenizer, budget, lib: ours }));
    }
    const rounds: { readonly small: number; readonly large: number }[] = [];
    for (let round = 0; round < 12; round += 1) {
      const small = (await timed(renders[0] as never)).ms;
      rounds.push({ small, large: (await timed(renders[1] as never)).ms });
    }
    // The first is a warm-up. What is compared was measured side by side, so that a busy machine slows both.
    const measured = rounds.slice(1);
    const ratio = median(measured.map(({ small, large }) => large / small));
    const figures = (['small', 'large'] as const).map((size) => median(measured.map((each) => each[size])));
    const cells = [...figures.map((ms) => ms.toFixed(1).padStart(9)), ratio.toFixed(2).padStart(8)];
    console.log([shape.padEnd(10), name.padEnd(7), ...cells, ratio <= 2.3 ? 'held' : 'MISSED'].join(' '));
  }
}

function row(of: {
  readonly shape: string;
  readonly name: string;
  readonly size: number;
  readonly label: string;
  readonly theirs: number;
  readonly ours: number;
  readonly bar: number | undefined;
}): void {
  const ratio = of.theirs / of.ours;
  const verdict = of.bar === undefined ? '' : `${String(of.bar).padStart(5)} ${ratio >= of.bar ? 'held' : 'MISSED'}`;
  const cells = [of.shape.padEnd(10), of.name.padEnd(7), String(of.size).padStart(8), of.label.padStart(8)];
  const times = [of.theirs.toFixed(1).padStart(12), of.ours.toFixed(1).padStart(9), ratio.toFixed(1).padStart(8)];
  console.log([...cells, ...times, verdict].join(' '));
}
