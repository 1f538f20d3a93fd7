/**
 * `npm run bench -- terminal`: the built program in a pseudo-terminal, with a provider on loopback. Times of a loaded machine
 * are noise; CPU time and bytes are not. `TURNS=5000` for the memory of a long session, `CLAUDE=/path/to/claude` to measure
 * Claude Code's terminal in the same emulator, `PART=memory` or `PART=streaming` for a part.
 */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLoopback } from 'longhaul/testing';
import { keys, type PseudoTerminal, startTerminal } from '../../test/terminal/pseudo-terminal.ts';

const bin = join(import.meta.dirname, '../../packages/cli/bin/longhaul.cjs');
const turns = Number(process.env.TURNS ?? 200);
const lengths = [100, 10_000] as const;

/** Text deltas of the provider have 16 characters, about four tokens: one in 20 ms is 200 tokens a second. */
const pace = { delayMs: 20 };
const charactersPerToken = 4;

/** Keys that are typed while text streams, one in about 30 ms. */
const typedKeys = 250;

/** Bars of the terminal; a verdict is printed for each. */
const bars = { keyMs: 16, frameGrowth: 1.15 };

interface Place {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly close: () => Promise<void>;
}

/** A terminal program to measure. */
interface Program {
  readonly name: string;
  readonly open: (where: Place) => Promise<PseudoTerminal>;
  /** Whether the screen shows that it waits for a message. */
  readonly isIdle: (screen: string) => boolean;
  /** What the screen shows of a message that is typed. */
  readonly typed: (text: string) => string;
}

