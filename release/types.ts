/**
 * `npm run types:packages [-- --quick]`: checks the declarations of the built packages as users compile against them, with
 * `skipLibCheck` off, under node16 and bundler resolution: every public entry, and the examples of the adapters with the
 * real frameworks. Declarations of a framework that fail by themselves are listed in `known` and printed; a diagnostic in
 * a file of ours, or in a framework file that does not fail alone, is a failure. `--quick`, which is part of `npm test`,
 * leaves out the examples and the two entries whose frameworks take most of the time.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, workspacePackages } from './stage.ts';

/** Packages whose own declarations do not compile, and what to import to see it; the diagnostics are printed. */
const mastraEntries = ['@mastra/core/agent', '@mastra/core/memory', '@mastra/core/tools'];
const known: Readonly<Record<string, readonly string[]>> = {
  '@mariozechner/pi-ai': ['@mariozechner/pi-coding-agent'],
  '@openai/agents-core': ['@openai/agents'],
  '@openai/agents-openai': ['@openai/agents'],
  '@openai/agents-realtime': ['@openai/agents'],
  '@mastra/core': mastraEntries,
  '@mastra/schema-compat': mastraEntries,
};

const frameworks = ['ai', 'langchain', '@openai/agents', '@opentelemetry/api', '@modelcontextprotocol/server'];
/** Their frameworks take nine tenths of the time. */
const slowEntries = ['longhaul/adapters/langchain', 'longhaul/adapters/openai-agents'];
const examples = [
  'ai-sdk/agent',
  'langchain/agent',
  'openai-agents/agent',
  'pi/agent',
  'loop/anthropic',
  'loop/gemini',
  'loop/openai-chat',
  'loop/openai-responses',
  'ai-sdk-ui/server',
  'ai-sdk-ui/page',
];
/** Installed on its own, because it is large: `npm --prefix examples/mastra ci`. */
const mastra = join(root, 'examples/mastra/node_modules');
const providers = [
  '@ai-sdk/react',
  '@hono/node-server',
  'hono',
  'react',
  'react-dom',
  'rolldown',
  '@types/react',
  '@types/react-dom',
  '@mariozechner/pi-coding-agent',
  '@langchain/openai',
  '@ai-sdk/anthropic',
  '@google/genai',
  'openai',
];

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const folder = mkdtempSync(join(tmpdir(), 'longhaul-types-'));
try {
  const problems = check();
  for (const problem of problems) console.error(`types: ${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}

function check(): string[] {
  const packages = workspacePackages().filter(({ manifest }) => Object.keys(manifest.exports).length > 1);
  const unbuilt = packages.filter(({ folder: name }) => !existsSync(join(root, 'packages', name, 'dist')));
  if (unbuilt.length > 0) return ['there is no build; `npm run build` makes one.'];
  for (const { folder: name, manifest } of packages) {
    const installed = join(folder, 'node_modules', manifest.name);
    cpSync(join(root, 'packages', name, 'dist'), join(installed, 'dist'), { recursive: true });
    copyFileSync(join(root, 'packages', name, 'package.json'), join(installed, 'package.json'));
    for (const dependency of Object.keys(manifest.dependencies ?? {})) link(dependency);
  }
  for (const name of [...frameworks, ...providers, 'zod', '@types/node', '@ai-sdk/provider', '@anthropic-ai/sdk'])
    link(name);
  for (const name of ['@langchain/core', '@langchain/langgraph', '@ai-sdk/openai']) link(name);
  const exported = packages.flatMap(({ manifest }) =>
    Object.keys(manifest.exports).flatMap((subpath) =>
      subpath === './package.json' ? [] : [manifest.name + subpath.slice(1)],
    ),
  );
  const entries = values.quick ? exported.filter((name) => !slowEntries.includes(name)) : exported;
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(folder, 'entries.ts'), imports(entries));
  writeFileSync(join(folder, 'frameworks.ts'), imports([...new Set(Object.values(known).flat())]));
  const copied = values.quick ? [] : copyExamples();

  return [
    { module: 'node16', moduleResolution: 'node16' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ].flatMap((options) => {
    const alone = values.quick ? new Map<string, string>() : filesWithErrors({ files: ['frameworks.ts'], options });
    const together = filesWithErrors({ files: ['entries.ts', ...copied], options });
    const excused = new Map(
      [...alone.keys()].flatMap((file) => {
        const name = Object.keys(known).find((each) => file.includes(`/${each}/`));
        return name === undefined ? [] : [[file, name] as const];
      }),
    );
    console.log(`types: ${options.moduleResolution}: ${entries.length} entries and ${copied.length} examples compiled`);
    for (const [name, files] of Map.groupBy(excused.keys(), (file) => excused.get(file))) {
      const [first = ''] = files;
      console.log(`types:   fails without us: ${name}, ${files.length} files, first ${first}: ${alone.get(first)}`);
    }
    return [...together]
      .filter(([file]) => !excused.has(file))
      .map(([file, message]) => `${options.moduleResolution}: ${file}: ${message}`);
  });
}

/** Copies the examples next to the installed packages, and returns their names there. */
function copyExamples(): string[] {
  const hasMastra = existsSync(mastra);
  if (hasMastra) link('@mastra/core', mastra);
  else console.log('types: without Mastra, which is not installed: npm --prefix examples/mastra ci --ignore-scripts');
  return [...examples, ...(hasMastra ? ['mastra/agent'] : [])].map((name) => {
    const source = ['.ts', '.tsx']
      .map((suffix) => `${name}${suffix}`)
      .find((each) => existsSync(join(root, 'examples', each)));
    if (source === undefined) throw new Error(`There is no example ${name}.`);
    const copy = source.replace('/', '-');
    copyFileSync(join(root, 'examples', source), join(folder, copy));
    return copy;
  });
}

function imports(names: readonly string[]): string {
  return names.map((name, at) => `export * as entry${at} from '${name}';\n`).join('');
}

function link(name: string, from = join(root, 'node_modules')): void {
  const path = join(folder, 'node_modules', name);
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(join(from, name), path);
}

/** The files that TypeScript complains about, with the first complaint about each. */
function filesWithErrors({
  files,
  options,
}: {
  readonly files: readonly string[];
  readonly options: object;
}): Map<string, string> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
    types: ['node'],
    jsx: 'react-jsx',
    ...options,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { status, stdout, stderr } = spawnSync(tsc, ['-p', '.', '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const found = new Map<string, string>();
  for (const line of `${stdout}${stderr}`.split('\n')) {
    const [, file, message] = /^(\S[^(]*)\(\d+,\d+\): error (.*)/.exec(line) ?? [];
    if (file !== undefined && message !== undefined && !found.has(file)) found.set(file, message);
  }
  if (status !== 0 && found.size === 0)
    found.set('tsconfig.json', `TypeScript ended with ${status}: ${stdout}${stderr}`);
  return found;
}
