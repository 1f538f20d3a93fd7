import { type Import, importsOf, sources } from './imports.ts';

/**
 * Which room of the engine may enter which, lowest first. Every room may use the files below them all: `errors.ts`,
 * `json.ts`, `locate.ts` and `regular-file.ts`, and the folders `key-shapes` and `page` with what several rooms share.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  message: [],
  tokens: ['message'],
  models: ['message', 'tokens'],
  prompt: ['message', 'tokens'],
  session: ['message', 'tokens'],
  shell: [],
  compaction: ['message', 'tokens', 'models', 'prompt', 'session', 'shell'],
  memory: ['message', 'tokens', 'models', 'prompt', 'session', 'compaction'],
  agent: ['message', 'tokens', 'models', 'prompt', 'session', 'shell', 'compaction'],
  adapters: ['message', 'tokens', 'models', 'prompt', 'session', 'compaction', 'memory', 'agent'],
  testing: ['message', 'tokens', 'models', 'prompt', 'session', 'compaction'],
  index: ['message', 'tokens', 'models', 'prompt', 'session', 'compaction', 'memory', 'agent'],
};

const common = ['errors', 'json', 'locate', 'key-shapes', 'regular-file', 'page'];

const engine = /^packages\/engine\/src\/([^/]+?)(?:\.ts)?(?:\/|$)/;

/** Judges decide by the providers' words alone. */
const judges = /^packages\/engine\/src\/testing\/(judge|loopback)\//;

/** One sentence for every import that breaks the order of the rooms or of the packages. */
export function boundaryProblems(imports: readonly Import[]): string[] {
  return imports.flatMap((edge) => problemOf(edge) ?? []);
}

export function allImports(): Import[] {
  return sources('packages').flatMap(importsOf);
}

function problemOf({ from, to }: Import): string | undefined {
  const fromRoom = engine.exec(from)?.[1];
  const toRoom = engine.exec(to)?.[1];
  if (fromRoom === undefined) {
    return toRoom === undefined
      ? crossing({ from, to })
      : `${from} reaches into the engine; it may import longhaul/ROOM only.`;
  }
  const apart = judges.exec(from)?.[1];
  if (apart !== undefined && toRoom !== undefined && !judges.test(to))
    return `${from} must not know ${to}: judges share no code with what they judge.`;
  if (to.startsWith('longhaul') || to.startsWith('@longhaul/'))
    return `${from} imports ${to}, which stands above the engine or is it.`;
  if (toRoom === undefined || toRoom === fromRoom || common.includes(toRoom)) return undefined;
  if (fromRoom === 'page') return `${from} stands below all rooms and may enter none.`;
  const allowed = rooms[fromRoom];
  if (!allowed) return `${from} is in no known room; add it to the order of the rooms.`;
  if (!allowed.includes(toRoom)) return `${from} may not enter ${toRoom}.`;
  return isDoor({ to, room: toRoom }) ? undefined : `${from} enters ${toRoom} past its index: ${to}.`;
}

/** A room is entered through its index; `models` has a second door, for what opens connections. */
function isDoor({ to, room }: { readonly to: string; readonly room: string }): boolean {
  return to.endsWith(`/src/${room}/index.ts`) || to.endsWith('/src/models/clients/index.ts');
}

/** Packages above the engine know each other by name, never by path. */
function crossing({ from, to }: { readonly from: string; readonly to: string }): string | undefined {
  const home = from.split('/').slice(0, 2).join('/');
  const isForeignPath = to.startsWith('packages/') && !to.startsWith(`${home}/`);
  return isForeignPath ? `${from} reaches into another package: ${to}.` : undefined;
}
