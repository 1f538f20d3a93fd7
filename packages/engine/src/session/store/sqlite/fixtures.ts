import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorOf, failureOf } from './failure.ts';
import type { Call } from './protocol.ts';
import { StoreWorker, type StoreWorkerOptions } from './store-worker.ts';

/** A folder for one test. In memory where there is such a file system: what is tested is order, not the disk. */
export function temporaryFolder(): { readonly dir: string; remove(): void } {
  const dir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'longhaul-store-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** Does a store's work in the caller's own thread, where a test can put its own file system under it. */
export function directCall(options: StoreWorkerOptions): Call {
  const worker = new StoreWorker(options);
  return async (op, args) => {
    try {
      return worker.run(op, args);
    } catch (error) {
      throw errorOf(failureOf({ error, where: `Store ${options.dir}` }));
    }
  };
}
