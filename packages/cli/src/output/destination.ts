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
 * Looks whether a file can be written at a place: not over the input, not over another file unless forced, never in place of
 * a device or a pipe, and never through a link: a project from elsewhere may hold links that lead out of it.
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
  const written = (io.platform === 'win32' ? win32 : posix).resolve(io.cwd, output);
  const refuse = (error: unknown): never => {
    throw cannotWrite({ name: output, error });
  };
  const stat = (at: string): Promise<FileFacts | undefined> => io.files.stat(at).catch(refuse);
  const present = await stat(written);
  const source = input === undefined ? undefined : await stat(input);
  if (present?.kind === 'folder') throw fileIsFolder({ name: output });
  if (present?.kind === 'other') {
    throw new LonghaulError({
      code: 'output-not-a-file',
      message: `${output} is a device, a pipe or a socket, not a file.`,
      hint: 'Choose another name for --output, or leave it out to write to standard output.',
    });
  }
  if (present && source && present.identity === source.identity) {
    throw new LonghaulError({
      code: 'output-is-input',
      message: `${output} is the input itself, which is never changed.`,
      hint: 'Choose another name for --output.',
    });
  }
  if (present && !force) throw outputExists({ name: output });
  if (await leadsElsewhere({ io, path: written }).catch(refuse)) {
    throw new LonghaulError({
      code: 'output-is-link',
      message: `${output} leads through a link, and nothing is written through links.`,
      hint: 'Name the place that it leads to.',
    });
  }
  return { path: written, name: output, replace: present !== undefined, mode: (present ?? source)?.mode ?? 0o666 };
}

/** Whether a file is a link, or a folder between it and the working directory is one. */
async function leadsElsewhere({
  io,
  path,
}: {
  readonly io: Pick<Io, 'files' | 'cwd' | 'platform'>;
  readonly path: string;
}): Promise<boolean> {
  const { basename, dirname, isAbsolute, join, relative, sep } = io.platform === 'win32' ? win32 : posix;
  const folder = dirname(path);
  // Without its folder nothing can be written at all.
  if (!(await io.files.stat(folder))) return false;
  const realFolder = await io.files.follow(folder);
  const below = relative(io.cwd, folder);
  const isInside = !isAbsolute(below) && below.split(sep)[0] !== '..';
  if (isInside && realFolder !== join(await io.files.follow(io.cwd), below)) return true;
  const real = await io.files.follow(path);
  return real !== path && real !== join(realFolder, basename(path));
}
