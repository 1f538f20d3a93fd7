import { LonghaulError } from 'longhaul';
import type { Io } from './io.ts';
import { pathOf } from './path-of.ts';

/**
 * The same world, standing in another folder.
 *
 * @example
 * const there = await standingIn({ io, folder: '../other' });
 */
export async function standingIn({
  io,
  folder,
}: {
  readonly io: Io;
  readonly folder: string | undefined;
}): Promise<Io> {
  if (folder === undefined) return io;
  const cwd = pathOf(io).resolve(io.cwd, folder);
  const facts = await io.files.stat(cwd).catch(() => undefined);
  if (facts?.kind === 'folder') return { ...io, cwd };
  throw new LonghaulError({
    code: 'no-working-directory',
    cause: `${folder === '' ? 'the name of the folder for --cwd is empty' : `there is no folder ${folder} to work in`}.`,
    next: 'Make it, or name another one with --cwd.',
  });
}