/** A folder and a provider that writes as many lines or tokens as the newest message asks for. */
async function place(): Promise<Place> {
  const server = await startLoopback({
    keep: 1,
    script: ({ body }) => {
      const newest = JSON.stringify(Array.isArray(body.messages) ? body.messages.slice(-2) : []);
      const [, kind, amount = '0'] = [...newest.matchAll(/ask (\w+) (\d+)/g)].at(-1) ?? [];
      if (kind === 'lines') {
        const item = (number: number) => `- item ${number} of a list with \`code\` and **bold** words`;
        const lines = Array.from({ length: Number(amount) }, (_, number) => item(number));
        return { text: `${lines.join('\n')}\n\nfinished ${amount}` };
      }
      if (kind === 'tokens') {
        const words = 'the parser reads a token and `returns` a **node** for each rule of the grammar, ';
        const length = Number(amount) * charactersPerToken;
        const text = words.repeat(Math.ceil(length / words.length)).slice(0, length);
        return {
          text: `Begin ${amount}: ${text.replace(/(.{400}\S*) /g, '$1\n\n')}\n\nstreamed ${amount}`,
          transport: pace,
        };
      }
      return { text: `Answer ${amount}.` };
    },
  });
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'longhaul-bench-')));
  mkdirSync(join(cwd, 'home'));
  return {
    cwd,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: join(cwd, 'home'),
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      LANG: 'C.UTF-8',
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'dummy-key',
    },
    close: async () => {
      await server.close();
      rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const longhaul: Program = {
  name: 'longhaul',
  open: async ({ cwd, env }) => {
    const args = ['--store', join(cwd, 'store')];
    const terminal = startTerminal({ program: [process.execPath, bin], args, cwd, env, columns: 100, rows: 30 });
    await terminal.until('Ask anything');
    return terminal;
  },
  isIdle: (screen) => screen.includes('Ask anything') && !screen.includes('Esc stops'),
  typed: (text) => `› ${text}`,
};

/** Claude Code with its questions at the first start answered, and without requests besides those to the model. */
function claudeCode(program: string): Program {
  const quiet = {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    IS_SANDBOX: '1',
  };
  return {
    name: 'Claude Code',
    open: async ({ cwd, env }) => {
      const state = {
        hasCompletedOnboarding: true,
        theme: 'dark',
        customApiKeyResponses: { approved: ['dummy-key'], rejected: [] },
        projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      };
      const path = join(cwd, 'home', '.claude.json');
      if (!existsSync(path)) writeFileSync(path, JSON.stringify(state));
      const terminal = startTerminal({ program: [program], cwd, env: { ...env, ...quiet }, columns: 100, rows: 30 });
      await terminal.until(/❯/);
      return terminal;
    },
    isIdle: (screen) => screen.includes('❯') && !screen.includes('esc to interrupt'),
    // Blanks in its input are no-break spaces.
    typed: (text) => `❯\u00a0${text}`,
  };
}

/** CPU milliseconds of a process so far, user and system (Linux). */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^[\s\S]*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

const line = (name: string, value: string, more = '') =>
  console.log(`  ${name.padEnd(58)} ${value.padStart(10)}  ${more}`);
const ms = (value: number) => `${value.toFixed(1)} ms`;
const linesOf = (length: number) => `${length.toLocaleString('en-US')} lines`;
const verdict = ({ isMet, bar }: { readonly isMet: boolean; readonly bar: string }) =>
  `bar ${isMet ? 'met' : 'MISSED'}: ${bar}`;

export async function run(): Promise<void> {
  if (process.platform !== 'linux') return console.log('terminal: needs /proc; skipped');
  if (!existsSync(join(bin, '../../dist/prepared.json'))) {
    console.error('Build first: npm run -s build');
    process.exitCode = 2;
    return;
  }
  const { CLAUDE: claude, PART: part } = process.env;
  const problem = problemOf({ claude, part });
  if (problem !== undefined) {
    console.error(problem);
    process.exitCode = 2;
    return;
  }
  console.log('terminal: 100 x 30, 200 tokens a second');
  if (part !== 'memory') await compare(claude);
  if (part !== 'streaming') await memory();
}

/** What is wrong with the variables, in a sentence. */
function problemOf(given: {
  readonly claude: string | undefined;
  readonly part: string | undefined;
}): string | undefined {
  const { claude, part } = given;
  if (part !== undefined && part !== 'memory' && part !== 'streaming')
    return `PART is "${part}"; use memory or streaming.`;
  if (!Number.isInteger(turns) || turns < 1) return `TURNS is "${process.env.TURNS}"; use a whole number from 1 on.`;
  if (claude === undefined) return undefined;
  try {
    accessSync(claude, constants.X_OK);
  } catch {
    return `CLAUDE is "${claude}", which is no program that can be run; give the path of Claude Code's executable.`;
  }
  return undefined;
}

/** Start and streaming, also of Claude Code if its path is given. */
async function compare(claude: string | undefined): Promise<void> {
  const own = await measure(longhaul);
  if (claude === undefined) console.log('  Claude Code: not measured; CLAUDE=/path/to/claude');
  else {
    const other = await measure(claudeCode(claude));
    for (const length of lengths) {
      const share = (own.get(length) ?? 0) / (other.get(length) ?? 1);
      const bar = verdict({ isMet: share <= 1, bar: 'at most as much as Claude Code' });
      line(`${linesOf(length)}: CPU of streaming, of Claude Code's`, `${Math.round(share * 100)} %`, bar);
    }
  }
}

/** Start and streaming of a program; CPU milliseconds for 1,000 tokens by length of the transcript. */
async function measure(program: Program): Promise<ReadonlyMap<number, number>> {
  console.log(` ${program.name}`);
  await start(program);
  const costs = new Map<number, number>();
  const frames: number[] = [];
  for (const length of lengths) {
    const { cpu, frame } = await streaming({ program, length });
    costs.set(length, cpu);
    frames.push(frame);
  }
  const [short = 0, long = 0] = frames;
  if (short > 0) {
    const isMet = long / short <= bars.frameGrowth;
    const bar = verdict({ isMet, bar: `at most ${bars.frameGrowth}` });
    line('cost of a frame, 10,000 lines to 100', (long / short).toFixed(2), bar);
  }
  return costs;
}

async function start(program: Program): Promise<void> {
  const where = await place();
  try {
    const times: number[] = [];
    const costs: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const began = performance.now();
      const terminal = await program.open(where);
      // The first run fills the cache of compiled code.
      if (round > 0) {
        times.push(performance.now() - began);
        costs.push(cpuOf(terminal.pid));
      }
      terminal.close();
      await terminal.ended;
    }
    line('start to the first prompt, median', ms(quantile(times, 0.5)), `${quantile(costs, 0.5)} ms CPU`);
  } finally {
    await where.close();
  }
}

/** Streams into a transcript of a length, then again with keys typed meanwhile. */
async function streaming({
  program,
  length,
}: {
  readonly program: Program;
  readonly length: number;
}): Promise<{ readonly cpu: number; readonly frame: number }> {
  const where = await place();
  const terminal = await program.open(where);
  const ask = async (text: string) => {
    terminal.type(text);
    await terminal.until((screen) => screen.includes(program.typed(text)));
    terminal.type(keys.enter);
  };
  const answered = (end: string) => terminal.until((screen) => screen.includes(end) && program.isIdle(screen));
  try {
    // Code that is compiled, and a conversation of several answers.
    await ask('ask tokens 200');
    await answered('streamed 200');
    for (let part = 0; part < 5; part += 1) {
      await ask(`ask lines ${length / 5 + part}`);
      await answered(`finished ${length / 5 + part}`);
    }
    // From the first words on the screen to the last: what a request costs besides is not counted.
    const amount = 2_000;
    await ask(`ask tokens ${amount}`);
    await terminal.until(`Begin ${amount}:`);
    const before = { cpu: cpuOf(terminal.pid), bytes: terminal.bytes(), frames: terminal.frames() };
    await terminal.until(`streamed ${amount}`);
    const share = 1_000 / amount;
    const cpu = (cpuOf(terminal.pid) - before.cpu) * share;
    const bytes = (terminal.bytes() - before.bytes) * share;
    const frames = (terminal.frames() - before.frames) * share;
    await answered(`streamed ${amount}`);
    const delays = await typing({ terminal, program, ask });
    const name = linesOf(length);
    // Frames can be counted if the program marks them, which this terminal does not ask for.
    const frame = frames > 0 ? cpu / frames : 0;
    line(`${name}: CPU for 1,000 tokens`, `${Math.round(cpu)} ms`, `${Math.round(bytes / 1_000)} kB written`);
    if (frame > 0) line(`${name}: CPU of a frame`, ms(frame), `${Math.round(frames)} frames`);
    const late = quantile(delays, 0.95);
    const bar = verdict({ isMet: late <= bars.keyMs, bar: `at most ${bars.keyMs} ms` });
    const isJudged = program === longhaul && length === lengths[1];
    line(`${name}: key to screen while streaming, p95 of ${delays.length}`, ms(late), isJudged ? bar : '');
    line(`${name}: key to screen while streaming, p50`, ms(quantile(delays, 0.5)));
    return { cpu, frame };
  } finally {
    terminal.close();
    await terminal.ended;
    await where.close();
  }
}

