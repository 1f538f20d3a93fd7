import type { Session } from '../../session/index.ts';
import type { Checkpoint } from './checkpoint.ts';
import { checkpointName, checkpointText, indexName, indexText, markOf } from './document.ts';
import type { Folder } from './folder.ts';

/** What came of bringing a folder in line with the checkpoints of a session. */
export interface MirrorReport {
  /** How many checkpoints the session has. */
  readonly count: number;
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** What could not be written. */
  readonly failures: readonly MirrorFailure[];
  /** What should be gone and is still there: the checkpoints themselves are right (sessions.md 11.10). */
  readonly cleanup: readonly MirrorFailure[];
}

export interface MirrorFailure {
  readonly file: string;
  readonly why: string;
}

/**
 * Syncs a folder with the checkpoints: a file for each, an index, and no stale files of ours. Files that are not ours are
 * never touched. It does not throw: failures are in the report.
 *
 * @example
 * const { failures } = await align({ folder, session, checkpoints: await checkpointsOf({ session }) });
 */
export async function align({
  folder,
  session,
  checkpoints,
}: {
  readonly folder: Folder;
  readonly session: Pick<Session, 'id'>;
  readonly checkpoints: readonly Checkpoint[];
}): Promise<MirrorReport> {
  const [written, removed]: [string[], string[]] = [[], []];
  const [failures, cleanup]: [MirrorFailure[], MirrorFailure[]] = [[], []];
  const wanted = new Map(
    checkpoints.map((checkpoint) => [checkpointName(checkpoint), checkpointText({ checkpoint, session })]),
  );
  const names = await tried({ file: '.', failures, work: () => folder.list() });
  for (const [name, text] of wanted) await put({ name, text });
  // Without checkpoints no folder is created.
  if (wanted.size > 0 || names?.includes(indexName)) {
    await put({ name: indexName, text: indexText({ checkpoints, session }) });
  }
  // What is new is there before what is old goes.
  for (const name of names ?? []) {
    if (wanted.has(name.normalize('NFC')) || !/^\d{3,}-.*\.md$/s.test(name)) continue;
    const isRemoved = await tried({ file: name, failures: cleanup, work: () => removeOurs(name) });
    if (isRemoved) removed.push(name);
  }
  return { count: checkpoints.length, written, removed, failures, cleanup };

  async function put({ name, text }: { readonly name: string; readonly text: string }): Promise<void> {
    const isWritten = await tried({
      file: name,
      failures,
      work: async () => {
        const present = await folder.read(name);
        if (present === text) return false;
        if (present !== undefined && !isOurs(present)) throw new Error('a file that is not ours has this name');
        await folder.write({ name, text });
        return true;
      },
    });
    if (isWritten) written.push(name);
  }

  async function removeOurs(name: string): Promise<boolean> {
    const present = await folder.read(name);
    if (present === undefined || !isOurs(present)) return false;
    await folder.remove(name);
    return true;
  }

  function isOurs(text: string): boolean {
    return text.startsWith(`${markOf(session)}\n`);
  }
}

async function tried<T>({
  file,
  failures,
  work,
}: {
  readonly file: string;
  readonly failures: MirrorFailure[];
  readonly work: () => Promise<T>;
}): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    failures.push({ file, why: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}
