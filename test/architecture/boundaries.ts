import { type Import, importsOf, sources } from './imports.ts';

/**
 * Which module of the engine may import which, lowest first. Every module may use the files below them all: `errors.ts`,
 * `json.ts`, `locate.ts`, `regular-file.ts` and `process-identity.ts`, and the folders `key-shapes` and `page`, which several modules share.
 */
const modules: Readonly<Record<string, readonly string[]>> = {
  message: [],
  tokens: ['message'],
  models: ['message', 'tokens'],
  prompt: ['message', 'tokens'],
  session: ['message', 'tokens'],
  formats: ['message', 'tokens', 'session'],
  shell: [],
  analysis: ['message', 'tokens', 'session', 'shell'],
  summarize: ['message', 'tokens', 'models', 'prompt', 'session', 'shell', 'analysis'],
  engine: ['message', 'tokens', 'models', 'prompt', 'session', 'formats', 'shell', 'analysis', 'summarize'],
  memory: ['message', 'tokens', 'models', 'session', 'shell', 'analysis'],
  agent: [
    'message',
    'tokens',
    'models',
    'prompt',
    'session',
    'formats',
    'shell',
    'analysis',
    'summarize',
    'engine',
    'memory',
  ],
  adapters: ['message', 'tokens', 'models', 'prompt', 'session', 'formats', 'engine', 'memory', 'agent'],
  testing: ['message', 'tokens', 'models', 'prompt', 'session', 'formats', 'engine'],
  longhaul: ['message', 'models', 'session', 'engine', 'agent', 'adapters'],
  index: ['message', 'models', 'session', 'engine', 'agent', 'longhaul'],
};

const common = [
  'errors',
  'time',
  'worker-client',
  'json',
  'locate',
  'key-shapes',
  'regular-file',
  'process-identity',
  'page',
];

const engine = /^packages\/engine\/src\/([^/]+?)(?:\.ts)?(?:\/|$)/;

/** Judges decide by the providers' words alone. */
const judges = /^packages\/engine\/src\/testing\/(judge|loopback)\//;

/** One sentence for every import that breaks the order of the modules or of the packages. */
export function boundaryProblems(imports: readonly Import[]): string[] {
  return imports.flatMap((edge) => problemOf(edge) ?? []);
}

export function allImports(): Import[] {
  return sources('packages').flatMap(importsOf);
}

function problemOf({ from, to }: Import): string | undefined {
  // Build scripts are not part of a module.
  if (from.startsWith('packages/engine/scripts/') || from.endsWith('/tsdown.config.ts')) return undefined;
  const fromModule = engine.exec(from)?.[1];
  const toModule = engine.exec(to)?.[1];
  if (fromModule === undefined) {
    return toModule === undefined
      ? packageProblem({ from, to })
      : `${from} imports a file of the engine; it may import longhaul/MODULE only.`;
  }
  const judge = judges.exec(from)?.[1];
  if (judge !== undefined && toModule !== undefined && !judges.test(to))
    return `${from} must not import ${to}: judges share no code with what they judge.`;
  if (to.startsWith('longhaul') || to.startsWith('@longhaul/'))
    return `${from} imports ${to}, which is a package above the engine or the engine itself.`;
  if (toModule === undefined || toModule === fromModule || common.includes(toModule)) return undefined;
  if (fromModule === 'page') return `${from} is below all modules and may import none.`;
  const allowed = modules[fromModule];
  if (!allowed) return `${from} is in an unknown module; add it to the order of the modules.`;
  if (!allowed.includes(toModule)) return `${from} may not import ${toModule}.`;
  return isEntry({ to, module: toModule }) ? undefined : `${from} imports a private file of ${toModule}: ${to}.`;
}

/**
 * Other modules import a module's `index.ts` (public) or `internal.ts` (shared inside this package only). `models` has a
 * second public entry, for what opens connections.
 */
function isEntry({ to, module }: { readonly to: string; readonly module: string }): boolean {
  return (
    to.endsWith(`/src/${module}/index.ts`) ||
    to.endsWith(`/src/${module}/internal.ts`) ||
    to.endsWith('/src/models/clients/index.ts')
  );
}

/** Packages above the engine import each other by name, never by path. */
function packageProblem({ from, to }: { readonly from: string; readonly to: string }): string | undefined {
  const home = from.split('/').slice(0, 2).join('/');
  const isForeignPath = to.startsWith('packages/') && !to.startsWith(`${home}/`);
  return isForeignPath ? `${from} imports a file of another package: ${to}.` : undefined;
}
