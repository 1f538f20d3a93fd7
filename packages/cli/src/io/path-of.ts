import { posix, win32 } from 'node:path';
import type { Io } from './io.ts';

/**
 * The path rules of the system that the CLI runs on, which in a test may differ from the test's own.
 *
 * @example
 * const { join } = pathOf(io);
 */
export function pathOf({ platform }: Pick<Io, 'platform'>): typeof posix {
  return platform === 'win32' ? win32 : posix;
}
