import { posix, win32 } from 'node:path';
import { LonghaulError } from 'longhaul';
import { cannotWrite, fileIsFolder } from '../errors/file-errors.ts';
import type { FileFacts } from '../io/files.ts';
import type { Io } from '../io/io.ts';
import { outputExists } from './write-whole.ts';

/** A checked output file. */
export interface Destination {
  readonly path: string;
  readonly name: string;
  readonly replace: boolean;
  /** Permissions: those of the replaced file, otherwise those of the input, since a copy is equally sensitive. */
  readonly mode: number;
}

/**
 * Checks whether a file can be written: not over the input, not over another file unless forced, never over a device or
 * pipe, and never through a link: an untrusted project may contain links that lead out of it.
 *
 * @example
 * await lookAtDestination({ io, output: 'fixed.json', input: '/x/chat.json', force: false });
 */
export async function checkDestination({
  io,
  output,
  input,
  force,
}: {
  readonly io: Pick<Io, 'files' | 'cwd' | 'platform'>;
  /** As given on the command line. */
  readonly output: string;
  /** The path of the input; `undefined` for standard input. */
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
      hint: 'Choose another name for --output, or omit it to write to standard output.',
    });
  }
  if (present && source && present.identity === source.identity) {
    throw new LonghaulError({
      code: 'output-is-input',
      message: `${output} is the input file, which is never changed.`,
      hint: 'Choose another name for --output.',
    });
  }
  if (present && !force) throw outputExists({ name: output });
  if (await leadsElsewhere({ io, path: written }).catch(refuse)) {
    throw new LonghaulError({
      code: 'output-is-link',
      message: `${output} is behind a symbolic link, and nothing is written through links.`,
      hint: 'Use the path that it points to.',
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
