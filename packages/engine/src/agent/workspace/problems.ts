import { LonghaulError } from '../../errors.ts';

/** A path that no file can have. */
export function badPath({ why }: { readonly why: string }): LonghaulError {
  return new LonghaulError({
    code: 'bad-path',
    message: `The path ${why}.`,
    hint: 'Give the path of a file or folder.',
  });
}

/** Something that is no file with content: reading it would hang, never end or touch a machine. */
export function notAFile({ path, what }: { readonly path: string; readonly what: string }): LonghaulError {
  return new LonghaulError({
    code: 'not-a-file',
    message: `${path} is ${what}, not a file.`,
    hint: what === 'a folder' ? 'Use ls to see what is in it.' : 'Name a regular file.',
  });
}

/** What was opened is not what was decided about. */
export function movedAway({ path }: { readonly path: string }): LonghaulError {
  return new LonghaulError({
    code: 'moved-away',
    message: `${path} became something else while it was opened, so nothing was done.`,
    hint: 'Look at it again, and try once more.',
  });
}

const sentences: Readonly<Record<string, readonly [string, string]>> = {
  ENOENT: ['does not exist', 'Use ls or find to see what there is.'],
  ENOTDIR: ['goes through something that is no folder', 'Use ls to see what there is.'],
  EISDIR: ['is a folder', 'Use ls to see what is in it.'],
  EACCES: ['may not be touched by this user', 'Choose another file, or ask the user.'],
  EPERM: ['may not be touched by this user', 'Choose another file, or ask the user.'],
  EROFS: ['is on a disk that cannot be written', 'Choose another place.'],
  ENOSPC: ['does not fit on the disk; nothing was changed', 'Make room, or ask the user.'],
  ELOOP: ['is a link that leads to itself, or became a link while it was opened', 'Name the file itself.'],
  ENAMETOOLONG: ['has a name that is too long', 'Give a shorter one.'],
  EMFILE: ['cannot be opened, since too many files are open', 'Try again in a moment.'],
  ENXIO: ['is no file', 'Name a regular file.'],
};

/** What the system says of a path, in words; other errors as they are. */
export function explain({ error, path }: { readonly error: unknown; readonly path: string }): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const [message, hint] = sentences[code] ?? [];
  if (message === undefined || hint === undefined) return error;
  return new LonghaulError({ code: 'file-refused', message: `${path} ${message}.`, hint, cause: error });
}
