import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, type StagedPackage, stagePackages } from '../../release/stage.ts';
import { startBrowser } from '../page/browser.ts';

const node24 = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const version24 = '24.21.0';
const isBuilt = ['cli', 'engine', 'gateway', 'workspace', 'embeddings'].every((folder) =>
  existsSync(join(root, 'packages', folder, 'dist')),
);
const folder = mkdtempSync(join(tmpdir(), 'longhaul-install-'));
const project = join(folder, 'project');
let staged: StagedPackage[] = [];
let failure = '';

function run({ file, args }: { readonly file: string; readonly args: readonly string[] }) {
  // npm keeps the user's settings and cache.
  const env = file === 'npm' ? process.env : { PATH: process.env.PATH, HOME: folder };
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: project, encoding: 'utf8', env });
  return { status, stdout, stderr };
}

beforeAll(() => {
  if (!isBuilt) return;
  staged = stagePackages({ out: join(folder, 'packed') });
  mkdirSync(project);
  const own = Object.fromEntries(staged.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]));
  // A peer of `longhaul/adapters/mcp`.
  const dependencies = { ...own, '@modelcontextprotocol/server': '2.4.0' };
  // It has 290 MB, and is here already.
  const overrides = { 'onnxruntime-node': `file:${join(root, 'node_modules/onnxruntime-node')}` };
  const optionalDependencies = { [node24]: version24 };
  const manifest = { private: true, type: 'module', dependencies, optionalDependencies, overrides };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  const { status, stderr } = run({ file: 'npm', args: ['install', ...flags] });
  if (status !== 0) failure = stderr;
}, 400_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Where the registry cannot be reached, nothing can be installed. */
function isOffline(): boolean {
  return !isBuilt || /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/.test(failure);
}

/** The Nodes to try: this one, and Node 24 where npm has it for this machine. */
function nodes(): string[] {
  const other = join(project, 'node_modules', node24, 'bin/node');
  return [process.execPath, ...(existsSync(other) ? [other] : [])];
}

const installed = (name: string) => join(project, 'node_modules', name);
const manifestOf = (name: string) =>
  JSON.parse(readFileSync(join(installed(name), 'package.json'), 'utf8')) as {
    readonly dependencies?: Record<string, string>;
    readonly optionalDependencies?: Record<string, string>;
  };

/** A package and all that is installed because of it. */
function closure(name: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(name) || !existsSync(installed(name))) return found;
  found.add(name);
  const { dependencies = {}, optionalDependencies = {} } = manifestOf(name);
  for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) closure(each, found);
  return found;
}

function bytesIn(path: string): number {
  const facts = lstatSync(path);
  if (!facts.isDirectory()) return facts.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}

/** The most megabytes and packages of an installation, the package itself included. */
const limits: Readonly<Record<string, { readonly megabytes: number; readonly packages: number }>> = {
  longhaul: { megabytes: 12, packages: 11 },
  '@longhaul/gateway': { megabytes: 16, packages: 24 },
  '@longhaul/workspace': { megabytes: 4, packages: 3 },
  '@longhaul/cli': { megabytes: 55, packages: 36 },
};

