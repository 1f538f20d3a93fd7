import { nameTest } from '@longhaul/workspace/ignore';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import type { AgentLocation, ScannedAgent } from './agents.ts';

/** A file or session folder that an agent may have written. */
export interface SessionCandidate {
  readonly agent: ScannedAgent;
  readonly place: AgentLocation;
  readonly path: string;
}

type ScanIo = Pick<Io, 'files' | 'env' | 'home' | 'cwd' | 'platform'>;

/**
 * Finds everything in the locations of some agents that may be a session. Unreadable and missing folders are skipped.
 *
 * @example
 * const found = await findCandidates({ io, agents });
 */
export async function findCandidates({
  io,
  agents,
}: {
  readonly io: ScanIo;
  readonly agents: readonly ScannedAgent[];
}): Promise<readonly SessionCandidate[]> {
  const found = new Map<string, SessionCandidate>();
  for (const agent of agents) {
    for (const place of agent.places) {
      // Two agents may share a folder; the first one wins.
      for (const path of await pathsIn({ io, place })) {
        if (!found.has(path)) found.set(path, { agent, place, path });
      }
    }
  }
  return [...found.values()];
}

async function pathsIn({
  io,
  place,
}: {
  readonly io: ScanIo;
  readonly place: AgentLocation;
}): Promise<readonly string[]> {
  const { join } = pathOf(io);
  if (place.around !== undefined) {
    const files = foldersAround(io).map((folder) => join(folder, place.around ?? ''));
    return await onlyThere({ io, paths: files });
  }
  const folder = folderOf({ io, place });
  if (folder === undefined) return [];
  if (!place.patterns) return await onlyThere({ io, paths: [folder] });
  const kind = place.isFolder ? 'folder' : 'file';
  const lists = place.patterns.map((pattern) => matching({ io, folder, names: pattern.split('/'), kind }));
  return (await Promise.all(lists)).flat();
}

function folderOf({ io, place }: { readonly io: ScanIo; readonly place: AgentLocation }): string | undefined {
  const { join, resolve } = pathOf(io);
  const { variable, home, platform, inside = '' } = place;
  if (platform !== undefined && platform !== io.platform) return undefined;
  const chosen = variable === undefined ? undefined : io.env[variable];
  if (chosen) return join(resolve(io.cwd, chosen), inside);
  return home === undefined ? undefined : join(io.home, home, inside);
}

/** The working directory and its parents. */
function foldersAround(io: ScanIo): string[] {
  const { dirname } = pathOf(io);
  const folders = [io.cwd];
  for (let above = dirname(io.cwd); above !== folders.at(-1); above = dirname(above)) folders.push(above);
  return folders;
}

async function onlyThere({ io, paths }: { readonly io: ScanIo; readonly paths: readonly string[] }): Promise<string[]> {
  const there = await Promise.all(paths.map((path) => io.files.stat(path).catch(() => undefined)));
  return paths.filter((_, index) => there[index]?.kind === 'file');
}

/** Paths below a folder whose names match, level by level. */
export async function matching({
  io,
  folder,
  names: [name = '', ...deeper],
  kind,
}: {
  readonly io: Pick<Io, 'files' | 'platform'>;
  readonly folder: string;
  readonly names: readonly string[];
  readonly kind: 'file' | 'folder';
}): Promise<string[]> {
  const fits = nameTest(name);
  const wanted = deeper.length > 0 ? 'folder' : kind;
  const items = await io.files.list(folder).catch(() => []);
  const paths = items
    .filter((item) => item.kind === wanted && fits(item.name))
    .map((item) => pathOf(io).join(folder, item.name))
    .sort();
  if (deeper.length === 0) return paths;
  const below: string[] = [];
  for (const path of paths) below.push(...(await matching({ io, folder: path, names: deeper, kind })));
  return below;
}
