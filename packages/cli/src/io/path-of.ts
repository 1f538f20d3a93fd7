import { posix, win32 } from 'node:path';
import type { Io } from './io.ts';

/**
 * The rules for paths of the system that the command runs on, which in a test is another than the test's own.
 *
 * @example
 * const { join } = pathOf(io);
 */
export function pathOf({ platform }: Pick<Io, 'platform'>): typeof posix {
  return platform === 'win32' ? win32 : posix;
}