describe.skipIf(!isBuilt)('the packages, packed and installed in an empty project (npm run build first)', () => {
  it('install, and stay small', (test) => {
    if (isOffline()) return test.skip(`the registry cannot be reached: ${failure.split('\n')[0]}`);
    expect(failure).toBe('');
    expect(staged).toHaveLength(5);
    for (const [name, limit] of Object.entries(limits)) {
      const all = closure(name);
      const megabytes = [...all].reduce((sum, each) => sum + bytesIn(installed(each)), 0) / 1e6;
      const own = bytesIn(installed(name)) / 1e6;
      console.log(`${name}: ${own.toFixed(1)} MB, ${megabytes.toFixed(1)} MB with ${all.size - 1} dependencies`);
      expect(megabytes, name).toBeLessThanOrEqual(limit.megabytes);
      expect(all.size, [...all].join(' ')).toBeLessThanOrEqual(limit.packages);
    }
  });

  it('every entry loads, a session works and the command starts, on this Node and on Node 24', (test) => {
    if (isOffline()) return test.skip('nothing is installed');
    const entries = staged.flatMap(({ manifest }) =>
      Object.keys(manifest.exports)
        .filter((subpath) => subpath !== './package.json' && !/langchain|openai-agents|ai-sdk-ui/.test(subpath))
        .map((subpath) => manifest.name + subpath.slice(1)),
    );
    const script = `
      for (const name of ${JSON.stringify(entries)}) await import(name);
      const { readStructure } = await import('@longhaul/workspace/outline');
      const { root } = await readStructure({ path: 'a.ts', text: 'class A { run() {} }' });
      console.log(root.children[0].kind);
      const { createLonghaul } = await import('longhaul');
      const { scriptedModel } = await import('longhaul/testing');
      const model = scriptedModel({ script: () => ({ text: 'Done.' }) });
      const longhaul = await createLonghaul({ dir: 'store-' + process.versions.node, model });
      const session = await longhaul.open('one');
      for await (const event of session.send('Hello')) if (event.type === 'run_end') console.log(event.text);
      await longhaul.close();
      console.log(process.versions.node);`;
    writeFileSync(join(project, 'try.js'), script);
    const ran = nodes().map((node) => run({ file: node, args: ['try.js'] }));
    const expected = nodes().map((_, at) => ({
      status: 0,
      stdout: `class\nDone.\n${at === 0 ? process.versions.node : version24}\n`,
    }));
    expect(ran.map(({ stderr }) => stderr)).toEqual(nodes().map(() => ''));
    expect(ran).toMatchObject(expected);
    const command = join(installed('@longhaul/cli'), 'bin/longhaul.cjs');
    const compiled = join(folder, '.cache/longhaul/compiled');
    const keptCode = () => readdirSync(compiled).filter((name) => name.startsWith('command-'));
    for (const node of nodes()) {
      const counted = run({ file: node, args: [command, 'count', 'package.json', '--json'] });
      expect(counted).toMatchObject({ status: 0, stderr: '' });
      expect(
        keptCode().filter((name) =>
          name.includes(`-v${node === process.execPath ? process.versions.node : version24}-`),
        ),
      ).toHaveLength(1);
      // Damaged code is compiled again.
      for (const name of keptCode()) writeFileSync(join(compiled, name), 'damaged');
      expect(run({ file: node, args: [command, 'count', 'package.json', '--json'] })).toEqual(counted);
      // It imports a package, in a run that has compiled code.
      expect(run({ file: node, args: [command, 'search-code', 'createLonghaul'] }).stderr).toBe('');
      const demo = run({ file: node, args: [command, 'demo', '--help'] });
      expect(demo).toMatchObject({ status: 0, stdout: expect.stringContaining('demo') });
    }
    const [{ manifest } = { manifest: { version: '' } }] = staged;
    const npx = run({ file: 'npx', args: ['--no-install', '@longhaul/cli', '--version'] });
    expect(npx).toMatchObject({ status: 0, stdout: `${manifest.version}\n` });
  });

  it('longhaul/message runs in a browser', async (test) => {
    if (isOffline()) return test.skip('nothing is installed');
    const input = join(project, 'page.js');
    writeFileSync(
      input,
      `import { check, codecs, repair } from 'longhaul/message';
       const messages = codecs['openai-chat'].decode([
         { role: 'user', content: 'Run the tests.' },
         { role: 'assistant', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'bash', arguments: '{}' } }] },
       ]);
       const { messages: valid } = repair(messages, 'anthropic');
       document.title = [check(messages, 'anthropic').length, check(valid, 'anthropic').length].join();`,
    );
    const bundle = await rolldown({ input, platform: 'browser' });
    const { output } = await bundle.generate({ format: 'iife' });
    const browser = await startBrowser();
    try {
      const { page, said } = await browser.open(`<body></body><script>${output[0].code}</script>`);
      expect(await page.title()).toBe('2,0');
      expect(said).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
