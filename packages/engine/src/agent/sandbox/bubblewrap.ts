import { existsSync } from 'node:fs';
import type { Launch, SandboxPlan } from './plan.ts';

/** Parts of `/run` that programs need to find names of hosts, or themselves. */
const runtime = [
  '/run/systemd/resolve',
  '/run/resolvconf',
  '/run/NetworkManager',
  '/run/current-system',
  '/run/wrappers',
];

/**
 * The command that runs another one in bubblewrap: the whole system read-only, the workspace writable, processes of its
 * own. `/run` is replaced since sockets in it lead out: the session bus, containers.
 */
export function bubblewrap(plan: SandboxPlan): Launch {
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
