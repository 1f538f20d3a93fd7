import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nodeIo } from '../io/node-io.ts';
import { run } from '../run.ts';

let root = '';
const real = nodeIo({ process });

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'longhaul-workspace-'));
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src/retry.ts'), source);
  writeFileSync(join(root, 'src/cookie.ts'), 'export const parseCookie = (header: string) => header.split(";");\n');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const source = `export function retryDelay(attempt: number): number {
  const base = 100;
  return base * 2 ** attempt;
}

export function other(): void {
  console.log('${'something long '.repeat(30)}');
}
`;

/** Runs a command in the folder of the test and collects what it prints. */
async function longhaul(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const printed = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr') => ({
    ...real[name],
    isTerminal: false,
    write: async (text: string) => {
      printed[name] += text;
    },
  });
  const io = {
    ...real,
    cwd: root,
    env: { ...process.env, XDG_DATA_HOME: join(root, 'data') },
    stdout: output('stdout'),
    stderr: output('stderr'),
  };
  const code = await run({ argv, io });
  return { code, ...printed };
}

describe('longhaul outline', () => {
  test('shows definitions within the budget, and what surrounds a line', async () => {
    const whole = await longhaul('outline', 'src/retry.ts', '--budget', '60');
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    expect(whole.stdout).toContain('export function retryDelay');
    expect(whole.stdout).not.toContain('something long');
    expect((await longhaul('outline', 'src/retry.ts:3', '--budget', '60')).stdout).toContain('base * 2 ** attempt');
  });

  test('says what is wrong in one sentence', async () => {
    expect(await longhaul('outline', 'nope.ts')).toMatchObject({ code: 2, stderr: expect.stringContaining('nope.ts') });
    expect(await longhaul('outline', 'src/retry.ts:900')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('line 900 does not exist'),
    });
    expect(await longhaul('outline', 'src/retry.ts', '--lines', 'many')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--lines'),
    });
  });
});

describe('longhaul changes', () => {
  test('shows the definition around a change', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: root });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'first');
    writeFileSync(join(root, 'src/retry.ts'), source.replace('100', '200'));
    const { code, stdout } = await longhaul('changes', '--budget', '60');
    expect(code).toBe(0);
    expect(stdout).toContain('/* 2 */   const base = 200;');
    expect(stdout).not.toContain('something long');
  });

  test('outside of a repository one sentence says so', async () => {
    expect(await longhaul('changes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('git diff HEAD failed'),
    });
  });
});

describe('longhaul search-code', () => {
  test('finds, explains, and answers a program', async () => {
    const text = await longhaul('search-code', '--explain', 'delay', 'of', 'retries');
    expect(text).toMatchObject({ code: 0, stdout: expect.stringMatching(/^src\/retry\.ts:1-\d+ .*path names/) });
    const { stdout } = await longhaul('search-code', '--json', '--workspace-embeddings', 'off', 'cookie', 'header');
    expect(JSON.parse(stdout)).toMatchObject({
      strategy: 'lexical',
      results: [{ path: 'src/cookie.ts', startLine: 1, reasons: expect.any(Array) }],
    });
  });

  test('compares by meaning where embeddings are installed', async () => {
    const { stdout } = await longhaul(
      'search-code',
      '--json',
      '--embed',
      'how',
      'long',
      'to',
      'wait',
      'before',
      'trying',
      'again',
    );
    const { strategy, results } = JSON.parse(stdout);
    expect({ strategy, path: results[0].path }).toEqual({ strategy: 'embeddings', path: 'src/retry.ts' });
  });

  test('says what is wrong in one sentence', async () => {
    expect(await longhaul('search-code', '--root', 'nowhere', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The folder'),
    });
    expect(await longhaul('search-code', '--', '  ')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The query is empty'),
    });
  });
});

describe('longhaul complete', () => {
  const caller = "import { retryDelay } from './retry.ts';\n\nexport const ms = retryDelay(\n";

  test('prints prefix, suffix and context with the reason for each piece', async () => {
    writeFileSync(join(root, 'src/caller.ts'), caller);
    const { code, stdout } = await longhaul('complete', 'src/caller.ts:3:31');
    expect(code).toBe(0);
    expect(stdout).toContain('src/retry.ts expression 1: `retryDelay` is on the line of the cursor');
    expect(stdout).toContain('export function retryDelay(attempt: number): number;');
    const json = JSON.parse((await longhaul('complete', 'src/caller.ts:3:31', '--json', '--mode', 'minimal')).stdout);
    expect(json).toMatchObject({ path: 'src/caller.ts', offset: 71, mode: 'minimal', suffix: '\n' });
    expect(json.context).toMatchObject([{ kind: 'expression', path: 'src/retry.ts', reason: expect.any(String) }]);
  });

  test('says what is wrong in one sentence', async () => {
    writeFileSync(join(root, 'src/caller.ts'), caller);
    for (const [args, part] of [
      [['src/caller.ts'], 'is not FILE:LINE:COL'],
      [['src/caller.ts:99:1'], 'line 99 does not exist'],
      [['src/caller.ts:1:1', '--mode', 'most'], '--mode must be one of'],
      [['src/caller.ts:1:1', '--root', 'data'], 'does not exist'],
      [['nope.ts:1:1'], 'nope.ts'],
    ] as const) {
      expect(await longhaul('complete', ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(part) });
    }
  });
});

describe('the agent in a workspace', () => {
  /** Runs a script of tool calls; the events of the run. */
  async function agentWith(calls: readonly object[], ...args: string[]) {
    const answers = [...calls.map((call) => ({ toolCalls: [call] })), { text: 'Done.' }];
    writeFileSync(join(root, 'script.json'), JSON.stringify({ prompts: [{ say: 'Go.', answers }] }));
    const { code, stdout } = await longhaul('run', 'script.json', '--json', ...args);
    return { code, stdout };
  }

  test('finds code with search_code, but not in ignored, secret or denied files', async () => {
    writeFileSync(join(root, '.env'), 'RETRY_DELAY=secret-value\n');
    writeFileSync(join(root, '.gitignore'), 'ignored.ts\ndata/\n');
    writeFileSync(join(root, 'ignored.ts'), 'export const retryDelayIgnored = 1;\n');
    writeFileSync(join(root, 'src/private.ts'), 'export const retryDelayPrivate = 1;\n');
    const call = { name: 'search_code', arguments: { query: 'where is the retry delay computed' } };
    const { code, stdout } = await agentWith([call], '--deny', 'read(src/private.ts)');
    expect(code).toBe(0);
    expect(stdout).toContain('src/retry.ts:1-');
    expect(stdout).not.toMatch(/secret-value|retryDelayIgnored|retryDelayPrivate/);
  });

  test('reads a file over the cap as an outline, unless the setting is off', async () => {
    const body = Array.from(
      { length: 700 },
      (_, at) => `export function f${at}(): number {\n  const x = ${at};\n  return x;\n}\n`,
    );
    writeFileSync(join(root, 'src/large.ts'), body.join('\n'));
    const call = { name: 'read', arguments: { file_path: 'src/large.ts' } };
    const outlined = await agentWith([call]);
    expect(outlined.stdout).toContain('This is an outline');
    expect(outlined.stdout).toContain('export function f300(): number');
    writeFileSync(join(root, 'longhaul.config.json'), JSON.stringify({ workspace: { readOutline: false } }));
    const cut = await agentWith([call]);
    expect(cut.stdout).not.toContain('This is an outline');
    expect(cut.stdout).toContain('[Showing lines 1-2000 of');
  });
});
