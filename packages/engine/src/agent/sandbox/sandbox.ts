import { spawnSync } from 'node:child_process';
import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { LonghaulError } from '../../errors.ts';
import { isWithin } from '../workspace/workspace.ts';
import { bubblewrap } from './bubblewrap.ts';
import type { Launch, SandboxPlan } from './plan.ts';
import { protectedPaths } from './protected-paths.ts';
import { seatbelt } from './seatbelt.ts';

/** `required` refuses to work without a sandbox, `auto` uses one where the system has it. */
type SandboxMode = 'required' | 'auto' | 'off';

/** What commands may do inside the sandbox. */
export interface SandboxSettings {
  readonly mode: SandboxMode;
  /** Whether commands reach the network. */
  readonly network: boolean;
  /** Folders that are writable beside the workspace and `/tmp`; `~` is the home folder. */
  readonly writable: readonly string[];
}

/** Runs commands with the rest of the machine read-only. */
export interface Sandbox {
  readonly name: SandboxProgram['name'];
  readonly network: boolean;
  /** The command that runs another one inside. */
  wrap(of: Pick<SandboxPlan, 'launch' | 'cwd' | 'temporary' | 'empty' | 'scratch'>): Launch;
}

/** Which sandbox there is, or why there is none. */
export interface SandboxState {
  readonly mode: SandboxMode;
  readonly sandbox?: Sandbox;
  /** One sentence: why there is none, and how to get it. */
  readonly missing?: string;
}

/**
 * Finds the sandbox of this system: bubblewrap on Linux, sandbox-exec on macOS.
 *
 * @example
 * const { sandbox, missing } = openSandbox({ settings: { mode: 'auto', network: true, writable: [] }, root, home, env });
 */
export function openSandbox({
  settings: { mode, network, writable },
  root,
  home,
  env,
  probe = probeSandbox,
}: {
  readonly settings: SandboxSettings;
  /** The workspace, real. */
  readonly root: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly probe?: Probe;
}): SandboxState {
  if (mode === 'off') return { mode };
  const found = probe({ env, root });
  if ('missing' in found) {
    if (mode === 'auto') return { mode, missing: found.missing };
    throw new LonghaulError({
      code: 'no-sandbox',
      message: `A sandbox is required, and there is none: ${found.missing}`,
      hint: 'Install it, or run with --sandbox auto.',
    });
  }
  const caches = writable.map((path) => path.replace(/^~(?=$|\/)/, home));
  const build = found.program.name === 'bubblewrap' ? bubblewrap : seatbelt;
  return {
    mode,
    sandbox: {
      name: found.program.name,
      network,
      wrap: ({ launch, ...of }) =>
        build({ ...of, program: found.program.path, launch, root, network, caches, ...protectedPaths({ root, home }) }),
    },
  };
}

/** The program that makes a sandbox. */
interface SandboxProgram {
  readonly name: 'bubblewrap' | 'sandbox-exec';
  readonly path: string;
}

type Probe = (of: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly root: string;
}) => { readonly program: SandboxProgram } | { readonly missing: string };

const known = new Map<string, ReturnType<Probe>>();

/** Looks for the program and tries it: a system may have it and still not permit it. The answer holds for this process. */
const probeSandbox: Probe = ({ env, root }) => {
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
