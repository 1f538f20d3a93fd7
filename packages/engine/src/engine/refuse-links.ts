import { lstat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { LonghaulError } from '../errors.ts';

/**
 * Refuses a path that leads through a link, below the working directory or in its last two parts. A project that came from
 * elsewhere may hold links; what is written for its user must not end up where they lead.
 *
 * @example
 * await refuseLinks({ path: '/repo/.longhaul/checkpoints' });
 */
export async function refuseLinks({
  path,
  base = process.cwd(),
}: {
  readonly path: string;
  readonly base?: string;
}): Promise<void> {
  const below = relative(base, path);
  const isInside = below !== '' && !isAbsolute(below) && below.split(sep)[0] !== '..';
  let at = isInside ? base : dirname(dirname(path));
  for (const name of relative(at, path).split(sep)) {
    at = join(at, name);
    const facts = await lstat(at).catch(() => undefined);
    // What is not there yet will be made, and not as a link.
    if (facts === undefined) return;
    if (facts.isSymbolicLink()) {
      throw new LonghaulError({
        code: 'is-link',
        message: `${at} is a link, and nothing is written through links.`,
        hint: 'Name the place that it leads to, or remove the link.',
      });
    }
  }
}
