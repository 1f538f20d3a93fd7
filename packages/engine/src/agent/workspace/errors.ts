import { LonghaulError } from '../../errors.ts';

/** A path that no file can have. */
export function badPath({ why }: { readonly why: string }): LonghaulError {
  return new LonghaulError({
    code: 'bad-path',
    message: `The path ${why}.`,
    hint: 'Give the path of a file or folder.',
  });
}

/** Not a regular file: reading it could hang, never end, or affect a device. */
export function notAFile({ path, what }: { readonly path: string; readonly what: string }): LonghaulError {
  return new LonghaulError({
    code: 'not-a-file',
    message: `${path} is ${what}, not a file.`,
    hint: what === 'a folder' ? 'Use ls to see what is in it.' : 'Name a regular file.',
  });
}

/** The opened file is not the approved one. */
export function pathChanged({ path }: { readonly path: string }): LonghaulError {
  return new LonghaulError({
    code: 'moved-away',
    message: `${path} changed while it was opened, so nothing was done.`,
    hint: 'Check it and try again.',
  });
}

const sentences: Readonly<Record<string, readonly [string, string]>> = {
  ENOENT: ['does not exist', 'Use ls or find to list what exists.'],
  ENOTDIR: ['is not a folder, or has a parent that is not one', 'Use ls to list what exists.'],
  EISDIR: ['is a folder', 'Use ls to see what is in it.'],
  EACCES: ['is not accessible for this user', 'Choose another file, or ask the user.'],
  EPERM: ['is not accessible for this user', 'Choose another file, or ask the user.'],
  EROFS: ['is on a read-only file system', 'Choose another location.'],
  ENOSPC: ['does not fit on the disk; nothing was changed', 'Free some space, or ask the user.'],
  ELOOP: ['is a link to itself, or became a link while it was opened', 'Name the file itself.'],
  ENAMETOOLONG: ['has a name that is too long', 'Use a shorter one.'],
  EMFILE: ['cannot be opened because too many files are open', 'Try again in a moment.'],
  ENXIO: ['is not a file', 'Name a regular file.'],
};

/** Converts a system error about a path; other errors are returned unchanged. */
export function toFileError({ error, path }: { readonly error: unknown; readonly path: string }): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const [message, hint] = sentences[code] ?? [];
  if (message === undefined || hint === undefined) return error;
  return new LonghaulError({ code: 'file-refused', message: `${path} ${message}.`, hint, cause: error });
}
