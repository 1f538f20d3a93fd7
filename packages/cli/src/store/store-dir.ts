import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import type { Resolved } from '../settings/resolve.ts';
import type { settingsSchema } from '../settings/schema.ts';

/**
 * The absolute folder of the store. A path in a settings file is relative to that file's folder, any other to the working
 * directory; `~` is the home folder.
 *
 * @example
 * storeDir({ io, resolved: await settings() }); // '/home/me/.local/share/longhaul'
 */
export function storeDir({
  io,
  resolved,
}: {
  readonly io: Pick<Io, 'env' | 'home' | 'cwd' | 'platform'>;
  readonly resolved: Pick<Resolved<typeof settingsSchema>, 'values' | 'given'>;
}): string {
  const { join, resolve, dirname } = pathOf(io);
  const { dir } = resolved.values.store;
  if (dir === 'auto') return join(dataFolder({ io }), 'longhaul');
  if (dir === '~' || /^~[/\\]/.test(dir)) return join(io.home, dir.slice(1));
  const origin = resolved.given.find(({ key }) => key === 'store.dir')?.origin;
  const from = origin !== undefined && 'path' in origin ? dirname(origin.path) : io.cwd;
  return resolve(from, dir);
}

/** The data folder of the user. */
function dataFolder({ io }: { readonly io: Pick<Io, 'env' | 'home' | 'platform'> }): string {
  const { join, isAbsolute } = pathOf(io);
  const [variable, fallback] =
    io.platform === 'win32'
      ? (['LOCALAPPDATA', join('AppData', 'Local')] as const)
      : (['XDG_DATA_HOME', join('.local', 'share')] as const);
  const chosen = io.env[variable];
  // XDG specification: relative paths must be ignored.
  return chosen !== undefined && isAbsolute(chosen) ? chosen : join(io.home, fallback);
}
