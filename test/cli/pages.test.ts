import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startLoopback } from 'longhaul/testing';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { folder } from './longhaul.ts';

const root = join(import.meta.dirname, '../..');
const page = (name: string) => readFileSync(join(root, name), 'utf8');

/** Commands that other tests run, or that would change the clone in which this test runs. */
const elsewhere = /^(?:npm (?:ci|start|test|run -s build)(?: && |$)|longhaul demo$|export ANTHROPIC_API_KEY=)/;

/** The commands in the code blocks of a page, as printed; an explanation follows after two spaces. */
function commandsOf({ text, language }: { readonly text: string; readonly language: string }): string[] {
  let open: string | undefined;
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('```')) {
      open = open === undefined ? line.slice(3) : undefined;
      return [];
    }
    const [command = ''] = line.split(/ {2,}/);
    return open === language && /^(?:npm|longhaul|mkdir|cd|cat|export) /.test(command) ? [command] : [];
  });
}

/** A provider whose model writes a page, then answers. */
async function provider() {
  let answers = 0;
  const server = await startLoopback({
    script: ({ body }) => {
      answers += 1;
      const content = `# Tea\n\n${'Green tea is steeped at eighty degrees, for two minutes. '.repeat(40)}\n`;
      if (answers === 1 && JSON.stringify(body).includes('tea.md'))
        return { toolCalls: [{ name: 'write', arguments: { file_path: 'tea.md', content } }] };
      return { text: `Done. ${'The page explains the leaves, the water and the time. '.repeat(30)}` };
    },
  });
  onTestFinished(() => server.close());
  return { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-ant-not-a-real-key-1234567890' };
}

/** A home, an empty folder, and a prefix for global packages. */
function userOf(env: Readonly<Record<string, string>>) {
  const base = folder();
  const [home, prefix, cwd] = ['home', 'prefix', 'empty'].map((name) => join(base, name));
  for (const path of [home, prefix, cwd]) mkdirSync(path ?? '');
  const path = `${prefix}/bin:${process.env.PATH}`;
  const variables = { ...env, HOME: home, PATH: path, npm_config_prefix: prefix, npm_config_cache: `${base}/npm` };
  return { cwd: cwd ?? '', env: { ...variables, LONGHAUL_LOCAL_URL: 'http://127.0.0.1:9' } };
}

/** A program that sends one request to where Claude Code would send it. */
const claude = `
const body = { model: 'claude-sonnet-4-5', max_tokens: 100, messages: [{ role: 'user', content: 'Use port 8443.' }] };
const headers = { 'content-type': 'application/json', 'x-api-key': process.env.ANTHROPIC_API_KEY, 'anthropic-version': '2023-06-01' };
const { ok } = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', headers, body: JSON.stringify(body) });
process.exitCode = ok ? 0 : 1;
`;

/** Runs lines as one script of a shell; stops at the first that fails. */
async function shell(of: {
  readonly lines: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Promise<{ readonly code: number | null; readonly output: string }> {
  const script = of.lines.flatMap((line) => [`echo '$ ${line.replaceAll("'", '')}'`, line]).join('\n');
  const child = spawn('sh', ['-e', '-c', script], { cwd: of.cwd, env: of.env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, output };
}

const isPosix = process.platform !== 'win32';
let installed: { readonly cwd: string; readonly env: Record<string, string | undefined> };

beforeAll(() => {
  expect(Object.keys(JSON.parse(page('package.json')).scripts)).toEqual(
    expect.arrayContaining(['start', 'build', 'test', 'longhaul']),
  );
});

test.skipIf(!isPosix)(
  'docs/getting-started.md works as written, in an empty folder',
  { timeout: 120_000 },
  async () => {
    const lines = commandsOf({ text: page('docs/getting-started.md'), language: 'sh' });
    expect(lines.length).toBeGreaterThan(20);
    const [inClone, anywhere] = [/^npm install/, /^(?!npm install)/].map((kind) =>
      lines.filter((line) => kind.test(line) && !elsewhere.test(line)),
    );
    installed = userOf(await provider());
    const install = await shell({ ...installed, lines: inClone ?? [], cwd: root });
    expect(install).toMatchObject({ code: 0 });
    const { code, output } = await shell({ ...installed, lines: anywhere ?? [] });
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    expect(output).toMatch(/\n@\d+ compaction .*← here\n/);
    expect(output).toContain('undone');
    for (const name of ['tea.md', 'tea.html', 'tea.jsonl', 'request.json', 'summary.txt'])
      expect(existsSync(join(installed.cwd, 'tea', name))).toBe(true);
  },
);

test.skipIf(!isPosix)(
  'the commands of the README work as printed, in an empty folder',
  { timeout: 120_000 },
  async () => {
    const lines = commandsOf({ text: page('README.md'), language: '' });
    expect(lines.length).toBeGreaterThan(10);
    const user = userOf(await provider());
    const clone = lines.filter((line) => /^npm install/.test(line));
    expect(clone).toEqual(['npm install --global ./packages/cli']);
    expect((await shell({ ...user, lines: clone, cwd: root })).code).toBe(0);
    const program = join(user.env.npm_config_prefix ?? '', 'bin/claude');
    writeFileSync(program, `#!${process.execPath}\n${claude}`, { mode: 0o755 });
    const others = lines.filter((line) => !/^npm |^longhaul wrap codex| import --scan$/.test(line));
    const { code, output } = await shell({ ...user, lines: others });
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
  },
);
