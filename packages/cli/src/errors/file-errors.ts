import { LonghaulError } from 'longhaul';
import { systemCode } from '../io/files.ts';

/**
 * The error for something that cannot be read.
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
        cause: `${name} is a pipe, a device or a socket, not a file.`,
        next: 'Name a regular file, or read it through standard input: use - and < or a pipe.',
        from: error,
      });
    case 'EACCES':
    case 'EPERM':
      return new LonghaulError({
        code: 'file-unreadable',
        cause: `${name} may not be read by this user.`,
        next: 'Change its permissions, or run the command as a user who may read it.',
        from: error,
      });
    default:
      return new LonghaulError({
        code: 'file-unreadable',
        cause: `${name} cannot be read: ${reasonOf(error)}.`,
        next: 'Check the path and the disk, and try again.',
        from: error,
      });
  }
}

export function fileNotFound({ name }: { readonly name: string }): LonghaulError {
  return new LonghaulError({
    code: 'file-not-found',
    cause: `${name} does not exist.`,
    next: 'Check the spelling and the folder; use - to read from standard input.',
  });
}

export function fileIsFolder({ name }: { readonly name: string }): LonghaulError {
  // An empty name leads to the working directory, which nobody means by it.
  if (name === '') {
    return new LonghaulError({
      code: 'missing-argument',
      cause: 'the name of a file was given, but it is empty.',
      next: 'Name a file; a variable in the command may have been empty.',
    });
  }
  return new LonghaulError({
    code: 'file-is-folder',
    cause: `${name} is a folder, not a file.`,
    next: 'Name one file in it.',
  });
}

/** The error for something that cannot be written, for a reason that only the system knows. */
export function cannotWrite({ name, error }: { readonly name: string; readonly error: unknown }): LonghaulError {
  return new LonghaulError({
    code: 'output-failed',
    cause: `${name} cannot be written: ${reasonOf(error)}.`,
    next: 'Make room or choose another place, and try again.',
    from: error,
  });
}

/** The system's words for a failure, e.g. `ENOSPC: no space left on device, write`. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
