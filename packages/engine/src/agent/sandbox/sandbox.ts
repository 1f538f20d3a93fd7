import { LonghaulError } from '../../errors.ts';
import { bubblewrap } from './bubblewrap.ts';
import type { Launch, SandboxPlan } from './plan.ts';
import { type Probe, probeSandbox, type SandboxProgram } from './probe.ts';
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
      cause: `A sandbox is required, and there is none: ${found.missing}`,
      next: 'Install it, or run with --sandbox auto.',
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
