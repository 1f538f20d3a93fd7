import { LonghaulError } from '../../errors.ts';
import type { EntryId, FileChangeEntry, FileSnapshotEntry, FileState, Session } from '../../session/index.ts';
import { isSameState, readState } from './file-state.ts';
import type { FileVersions } from './file-versions.ts';
import { LeftAloneError, restoreState } from './restore.ts';

/** What a rewind of files does, or would do. */
export interface FileRewind {
  /** Files that are put back, by path. */
  readonly restored: readonly { readonly path: string; readonly action: 'restored' | 'deleted' | 'created again' }[];
  /** Files that are left as they are, and why. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
  /** How many commands since then may have changed files that they do not name; those are not rolled back. */
  readonly untrackedCommands: number;
  /** The note of the rewind, by which it can be undone; absent in a dry run and if nothing changed. */
  readonly entry?: EntryId;
}

type RewindSession = Pick<Session, 'read' | 'append'>;

/** One change of one file. */
interface PathChange {
  readonly handle: number;
  readonly before: FileState;
  /** `undefined` if the call was interrupted, so that it is unknown. */
  readonly after: FileState | undefined;
  /** What an interrupted rewind was about to put there. */
  readonly next: FileState | undefined;
}

/** A planned step. */
interface RewindStep {
  readonly path: string;
  readonly from: FileState;
  readonly to: FileState;
}

/** A file that exceeds this is not one of those that were kept. Bytes. */
const readLimit = 512 * 1024 * 1024;

/**
 * Puts the files that the agent changed after an entry back to what they were there. Files that changed since in any other
 * way are left alone and named, and so are files whose content was not kept. Present contents are kept first, so that
 * `undoFileRewind` can take the rewind back. A dry run changes nothing.
 *
 * @example
 * const versions = openFileVersions({ dir: join(cwd, '.versions') });
 * const { restored, skipped } = await rewindFiles({ session: session.session, versions, to: 12, isDryRun: true });
 */
export async function rewindFiles({
  session,
  versions,
  to,
  leaf,
  isDryRun = false,
}: {
  readonly session: RewindSession;
  readonly versions: FileVersions;
  /** The handle of the entry; 0 is the start of the session. */
  readonly to: number;
  /** The move of the conversation that belongs to it, if any. */
  readonly leaf?: EntryId | undefined;
  readonly isDryRun?: boolean;
}): Promise<FileRewind> {
  const { snapshots, changes } = await readNotes(session);
  const since = snapshots.filter(({ handle }) => handle > to);
  const { steps, skipped } = await planSteps({ history: historyOf({ snapshots: since, changes }), versions });
  const untrackedCommands = since.filter(({ untracked }) => untracked !== undefined).length;
  const cause = { rewind: { to, ...(leaf !== undefined && { leaf }) } };
  return { ...(await perform({ session, versions, steps, skipped, cause, isDryRun })), untrackedCommands };
}

/**
 * Takes the newest rewind of files back that is not undone yet, by the same rules.
 *
 * @example
 * const versions = openFileVersions({ dir: join(cwd, '.versions') });
 * const { restored } = await undoFileRewind({ session: session.session, versions });
 */
export async function undoFileRewind({
  session,
  versions,
  isDryRun = false,
}: {
  readonly session: RewindSession;
  readonly versions: FileVersions;
  readonly isDryRun?: boolean;
}): Promise<FileRewind> {
  const newest = await findFileRewind(session);
  if (!newest) {
    throw new LonghaulError({
      code: 'nothing-to-undo',
      message: 'No rewind of files in this session can be undone.',
      hint: 'Rewind files with `longhaul rewind SESSION HANDLE --files`.',
    });
  }
  const { changes } = await readNotes(session);
  const history = historyOf({ snapshots: [newest.snapshot], changes });
  const { steps, skipped } = await planSteps({ history, versions });
  const cause = { rewind: { to: newest.snapshot.handle, reverses: newest.snapshot.id } };
  return { ...(await perform({ session, versions, steps, skipped, cause, isDryRun })), untrackedCommands: 0 };
}

/**
 * The newest rewind of files that is not undone; `leaf` is the move of the conversation that was made with it.
 *
 * @example
 * const newest = await findFileRewind(session.session);
 */
export async function findFileRewind(
  session: Pick<Session, 'read'>,
): Promise<{ readonly snapshot: FileSnapshotEntry; readonly leaf: EntryId | undefined } | undefined> {
  const { snapshots } = await readNotes(session);
  const causes = snapshots.flatMap((snapshot) =>
    'rewind' in snapshot.cause ? [{ snapshot, ...snapshot.cause.rewind }] : [],
  );
  const reversed = new Set(causes.flatMap(({ reverses }) => reverses ?? []));
  const newest = causes.findLast(({ snapshot, reverses }) => reverses === undefined && !reversed.has(snapshot.id));
  return newest && { snapshot: newest.snapshot, leaf: newest.leaf };
}

async function readNotes(session: Pick<Session, 'read'>) {
  const notes = await session.read({ types: ['file_snapshot', 'file_change'] });
  const snapshots = notes.filter((note): note is FileSnapshotEntry => note.type === 'file_snapshot');
  const ended = notes.filter((note): note is FileChangeEntry => note.type === 'file_change');
  return { snapshots, changes: new Map(ended.map((note) => [note.snapshot, note])) };
}

