import type { Io } from '../io/io.ts';
import { changedSessions } from '../scan/scan.ts';
import type { Opened } from '../store/with-store.ts';
import { createImporter } from './importer.ts';
import { openLedger } from './ledger.ts';
import { openSource } from './open-source.ts';

/** Milliseconds between two looks at the files of another agent. */
const leastInterval = 200;

/**
 * Keeps the store up to date with another agent's sessions in a folder: each call imports what is new since the last one.
 * Files that cannot be read are skipped. Calls close together share one import.
 *
 * @example
 * const bringIn = await followAgent({ io, opened, agent: 'claude-code', cwd: io.cwd });
 * await bringIn();
 */
export async function followAgent({
  io,
  opened,
  agent,
  cwd,
}: {
  readonly io: Io;
  readonly opened: Opened;
  readonly agent: string;
  readonly cwd: string;
}): Promise<() => Promise<void>> {
  const ledger = await openLedger({ io, dir: opened.dir });
  const importer = await createImporter({ io, opened, ledger, format: undefined, isDry: false });
  const limit = opened.values.limits.fileBytes;
  let last = 0;
  let running: Promise<void> | undefined;
  return async () => {
    if (io.now() - last >= leastInterval) {
      running ??= bringIn().finally(() => {
        running = undefined;
      });
    }
    await running;
  };

  async function bringIn(): Promise<void> {
    const started = io.now();
    // Files are dated in whole seconds on some file systems.
    const since = last === 0 ? 0 : last - 2_000;
    for (const path of await changedSessions({ io, store: opened.store, ledger, limit, agent, cwd, since })) {
      try {
        const source = await openSource({ io, name: path, limit });
        await importer.bringIn({ source, signal: new AbortController().signal, leaveUnfinished: true });
      } catch {
        // The other agent may be replacing this file; the next call reads it again.
      }
    }
    await ledger.save();
    // The hooks of the same agent import in processes of their own.
    await opened.store.release();
    last = started;
  }
}
