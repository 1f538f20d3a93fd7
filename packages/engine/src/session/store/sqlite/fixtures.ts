import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one test. In memory where there is such a file system: what is tested is order, not the disk. */
export function temporaryFolder(): { readonly dir: string; remove(): void } {
  const dir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'longhaul-store-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
