/**
 * `npm run bench -- terminal`: the built program in a pseudo-terminal, with a provider on loopback. Times of a loaded machine
 * are noise; CPU time and bytes are not. `TURNS=5000` for the memory of a long session, `CLAUDE=/path/to/claude` to measure
 * Claude Code's terminal in the same emulator.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLoopback } from 'longhaul/testing';
import { keys, type PseudoTerminal, startTerminal } from '../../test/terminal/pseudo-terminal.ts';

const bin = join(import.meta.dirname, '../../packages/cli/bin/longhaul.cjs');
const turns = Number(process.env.TURNS ?? 200);
const claude = process.env.CLAUDE;

/** Text deltas of the provider have 16 characters, about four tokens: one in 20 ms is 200 tokens a second. */
const pace = { delayMs: 20 };
const tokens = 1_000;

interface Place {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly close: () => Promise<void>;
}

/** A folder and a provider that writes as many lines as the message asks for, or 1,000 tokens at a steady pace. */
async function place(): Promise<Place> {
  const server = await startLoopback({
    keep: 1,
    script: ({ body }) => {
      const asked =
        JSON.stringify(body)
          .match(/(?:lines|tokens|turn) \d+/g)
          ?.at(-1) ?? '';
      const [kind, amount = '0'] = asked.split(' ');
      if (kind === 'lines') {
        const lines = Array.from(
          { length: Number(amount) },
          (_, at) => `- item ${at} of a list with \`code\` and **bold** words`,
        );
        return { text: `${lines.join('\n')}\n\nfinished ${amount}` };
      }
      if (kind === 'turn') return { text: `Answer ${amount}.` };
      const words = 'the parser reads a token and `returns` a **node** for each rule of the grammar, ';
      const text = words.repeat(Math.ceil((tokens * 4) / words.length)).slice(0, tokens * 4);
      return { text: `${text.replace(/(.{400}\S*) /g, '$1\n\n')}\n\nstreamed ${amount}`, transport: pace };
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

const line = (name: string, value: string, bar = '') =>
  console.log(`  ${name.padEnd(58)} ${value.padStart(10)}  ${bar}`);
const ms = (value: number) => `${value.toFixed(1)} ms`;

export async function run(): Promise<void> {
  if (process.platform !== 'linux') return console.log('terminal: needs /proc; skipped');
  if (!existsSync(join(bin, '../../dist/prepared.json'))) {
    console.error('Build first: npm run -s build');
    process.exitCode = 2;
    return;
  }
  console.log('terminal: 100 x 30, 200 tokens a second');
  await start();
  for (const length of [100, 10_000]) await streaming({ length });
  await memory();
  if (claude === undefined) console.log('  Claude Code: not measured; CLAUDE=/path/to/claude');
  else await measureClaude({ program: claude });
}

/** Starts the built program and waits for the prompt. */
async function open(where: Place): Promise<PseudoTerminal> {
  const { cwd, env } = where;
  const terminal = startTerminal({
    program: [process.execPath, bin],
    args: ['--store', join(cwd, 'store')],
    cwd,
    env,
    columns: 100,
    rows: 30,
  });
  await terminal.until('Ask anything');
  return terminal;
}

async function start(): Promise<void> {
  const where = await place();
  try {
    const times: number[] = [];
    const costs: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const began = performance.now();
      const terminal = await open(where);
      // The first run fills the cache of compiled code.
      if (round > 0) {
        times.push(performance.now() - began);
        costs.push(cpuOf(terminal.pid));
      }
      terminal.type(keys.ctrl('d'));
      await terminal.ended;
    }
    line('start to the first prompt, median', ms(quantile(times, 0.5)), `${quantile(costs, 0.5)} ms CPU`);
  } finally {
    await where.close();
  }
}

/** Streams into a transcript of a length, types meanwhile, and measures both. */
async function streaming({ length }: { readonly length: number }): Promise<void> {
  const where = await place();
  const terminal = await open(where);
  try {
    terminal.type(`lines ${length}${keys.enter}`);
    await terminal.until((screen) => screen.includes(`finished ${length}`) && !screen.includes('Esc stops'));
    const streamed = async (name: string, meanwhile: () => Promise<void> = async () => undefined) => {
      const [cpu, bytes] = [cpuOf(terminal.pid), terminal.written().length];
      terminal.type(`tokens ${name}${keys.enter}`);
      await terminal.until('Esc stops');
      await meanwhile();
      await terminal.until((screen) => screen.includes(`streamed ${name}`) && !screen.includes('Esc stops'));
      return { cpu: cpuOf(terminal.pid) - cpu, bytes: terminal.written().length - bytes };
    };
    const alone = await streamed('1');
    const delays: number[] = [];
    await streamed('2', async () => {
      for (let at = 0; at < 60; at += 1) {
        const typed = `k${at} `;
        const began = performance.now();
        terminal.type(typed);
        await terminal.until((screen) => screen.includes(typed.trim()));
        delays.push(performance.now() - began);
        if (at % 10 === 9) terminal.type(keys.ctrl('u'));
      }
      terminal.type(keys.ctrl('u'));
    });
    const name = `${length.toLocaleString('en-US')} lines`;
    line(`${name}: CPU for 1,000 tokens`, `${alone.cpu} ms`, `${Math.round(alone.bytes / 1_000)} kB written`);
    const late = quantile(delays, 0.95);
    line(
      `${name}: key to screen while streaming, p95 (3 keys)`,
      ms(late),
      late <= 16 ? 'at most 16 ms' : 'MORE THAN 16 ms',
    );
  } finally {
    terminal.close();
    await terminal.ended;
    await where.close();
  }
}

async function memory(): Promise<void> {
  const where = await place();
  const terminal = await open(where);
  try {
    let first = 0;
    for (let at = 1; at <= turns; at += 1) {
      terminal.type(`turn ${at}${keys.enter}`);
      await terminal.until((screen) => screen.includes(`Answer ${at}.`) && !screen.includes('Esc stops'));
      if (at === Math.min(100, turns)) first = memoryOf(terminal.pid);
    }
    line(
      `memory after ${turns.toLocaleString('en-US')} turns`,
      `${Math.round(memoryOf(terminal.pid))} MB`,
      `${Math.round(first)} MB after ${Math.min(100, turns)}`,
    );
  } finally {
    terminal.close();
    await terminal.ended;
    await where.close();
  }
}

/** The same stream in Claude Code's terminal. */
async function measureClaude({ program }: { readonly program: string }): Promise<void> {
  const where = await place();
  const { cwd, env } = where;
  const projects = { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
  const answers = { approved: ['dummy-key'], rejected: [] };
  writeFileSync(
    join(cwd, 'home', '.claude.json'),
    JSON.stringify({ hasCompletedOnboarding: true, theme: 'dark', customApiKeyResponses: answers, projects }),
  );
  const quiet = {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    IS_SANDBOX: '1',
  };
  const terminal = startTerminal({ program: [program], cwd, env: { ...env, ...quiet }, columns: 100, rows: 30 });
  try {
    await terminal.until(/❯|│ >|^> /m);
    for (const length of [100, 10_000]) {
      terminal.type(`lines ${length}`);
      await terminal.until(`lines ${length}`);
      terminal.type(keys.enter);
      await terminal.until(`finished ${length}`);
      const [cpu, bytes] = [cpuOf(terminal.pid), terminal.written().length];
      terminal.type(`tokens ${length}`);
      await terminal.until(`tokens ${length}`);
      terminal.type(keys.enter);
      await terminal.until(`streamed ${length}`);
      line(
        `Claude Code, ${length.toLocaleString('en-US')} lines: CPU for 1,000 tokens`,
        `${cpuOf(terminal.pid) - cpu} ms`,
        `${Math.round((terminal.written().length - bytes) / 1_000)} kB written`,
      );
    }
  } catch (error) {
    console.log(`  Claude Code: ${error instanceof Error ? error.message.slice(0, 2_000) : String(error)}`);
  } finally {
    terminal.close();
    await terminal.ended;
    await where.close();
  }
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
}
