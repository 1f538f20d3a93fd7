import type { Launch, SandboxPlan } from './plan.ts';

/** Devices that programs write to. */
const devices = ['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty', '/dev/dtracehelper'];

/**
 * The command that runs another one in macOS's sandbox. Processes of the agent stay visible there: macOS has no
 * namespaces.
 */
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
