import { basename, dirname, join } from 'node:path';
import type { FileState, Session } from '../../session/index.ts';
import { type CommandLine, type LineCommand, understandLine } from '../../shell/index.ts';
import type { Access } from '../permission.ts';
import { realPath } from '../workspace/workspace.ts';
import { defaultRollbackLimits, isSameState, pathsInside, type RollbackLimits, readState } from './file-state.ts';
import type { FileVersions } from './file-versions.ts';

/** Keeps what an agent changes in files, so that it can be rolled back. */
export interface FileHistory {
  /**
   * Keeps the files that a call is about to change. The returned function records what became of them and must be called
   * when the call has ended, however it ended.
   */
  before(call: { readonly callId: string; readonly tool: string; readonly access: Access }): Promise<{
    /** Files whose content is not kept, in one sentence. */
    readonly notice?: string;
    readonly after: (written?: readonly FileWrite[]) => Promise<void>;
  }>;
}

/** A file that a tool wrote, with the hash of exactly these bytes: what others write right after is not the tool's. */
export interface FileWrite {
  readonly path: string;
  /** SHA-256, hexadecimal. */
  readonly hash: string;
}

/** More paths in a command line are not looked at. */
const mostPaths = 2_000;

const done = { after: async () => undefined };

/**
 * Creates the history of a session's file changes. The notes are in its log, the contents in `versions`.
 *
 * @example
 * const versions = openFileVersions({ dir: join(cwd, '.versions') });
 * const fileHistory = createFileHistory({ session: session.session, versions });
 * const agent = await createAgent({ session, model, tools: [], fileHistory });
 */
export function createFileHistory({
  session,
  versions,
  limits: given = {},
}: {
  readonly session: Pick<Session, 'append'>;
  readonly versions: FileVersions;
  readonly limits?: Partial<RollbackLimits>;
}): FileHistory {
  const limits = { ...defaultRollbackLimits, ...given };
  return {
    async before({ callId, tool, access }) {
      if (access.kind !== 'write' && access.kind !== 'execute') return done;
      const { targets, untracked } =
        access.kind === 'execute'
          ? await targetsOf(access)
          : { targets: access.paths.map((path) => ({ path, isTree: false })), untracked: undefined };
      const files = await keepFiles({ targets, versions, limits });
      if (files.size === 0 && untracked === undefined) return done;
      const { id } = await session.append({
        type: 'file_snapshot',
        cause: { call: callId, tool },
        files: [...files].map(([path, state]) => ({ path, state })),
        ...(untracked !== undefined && { untracked }),
      });
      const notice = unkeptNotice(files);
      return {
        ...(notice !== undefined && { notice }),
        async after(written = []) {
          const known = new Map(written.map(({ path, hash }) => [path, hash]));
          const paths = new Set(files.keys());
          for (const path of await addedPaths({ targets, files, limits })) paths.add(path);
          const changed: { path: string; state: FileState }[] = [];
          for (const path of paths) {
            const found = await stateOf({ path, fileBytes: limits.fileBytes });
            const hash = known.get(path);
            const state = found.kind === 'file' && hash !== undefined ? { ...found, hash } : found;
            if (!isSameState(files.get(path) ?? { kind: 'absent' }, state)) changed.push({ path, state });
          }
          await session.append({ type: 'file_change', snapshot: id, files: changed });
        },
      };
    },
  };
}

/** A path that may change; a tree with everything inside. */
interface ChangeTarget {
  readonly path: string;
  readonly isTree: boolean;
}

/** A folder that cannot be read must not stop a call. */
async function stateOf(of: Parameters<typeof readState>[0]): Promise<FileState> {
  return await readState(of).catch(() => ({ kind: 'other' as const }));
}

async function keepFiles({
  targets,
  versions,
  limits,
}: {
  readonly targets: readonly ChangeTarget[];
  readonly versions: FileVersions;
  readonly limits: RollbackLimits;
}): Promise<Map<string, FileState>> {
  const files = new Map<string, FileState>();
  let [bytes, count] = [0, 0];
  const add = async (path: string): Promise<FileState> => {
    const known = files.get(path);
    if (known) return known;
    const left = limits.callBytes - bytes;
    const state = await stateOf({ path, versions, fileBytes: Math.min(limits.fileBytes, left) });
    if (state.kind === 'file' && state.unkept === undefined) bytes += state.size;
    count += 1;
    files.set(path, state);
    return state;
  };
  const addIfMissing = async (path: string): Promise<boolean> => {
    const isMissing = (await stateOf({ path, fileBytes: 0 })).kind === 'absent';
    if (isMissing) files.set(path, { kind: 'absent' });
    return isMissing;
  };
  for (const { path, isTree } of targets) {
    const state = await add(path);
    // Missing folders are created with a file.
    let isMissing = state.kind === 'absent';
    for (let at = dirname(path); isMissing; at = dirname(at)) isMissing = await addIfMissing(at);
    if (state.kind !== 'folder' || !isTree) continue;
    const inside = await pathsInside({ folder: path, most: limits.callFiles - count });
    if (inside) for (const one of inside) await add(one);
    else files.set(path, { ...state, unkept: `it has more than ${limits.callFiles - count} files` });
  }
  return files;
}