/** The changes of each path, oldest first. */
function historyOf({
  snapshots,
  changes,
}: {
  readonly snapshots: readonly FileSnapshotEntry[];
  readonly changes: ReadonlyMap<EntryId, FileChangeEntry>;
}): Map<string, PathChange[]> {
  const history = new Map<string, PathChange[]>();
  for (const { id, handle, files } of snapshots) {
    const ended = changes.get(id);
    const after = new Map(ended?.files.map(({ path, state }) => [path, state]));
    const before = new Map(files.map((file) => [file.path, file]));
    for (const path of new Set([...before.keys(), ...after.keys()])) {
      const known = before.get(path);
      const state = known?.state ?? { kind: 'absent' as const };
      // A finished call that did not change a file says nothing about it.
      if (ended && !after.has(path)) continue;
      const list = history.get(path) ?? [];
      list.push({ handle, before: state, after: after.get(path), next: known?.next });
      history.set(path, list);
    }
  }
  return history;
}

async function planSteps(of: {
  readonly history: ReadonlyMap<string, readonly PathChange[]>;
  readonly versions: FileVersions;
}): Promise<{ readonly steps: RewindStep[]; readonly skipped: FileRewind['skipped'] }> {
  const steps: RewindStep[] = [];
  const skipped: { path: string; why: string }[] = [];
  for (const [path, changes] of of.history) {
    const now = await readState({ path, fileBytes: readLimit }).catch(() => ({ kind: 'other' as const }));
    const found = planPath({ changes, now });
    if (found === 'done') continue;
    if ('why' in found) {
      skipped.push({ path, why: found.why });
      continue;
    }
    const isLost = found.to.kind === 'file' && !(await of.versions.read(found.to.hash ?? ''));
    if (isLost) skipped.push({ path, why: 'its earlier content is not in the store' });
    else steps.push({ path, from: now, to: found.to });
  }
  return { steps, skipped };
}

/** What to do about a path. Pure. */
function planPath({
  changes,
  now,
}: {
  readonly changes: readonly PathChange[];
  readonly now: FileState;
}): 'done' | { readonly to: FileState } | { readonly why: string } {
  const to = changes[0]?.before;
  if (!to || isSameState(to, now)) return 'done';
  if ((to.kind === 'file' || to.kind === 'folder') && to.unkept !== undefined)
    return { why: `its earlier content was not kept: ${to.unkept}` };
  let possible: readonly FileState[] = [to];
  for (const { before, after, next } of changes) {
    if (!possible.some((state) => isSameState(state, before))) return { why: changedByOthers };
    // An interrupted change happened or did not.
    possible = after ? [after] : [before, ...(next ? [next] : [])];
  }
  if (to.kind === 'other' || now.kind === 'other') return { why: 'it is not a file, folder or link' };
  if (possible.some((state) => isSameState(state, now))) return { to };
  if (changes.at(-1)?.after === undefined) return { why: 'a call that was interrupted may have changed it' };
  return { why: now.kind === 'absent' ? 'it was deleted since' : changedByOthers };
}

const changedByOthers = 'it was also changed by a person or another program';

async function perform(of: {
  readonly session: RewindSession;
  readonly versions: FileVersions;
  readonly steps: readonly RewindStep[];
  readonly skipped: FileRewind['skipped'];
  readonly cause: FileSnapshotEntry['cause'];
  readonly isDryRun: boolean;
}): Promise<Omit<FileRewind, 'untrackedCommands'>> {
  const { session, versions, cause } = of;
  const steps = inOrder(of.steps);
  const shown = (list: readonly RewindStep[]) =>
    list.map((step) => ({ path: step.path, action: actionOf(step) })).toSorted(byPath);
  if (of.isDryRun || steps.length === 0) return { restored: shown(steps), skipped: of.skipped.toSorted(byPath) };
  const skipped = [...of.skipped];
  const kept: RewindStep[] = [];
  for (const step of steps) {
    // What is there now must be kept before it is replaced.
    const state = await readState({ path: step.path, versions, fileBytes: readLimit });
    if (!isSameState(state, step.from)) skipped.push({ path: step.path, why: 'it changed while files were rewound' });
    else if (state.kind === 'file' && state.unkept !== undefined)
      skipped.push({ path: step.path, why: `its present content cannot be kept: ${state.unkept}` });
    else kept.push(step);
  }
  if (kept.length === 0) return { restored: [], skipped: skipped.toSorted(byPath) };
  const files = kept.map(({ path, from, to }) => ({ path, state: from, next: to }));
  const snapshot = await session.append({ type: 'file_snapshot', cause, files });
  const restored: RewindStep[] = [];
  for (const step of kept) {
    try {
      const content = step.to.kind === 'file' ? await versions.read(step.to.hash ?? '') : undefined;
      await restoreState({ ...step, content });
      restored.push(step);
    } catch (error) {
      const text = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
      skipped.push({
        path: step.path,
        why: error instanceof LeftAloneError ? text : `it could not be written: ${text}`,
      });
    }
  }
  const changed = restored.map(({ path, to }) => ({ path, state: to }));
  await session.append({ type: 'file_change', snapshot: snapshot.id, files: changed });
  return { restored: shown(restored), skipped: skipped.toSorted(byPath), entry: snapshot.id };
}

/** Files that are removed first, then folders from the inside out; what is created, from the outside in. */
function inOrder(steps: readonly RewindStep[]): RewindStep[] {
  const rank = ({ from, to }: RewindStep) => {
    if (to.kind === 'absent') return from.kind === 'folder' ? 1 : 0;
    return to.kind === 'folder' ? 2 : 3;
  };
  const depth = ({ path }: RewindStep) => path.split(/[\\/]/).length;
  return steps.toSorted((a, b) => rank(a) - rank(b) || (rank(a) < 2 ? depth(b) - depth(a) : depth(a) - depth(b)));
}

function actionOf({ from, to }: RewindStep): FileRewind['restored'][number]['action'] {
  return to.kind === 'absent' ? 'deleted' : from.kind === 'absent' ? 'created again' : 'restored';
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