/** Types keys while text streams; the time from each to its letter on the screen. */
async function typing({
  terminal,
  program,
  ask,
}: {
  readonly terminal: PseudoTerminal;
  readonly program: Program;
  readonly ask: (text: string) => Promise<void>;
}): Promise<readonly number[]> {
  const delays: number[] = [];
  let text = '';
  let isStreaming = false;
  while (delays.length < typedKeys) {
    if (!isStreaming) {
      await ask('ask tokens 3000');
      await terminal.until((screen) => /Begin 3000(?![\s\S]*streamed 3000)/.test(screen));
      isStreaming = true;
    }
    const letter = 'abcdefghijklmnop'[delays.length % 16] ?? 'a';
    text += letter;
    const began = performance.now();
    terminal.type(letter);
    const screen = await terminal.until((shown) => shown.includes(program.typed(text)));
    delays.push(performance.now() - began);
    isStreaming = !screen.includes('streamed 3000');
    if (text.length === 40 || !isStreaming) {
      terminal.type(keys.ctrl('u'));
      await terminal.until((shown) => !shown.includes(program.typed('a')));
      text = '';
    }
    // Not in step with the frames of the stream.
    await sleep(20 + Math.random() * 20);
  }
  return delays;
}

/** Turns until the memory is printed. */
const samples = [100, 500, 1_000, 2_000, 3_000, 4_000, 5_000];

/** Loaded into each thread of the program: on SIGUSR2 it writes what is in use after a collection of garbage. */
const heapReport = `
const { isMainThread, threadId } = require('node:worker_threads');
require('node:v8').setFlagsFromString('--expose-gc');
const collect = require('node:vm').runInNewContext('gc');
const channel = new BroadcastChannel('heap');
const report = () => {
  collect();
  require('node:fs').appendFileSync(process.env.HEAP_REPORT, JSON.stringify({ threadId, ...process.memoryUsage() }) + '\\n');
};
channel.onmessage = report;
channel.unref();
if (isMainThread) process.on('SIGUSR2', () => { channel.postMessage(''); report(); });
`;

/** What the objects and buffers of all threads take, in MB. */
async function liveMemoryOf({
  terminal,
  report,
}: {
  readonly terminal: PseudoTerminal;
  readonly report: string;
}): Promise<number> {
  rmSync(report, { force: true });
  terminal.kill('SIGUSR2');
  await sleep(1_000);
  const threads = readFileSync(report, 'utf8').trim().split('\n');
  const bytes = threads.map((text) => {
    const { heapUsed, external } = JSON.parse(text) as NodeJS.MemoryUsage;
    return heapUsed + external;
  });
  return bytes.reduce((sum, one) => sum + one) / 2 ** 20;
}

async function memory(): Promise<void> {
  const where = await place();
  const [preload, report] = [join(where.cwd, 'heap.cjs'), join(where.cwd, 'heap.jsonl')];
  writeFileSync(preload, heapReport);
  const env = { ...where.env, NODE_OPTIONS: `--require ${preload}`, HEAP_REPORT: report };
  const terminal = await longhaul.open({ ...where, env });
  const measured = async () =>
    `${Math.round(memoryOf(terminal.pid))} MB, live ${(await liveMemoryOf({ terminal, report })).toFixed(1)}`;
  try {
    const grown: string[] = [];
    for (let at = 1; at <= turns; at += 1) {
      terminal.type(`ask turn ${at}${keys.enter}`);
      await terminal.until((screen) => screen.includes(`Answer ${at}.`) && longhaul.isIdle(screen));
      if (samples.includes(at) && at < turns) grown.push(`${await measured()} after ${at}`);
    }
    const name = `memory after ${turns.toLocaleString('en-US')} turns`;
    line(name, await measured(), grown.join('; '));
  } finally {
    terminal.close();
    await terminal.ended;
    await where.close();
  }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
}
