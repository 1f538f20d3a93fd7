import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';

/** The name of a project's settings file, searched in the working directory and its parents. */
export const projectFileName = 'longhaul.config.json';

/** The locations of settings files, and whether they exist. */
export interface Places {
  readonly userFile: { readonly path: string; readonly found: boolean };
  readonly projectFile: { readonly path: string } | undefined;
}

/**
 * Finds the settings files.
 *
 * @example
 * const { projectFile } = await findPlaces({ io });
 */
export async function findPlaces({
  io,
}: {
  readonly io: Pick<Io, 'files' | 'env' | 'cwd' | 'home' | 'platform'>;
}): Promise<Places> {
  const path = userFilePath({ io });
  const found = await exists({ io, path });
  return { userFile: { path, found }, projectFile: await findProjectFile({ io }) };
}

/** The settings file of the user. */
export function userFilePath({ io }: { io: Pick<Io, 'env' | 'home' | 'platform'> }): string {
  const { join, isAbsolute } = pathOf(io);
  const [variable, fallback] =
    io.platform === 'win32'
      ? (['APPDATA', join('AppData', 'Roaming')] as const)
      : (['XDG_CONFIG_HOME', '.config'] as const);
  const chosen = io.env[variable];
  // XDG specification: relative paths must be ignored.
  const folder = chosen !== undefined && isAbsolute(chosen) ? chosen : join(io.home, fallback);
  return join(folder, 'longhaul', 'config.json');
}

async function findProjectFile({
  io,
}: {
  io: Pick<Io, 'files' | 'cwd' | 'platform'>;
}): Promise<{ path: string } | undefined> {
  const { join, dirname } = pathOf(io);
  let folder = io.cwd;
  for (;;) {
    const path = join(folder, projectFileName);
    if (await exists({ io, path })) return { path };
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}

async function exists({ io, path }: { io: Pick<Io, 'files'>; path: string }): Promise<boolean> {
  // A folder that cannot be read has no settings for this user.
  const facts = await io.files.stat(path).catch(() => undefined);
  return facts !== undefined;
}
