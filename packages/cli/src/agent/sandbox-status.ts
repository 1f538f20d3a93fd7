import type { SandboxState } from 'longhaul/agent';
import type { Invocation } from '../invocation.ts';
import { printable } from '../text/printable.ts';

/**
 * The sandbox for the status line.
 *
 * @example
 * sandboxStatus({ mode: 'off' }); // 'no sandbox'
 */
export function sandboxStatus({ sandbox }: SandboxState): string {
  return sandbox ? `sandbox ${sandbox.name}, network ${sandbox.network ? 'on' : 'off'}` : 'no sandbox';
}

/** Warns once if a sandbox is configured but not available, with the way to get it. */
export async function warnWithoutSandbox({
  invocation: { io, json, paint },
  state: { missing },
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json' | 'paint'>;
  readonly state: SandboxState;
}): Promise<void> {
  if (json || missing === undefined) return;
  const text = `Commands run without a sandbox, with all your permissions: ${missing} --sandbox off hides this note.`;
  await io.stderr.write(`${paint('stderr').faint(printable(text))}\n`);
}
