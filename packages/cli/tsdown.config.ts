import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type UserConfig } from 'tsdown';
import packageFile from './package.json' with { type: 'json' };

const here = import.meta.dirname;

/** Workers of the engine, in the same folders as in its package, where `locate` looks for them. */
const workers = ['tokens/worker', 'session/store/sqlite/worker', 'summarize/worker', 'engine/recall/worker'];

/**
 * The engine and its small dependencies are bundled: a command loads a few files instead of hundreds. What a prompt file of
 * the user imports too must not exist twice, and what only `demo` needs is not worth it.
 */
const bundled = [
  /^longhaul(?!\/prompt|\/testing)/,
  /^zod/,
  '@longhaul/workspace/tree',
  ...['commander', 'diff', 'eventsource-parser', 'jsonc-parser', 'lru-cache', 'undici'],
  // Only a part of these large packages is used, and they bring many others.
  ...[/^@modelcontextprotocol\//, '@agentclientprotocol/sdk', 'smol-toml'],
  ...['cross-spawn', 'eventsource', 'jose', 'pkce-challenge'],
  ...['isexe', 'path-key', 'shebang-command', 'shebang-regex', 'which'],
];

/** The list of settings as a module, made from their schema once, here. */
function settingsModule(): string {
  const script = `
    import { knownSettings } from './src/settings/known.ts';
    console.log('export const knownSettings = ' + JSON.stringify(knownSettings));`;
  const args = ['--conditions=longhaul-source', '--input-type=module', '--eval', script];
  return execFileSync(process.execPath, args, { cwd: here, encoding: 'utf8' });
}

/**
 * Modules of Node that many runs do not use, or not before the first request. Each takes milliseconds to load, so the bundle
 * loads them when a member is first read. A module whose default export is imported, too, is left as it is.
 */
const lazyModules =
  'child_process|crypto|dns/promises|https|perf_hooks|readline|readline/promises|v8|worker_threads|zlib';

const lazyModulesPlugin = {
  name: 'lazy-modules',
  renderChunk(code: string) {
    const pattern = new RegExp(`^let (\\w+) = require\\("(node:(?:${lazyModules}))"\\);$(?!\\n\\1 = )`, 'gm');
    const lazy = 'let $1 = ((of) => new Proxy({}, { get: (_, member) => (of ??= require("$2"))[member] }))();';
    return { code: code.replace(pattern, lazy), map: null };
  },
};

const common: UserConfig = {
  // CommonJS: an import of a module of Node, other than its `require`, evaluates all that the module would load lazily.
  format: 'cjs',
  fixedExtension: false,
  platform: 'node',
  target: 'node24',
  minify: true,
  inputOptions: {
    preserveEntrySignatures: 'allow-extension',
    resolve: {
      conditionNames: ['longhaul-source', 'node', 'import', 'default'],
      // Its main file loads its parts by a computed `require`, which cannot be bundled.
      alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    },
  },
  deps: { alwaysBundle: bundled },
};

/** The agent and what begins every command are one file: loading a file takes longer than running most of its code. */
const program = [
  'src/main.ts',
  'src/commands/agent.ts',
  '../engine/src/models/clients/index.ts',
  '../engine/src/memory/index.ts',
];

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

let found: ReadonlySet<string> | undefined;

/** The modules of the program, without those that are imported only when needed. */
function programModules(graph: ModuleGraph): ReadonlySet<string> {
  const reached = new Set(program.map((file) => join(here, file)));
  for (const id of reached) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) reached.add(next);
  return reached;
}

export default defineConfig([
  {
    ...common,
    entry: { main: 'src/main.ts' },
    clean: true,
    copy: [{ from: '../engine/tables/*.bin', to: 'tables' }],
    plugins: [
      {
        name: 'known-settings',
        load: { filter: { id: /settings\/known\.ts$/ }, handler: settingsModule },
      },
      lazyModulesPlugin,
    ],
    outputOptions: {
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      // Node reads and compiles text of one byte per character faster.
      charset: 'ascii',
      codeSplitting: {
        groups: [
          {
            name(id, graph) {
              found ??= programModules(graph);
              return found.has(id) ? 'program' : null;
            },
          },
        ],
        includeDependenciesRecursively: false,
      },
    },
    hooks: {
      // What would cost time at every start: the tables of the tokenizer; help and version, which bin/longhaul.cjs prints
      // without loading the program.
      'build:done': () => {
        const dist = join(here, 'dist');
        writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`);
        const tables = join(here, 'tables');
        const pack = join(here, '../engine/scripts/pack-tables.ts');
        const [from, to] = ['o200k_base.bin', 'o200k_base.packed'].map((name) => join(tables, name));
        execFileSync(process.execPath, [pack, from ?? '', to ?? '']);
        const env = { PATH: process.env.PATH, COLUMNS: '100' };
        const help = execFileSync(process.execPath, [join(dist, 'main.js'), '--help'], { env, encoding: 'utf8' });
        writeFileSync(join(dist, 'prepared.json'), `${JSON.stringify({ version: packageFile.version, help })}\n`);
      },
    },
  },
  // A worker is one file without what only the main thread needs.
  ...workers.map(
    (name): UserConfig => ({
      ...common,
      entry: { [name]: `../engine/src/${name}.ts` },
      clean: false,
      outputOptions: { entryFileNames: '[name].js', codeSplitting: false, charset: 'ascii' },
    }),
  ),
]);
