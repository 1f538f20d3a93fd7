import { join } from 'node:path';
import type { Session } from '../../session/index.ts';
import { coalesce } from '../coalesce.ts';
import { align, type MirrorReport } from './align.ts';
import { type Checkpoint, checkpointsOf } from './checkpoint.ts';
import { checkpointName } from './document.ts';
import { type Folder, openFolder } from './folder.ts';

/** Keeps files in sync with a session. Failures are reported and retried with the next change. */
export interface CheckpointMirror {
  /** The folder with the files. */
  readonly path: string;
  /** Brings the files in line now, and says what came of it. */
  align(): Promise<MirrorReport>;
  /** Lets go of the session, when what is under way is done. The files stay. */
  close(): Promise<void>;
}

/** What changes which checkpoints there are: a compaction's epoch, an undo or redo, a move. */
const turns: ReadonlySet<string> = new Set(['epoch', 'leaf']);

/**
 * Mirrors the checkpoints of a session as files for people and for other programs: `DIR/checkpoints/NNN-title.md` and an
 * `index.md`, whole or not at all, masked. As long as it is not closed it follows every compaction, undo, rewind and
 * move; the log stays the truth.
 *
 * @example
 * const mirror = mirrorCheckpoints({ session: session.session, dir: '/repo/.longhaul' });
 * const { count, failures } = await mirror.align();
 */
export function mirrorCheckpoints({
  session,
  dir,
  secrets = [],
  onReport,
  onWritten,
  now = Date.now,
  folder = openFolder({ path: join(dir, 'checkpoints'), now }),
}: {
  readonly session: Session;
  readonly dir: string;
  /** Values that are masked in the files, in addition to detected keys. */
  readonly secrets?: readonly string[];
  /** Hears of every time that the files were brought in line. */
  readonly onReport?: (report: MirrorReport) => void;
  /** Hears of every checkpoint whose file is new, or says something else than before. */
  readonly onWritten?: (checkpoint: Checkpoint) => void;
  readonly now?: () => number;
  readonly folder?: Folder;
}): CheckpointMirror {
  const syncing = coalesce(once);
  const stop = session.watch((entries) => {
    if (entries.some(({ type }) => turns.has(type))) void syncing.run();
  });
  return {
    path: join(dir, 'checkpoints'),
    align: syncing.run,
    async close() {
      stop();
      await syncing.idle();
    },
  };

  async function once(): Promise<MirrorReport> {
    const { report, checkpoints } = await alignNow();
    const written = new Set(report.written);
    try {
      for (const checkpoint of checkpoints) if (written.has(checkpointName(checkpoint))) onWritten?.(checkpoint);
      onReport?.(report);
    } catch {
      // Errors of the listener must not affect the mirror.
    }
    return report;
  }

  async function alignNow(): Promise<{ readonly report: MirrorReport; readonly checkpoints: readonly Checkpoint[] }> {
    try {
      const checkpoints = await checkpointsOf({ session, secrets });
      return { checkpoints, report: await align({ folder, session, checkpoints }) };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const report = { count: 0, written: [], removed: [], failures: [{ file: '.', why }], cleanup: [] };
      return { checkpoints: [], report };
    }
  }
}
