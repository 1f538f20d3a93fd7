import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Opening a pipe must not wait for its other end. Systems without the flag have no such pipes. */
const readWithoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Thrown in place of reading a pipe, a device or a socket, which could block or never end. */
export class NotRegularError extends Error {
  override readonly name = 'NotRegularError';
  readonly code = 'ENOTREG';

  constructor(path: string) {
    super(`${path} is a pipe, a device or a socket, not a regular file.`);
  }
}

/**
 * Opens a regular file to read it. Anything else is an error at once: a pipe without a writer does not block, and nothing is
 * read from a device. Links are followed.
 *
 * @throws NotRegularError
 * @example
 * await using file = await openRegular('/repo/AGENTS.md');
 */
export async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, readWithoutWaiting);
  try {
    const stats = await file.stat();
    // Reading a folder fails by itself, with the usual code.
    if (!stats.isFile() && !stats.isDirectory()) throw new NotRegularError(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The text of a regular file. */
export async function readRegular(path: string): Promise<string> {
  const file = await openRegular(path);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
