import { posix, win32 } from 'node:path';
import { LonghaulError } from 'longhaul';
import { cannotWrite, fileIsFolder } from '../errors/file-errors.ts';
import type { FileFacts } from '../io/files.ts';
import type { Io } from '../io/io.ts';
import { outputExists } from './write-whole.ts';

/** A place where a file may be written, looked at before any work is done. */
export interface Destination {
  readonly path: string;
  readonly name: string;
  readonly replace: boolean;
  /** Permissions: those of the file that is replaced, or else of the input, since a copy tells no less than it. */
  readonly mode: number;
}

/**
 * Looks whether a file can be written at a place: not over the input, not over another file unless forced.
 *
 * @example
 * await lookAtDestination({ io, output: 'fixed.json', input: '/x/chat.json', force: false });
 */
export async function lookAtDestination({
  io,
  output,
  input,
  force,
}: {
  readonly io: Pick<Io, 'files' | 'cwd' | 'platform'>;
  /** As the person wrote it. */
  readonly output: string;
  /** The path of the input; `undefined` where it is standard input. */
  readonly input: string | undefined;
  readonly force: boolean;
}): Promise<Destination> {
  const path = (io.platform === 'win32' ? win32 : posix).resolve(io.cwd, output);
  const stat = (at: string): Promise<FileFacts | undefined> =>
    io.files.stat(at).catch((error: unknown) => {
      throw cannotWrite({ name: output, error });
    });
  const present = await stat(path);
  const source = input === undefined ? undefined : await stat(input);
  if (present?.kind === 'folder') throw fileIsFolder({ name: output });
  if (present && source && present.identity === source.identity) {
    throw new LonghaulError({
      code: 'output-is-input',
      cause: `${output} is the input itself, which is never changed.`,
      next: 'Choose another name for --output.',
    });
  }
  if (present && !force) throw outputExists({ name: output });
  return { path, name: output, replace: present !== undefined, mode: (present ?? source)?.mode ?? 0o666 };
}