/** What a call created in folders that it wrote as a whole or that were not there before. */
async function addedPaths(of: {
  readonly targets: readonly ChangeTarget[];
  readonly files: ReadonlyMap<string, FileState>;
  readonly limits: RollbackLimits;
}): Promise<string[]> {
  const added: string[] = [];
  for (const { path, isTree } of of.targets) {
    const before = of.files.get(path);
    const isUnkept = before?.kind === 'folder' && before.unkept !== undefined;
    if (isUnkept || (before?.kind !== 'absent' && !isTree)) continue;
    added.push(...((await pathsInside({ folder: path, most: of.limits.callFiles })) ?? []));
  }
  return added;
}

function unkeptNotice(files: ReadonlyMap<string, FileState>): string | undefined {
  const unkept = [...files].flatMap(([path, state]) =>
    (state.kind === 'file' || state.kind === 'folder') && state.unkept !== undefined ? [[path, state.unkept]] : [],
  );
  const [first, ...more] = unkept;
  if (!first) return undefined;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return `A rewind cannot restore ${first[0]}${others} as it is now: ${first[1]}.`;
}

/** The paths that a command line names as changed, and why there may be more. */
async function targetsOf({
  command,
  cwd,
}: {
  readonly command: string;
  readonly cwd: string;
}): Promise<{ readonly targets: readonly ChangeTarget[]; readonly untracked: string | undefined }> {
  const line = understandLine(command);
  const targets = new Map<string, ChangeTarget>();
  let hasMore = false;
  for (const { text, base, isTree } of namedPaths({ line, cwd })) {
    if (targets.size >= mostPaths) {
      hasMore = true;
      break;
    }
    for (const path of await placesOf({ base, text })) {
      targets.set(path, { path, isTree: isTree || targets.get(path)?.isTree === true });
    }
  }
  const isOpen = line.commands.some(({ effects }) => effects.some(({ writes = [] }) => writes.includes('.')));
  const untracked =
    line.reason ??
    (hasMore ? 'it names too many files' : isOpen ? 'it changes files that it does not name' : undefined);
  return { targets: [...targets.values()], untracked };
}

function* namedPaths({ line, cwd }: { readonly line: CommandLine; readonly cwd: string }) {
  for (const command of line.commands) {
    for (const steps of command.folders) {
      // Each step is relative to the one before.
      const base = steps.reduce((folder, step) => (step.startsWith('/') ? step : join(folder, step)), cwd);
      yield* pathsOfCommand({ command, base });
    }
  }
}

function* pathsOfCommand({ command, base }: { readonly command: LineCommand; readonly base: string }) {
  for (const { directory, writes = [], deletes = [], trees = [] } of command.effects) {
    const folder = directory === undefined ? base : directory.startsWith('/') ? directory : join(base, directory);
    // The folder itself means unknown files in it.
    for (const text of writes) if (text !== '.') yield { text, base: folder, isTree: false };
    for (const text of [...deletes, ...trees]) yield { text, base: folder, isTree: true };
  }
  for (const { op, target } of command.redirects) {
    if (op !== '<') yield { text: target, base, isTree: false };
  }
}

/** The path itself, and the file it leads to if it is a link: programs replace one or the other. */
async function placesOf({ base, text }: { readonly base: string; readonly text: string }): Promise<string[]> {
  if (text.length > 4096 || text.includes('\0') || /^\/(?:dev|proc|sys)(?:\/|$)/.test(text)) return [];
  try {
    let at = text.startsWith('/') ? '/' : base;
    for (const part of text.split('/')) {
      if (part === '' || part === '.') continue;
      at = part === '..' ? dirname(await realPath(at)) : join(at, part);
    }
    const own = at === '/' ? at : join(await realPath(dirname(at)), basename(at));
    const real = await realPath(own);
    return own === real ? [own] : [own, real];
  } catch {
    return [];
  }
}
