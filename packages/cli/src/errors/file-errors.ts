import { LonghaulError } from 'longhaul';
import { systemCode } from '../io/files.ts';

/**
 * The error for a file that cannot be read.
 *
 * @example
 * throw cannotRead({ name: 'notes.json', error });
 */
export function cannotRead({ name, error }: { readonly name: string; readonly error: unknown }): LonghaulError {
  switch (systemCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return fileNotFound({ name });
    case 'EISDIR':
      return fileIsFolder({ name });
    case 'ENOTREG':
      return new LonghaulError({
        code: 'file-unreadable',
        message: `${name} is a pipe, a device or a socket, not a file.`,
        hint: 'Name a regular file, or read it through standard input: use - and < or a pipe.',
        cause: error,
      });
    case 'EACCES':
    case 'EPERM':
      return new LonghaulError({
        code: 'file-unreadable',
        message: `Permission denied: ${name} cannot be read by this user.`,
        hint: 'Change its permissions, or run the command as another user.',
        cause: error,
      });
    default:
      return new LonghaulError({
        code: 'file-unreadable',
        message: `${name} cannot be read: ${reasonOf(error)}.`,
        hint: 'Check the path and the disk, and try again.',
        cause: error,
      });
  }
}

export function fileNotFound({ name }: { readonly name: string }): LonghaulError {
  return new LonghaulError({
    code: 'file-not-found',
    message: `${name} does not exist.`,
    hint: 'Check the spelling and the folder; use - to read from standard input.',
  });
}

export function fileIsFolder({ name }: { readonly name: string }): LonghaulError {
  // An empty name would resolve to the working directory, which is never intended.
  if (name === '') {
    return new LonghaulError({
      code: 'missing-argument',
      message: 'The file name is empty.',
      hint: 'Name a file; a variable in the command may have been empty.',
    });
  }
  return new LonghaulError({
    code: 'file-is-folder',
    message: `${name} is a folder, not a file.`,
    hint: 'Name one file in it.',
  });
}

/** The error for a file that cannot be written, with the reason of the system. */
export function cannotWrite({ name, error }: { readonly name: string; readonly error: unknown }): LonghaulError {
  return new LonghaulError({
    code: 'output-failed',
    message: `${name} cannot be written: ${reasonOf(error)}.`,
    hint: 'Free some space or choose another place, and try again.',
    cause: error,
  });
}

/** The message of the system, e.g. `ENOSPC: no space left on device, write`. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
