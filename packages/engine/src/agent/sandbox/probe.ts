import { spawnSync } from 'node:child_process';
import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { isWithin } from '../workspace/workspace.ts';

/** The program that makes a sandbox. */
export interface SandboxProgram {
  readonly name: 'bubblewrap' | 'sandbox-exec';
  readonly path: string;
}

export type Probe = (of: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly root: string;
}) => { readonly program: SandboxProgram } | { readonly missing: string };

const known = new Map<string, ReturnType<Probe>>();

/** Looks for the program and tries it: a system may have it and still not permit it. The answer holds for this process. */
export const probeSandbox: Probe = ({ env, root }) => {
  const key = `${env.PATH}\0${root}`;
  const before = known.get(key);
  if (before) return before;
  const found = look({ env, root });
  known.set(key, found);
  return found;
};

const look: Probe = ({ env, root }) => {
  const platform: string = process.platform;
  if (platform !== 'linux' && platform !== 'darwin')
    return { missing: `${platform} has no sandbox that is supported.` };
  const name = platform === 'linux' ? 'bubblewrap' : 'sandbox-exec';
  const path = programIn({ env, root, name: platform === 'linux' ? 'bwrap' : 'sandbox-exec' });
  if (path === undefined) {
    return {
      missing:
        name === 'bubblewrap'
          ? 'bubblewrap is not installed (apt-get install bubblewrap, dnf install bubblewrap, or pacman -S bubblewrap).'
          : 'sandbox-exec was not found in PATH.',
    };
  }
  const args =
    name === 'bubblewrap'
      ? [
          '--ro-bind',
          '/',
          '/',
          '--dev',
          '/dev',
          '--proc',
          '/proc',
          '--unshare-pid',
          '--die-with-parent',
          '--',
          '/bin/sh',
          '-c',
          ':',
        ]
      : ['-p', '(version 1)(allow default)', '/bin/sh', '-c', ':'];
  const { status, stderr, error } = spawnSync(path, args, { timeout: 10_000, encoding: 'utf8', env: {} });
  if (status === 0) return { program: { name, path } };
  const why = (error?.message ?? stderr).trim().split('\n')[0] ?? '';
  return {
    missing: `${path} does not work here (${why}); it needs user namespaces, which a container may not permit.`,
  };
};

/** The path of a program, never one inside the workspace. */
function programIn(of: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly root: string;
  readonly name: string;
}): string | undefined {
  const folders = (of.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  for (const folder of folders) {
    try {
      const path = realpathSync(join(folder, of.name));
      accessSync(path, constants.X_OK);
      if (!isWithin({ path, folder: of.root })) return path;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}
