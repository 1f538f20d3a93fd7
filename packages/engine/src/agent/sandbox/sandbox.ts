import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { LonghaulError } from '../../errors.ts';
import { isWithin } from '../workspace/workspace.ts';
import { type ProtectedPaths, protectedPaths } from './protected-paths.ts';

/** Parts of `/run` that programs need for name resolution or to find themselves. */
const runtime = [
  '/run/systemd/resolve',
  '/run/resolvconf',
  '/run/NetworkManager',
  '/run/current-system',
  '/run/wrappers',
];

/**
 * Command line for bubblewrap: the system read-only, the workspace writable, a separate process namespace. `/run` is
 * replaced because its sockets lead outside: session bus, containers.
 */
function bubblewrap(plan: SandboxPlan): Launch {
  const { program, launch, cwd, root, network, caches, temporary, scratch, empty } = plan;
  const { hiddenFiles, hiddenFolders, readOnly, repository } = plan;
  const bind = (kind: string, paths: readonly string[]) => paths.flatMap((path) => [kind, path, path]);
  const args = [
    ...['--die-with-parent', '--new-session', '--unshare-pid', '--unshare-ipc', '--unshare-cgroup-try'],
    ...(network ? [] : ['--unshare-net']),
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...(existsSync('/run') ? ['--tmpfs', '/run', ...bind('--ro-bind-try', runtime)] : []),
    ...['--bind', temporary, '/tmp'],
    ...(existsSync('/var/tmp') ? ['--bind', temporary, '/var/tmp'] : []),
    ...bind('--bind-try', caches),
    ...bind('--bind', [...repository, root]),
    ...bind('--ro-bind', [...readOnly, scratch]),
    ...hiddenFolders.flatMap((path) => ['--tmpfs', path]),
    ...hiddenFiles.flatMap((path) => ['--ro-bind', empty, path]),
    ...['--chdir', cwd, '--', launch.file, ...launch.args],
  ];
  return { file: program, args };
}

/** `required` fails without a sandbox; `auto` uses one if available. */
type SandboxMode = 'required' | 'auto' | 'off';

/** Settings of the sandbox. */
export interface SandboxSettings {
  readonly mode: SandboxMode;
  /** Whether commands have network access. */
  readonly network: boolean;
  /** Writable folders in addition to the workspace and `/tmp`; `~` is the home folder. */
  readonly writable: readonly string[];
}

/** Runs commands with the rest of the machine read-only. */
export interface Sandbox {
  readonly name: SandboxProgram['name'];
  readonly network: boolean;
  /** Wraps a command so that it runs inside. */
  wrap(of: Pick<SandboxPlan, 'launch' | 'cwd' | 'temporary' | 'empty' | 'scratch'>): Launch;
}

/** The sandbox, or why there is none. */
export interface SandboxState {
  readonly mode: SandboxMode;
  readonly sandbox?: Sandbox;
  /** Why there is none, and how to get one. */
  readonly missing?: string;
}

/**
 * Finds the sandbox of this system: bubblewrap on Linux, sandbox-exec on macOS.
 *
 * @example
 * const { sandbox, missing } = openSandbox({
 *   settings: { mode: 'auto', network: true, writable: [] },
 *   root: process.cwd(),
 *   home: homedir(),
 *   env: process.env,
 * });
 */
export function openSandbox({
  settings: { mode, network, writable },
  root,
  home,
  env,
  probe = probeSandbox,
}: {
  readonly settings: SandboxSettings;
  /** The real path of the workspace. */
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
      message: `A sandbox is required but not available: ${found.missing}`,
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

/** Finds and tries the program, since a system may have it without permitting it. Cached per process. */
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
  if (platform !== 'linux' && platform !== 'darwin') return { missing: `No supported sandbox exists for ${platform}.` };
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

/** The path of a program, never inside the workspace. */
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

/** Devices that programs write to. */
const devices = ['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty', '/dev/dtracehelper'];

/** Command line for the macOS sandbox. Processes of the agent stay visible, since macOS has no namespaces. */
export function seatbelt(plan: SandboxPlan): Launch {
  const { program, launch, root, network, caches, temporary, scratch } = plan;
  const { hiddenFiles, hiddenFolders, readOnly, repository } = plan;
  const subpaths = (paths: readonly string[]) => paths.map((path) => `(subpath ${quoted(path)})`).join(' ');
  const literals = (paths: readonly string[]) => paths.map((path) => `(literal ${quoted(path)})`).join(' ');
  const writable = [root, ...repository, ...caches, temporary, scratch, '/private/tmp', '/private/var/folders'];
  const rules = [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* ${subpaths(writable)} ${literals(devices)})`,
    ...(readOnly.length > 0 ? [`(deny file-write* ${subpaths(readOnly)})`] : []),
    ...(hiddenFiles.length > 0 ? [`(deny file-read* file-write* ${literals(hiddenFiles)})`] : []),
    ...(hiddenFolders.length > 0 ? [`(deny file-read* file-write* ${subpaths(hiddenFolders)})`] : []),
    ...(network ? [] : ['(deny network*)']),
  ];
  return { file: program, args: ['-p', rules.join('\n'), launch.file, ...launch.args] };
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** A program and its arguments. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
}

/** Input of both sandbox implementations. */
interface SandboxPlan extends ProtectedPaths {
  /** The sandbox program. */
  readonly program: string;
  readonly launch: Launch;
  readonly cwd: string;
  readonly root: string;
  readonly network: boolean;
  readonly caches: readonly string[];
  /** Mounted as `/tmp`. */
  readonly temporary: string;
  /** An empty file mounted over files with secrets, so that programs that read their settings do not fail. */
  readonly empty: string;
  /** Folder with outputs of earlier commands. */
  readonly scratch: string;
}
