import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'tsdown';
import packageFile from './package.json' with { type: 'json' };

/** Workers of the engine, in the same folders as in its package, where `locate` looks for them. */
const workers = ['tokens/worker', 'session/store/sqlite/worker', 'summarize/worker', 'engine/recall/worker'];

/**
 * The engine and its small dependencies are bundled: a command loads a few files instead of hundreds. What a prompt file of
 * the user imports too must not exist twice, and what only `demo` needs is not worth it.
 */
const bundled = [
  /^longhaul(?!\/prompt|\/testing)/,
  /^zod/,
  // The SDKs import it; it keeps its state in a global symbol, so that a copy is harmless.
  '@opentelemetry/api',
  ...['@anthropic-ai/sdk', 'openai', 'commander', 'diff', 'eventsource-parser', 'jsonc-parser', 'lru-cache', 'undici'],
];

export default defineConfig({
  entry: {
    main: 'src/main.ts',
    ...Object.fromEntries(workers.map((name) => [name, `../engine/src/${name}.ts`])),
  },
  format: 'esm',
  fixedExtension: false,
  platform: 'node',
  target: 'node24',
  clean: true,
  minify: true,
  inputOptions: {
    resolve: {
      conditionNames: ['longhaul-source', 'node', 'import', 'default'],
      // Its main file loads its parts by a computed `require`, which cannot be bundled.
      alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    },
  },
  deps: { alwaysBundle: bundled },
  copy: [{ from: '../engine/tables/*.bin', to: 'tables' }],
  outputOptions: { chunkFileNames: 'chunks/[name]-[hash].js' },
  hooks: {
    // What would cost time at every start: the tables of the tokenizer; help and version, which bin/longhaul.cjs prints
    // without loading the program.
    'build:done': () => {
      const dist = join(import.meta.dirname, 'dist');
      const tables = join(import.meta.dirname, 'tables');
      const pack = join(import.meta.dirname, '../engine/scripts/pack-tables.ts');
      const [from, to] = ['o200k_base.bin', 'o200k_base.packed'].map((name) => join(tables, name));
      execFileSync(process.execPath, [pack, from ?? '', to ?? '']);
      const env = { PATH: process.env.PATH, COLUMNS: '100' };
      const help = execFileSync(process.execPath, [join(dist, 'main.js'), '--help'], { env, encoding: 'utf8' });
      writeFileSync(join(dist, 'prepared.json'), `${JSON.stringify({ version: packageFile.version, help })}\n`);
    },
  },
});
