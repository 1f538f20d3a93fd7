import type { SandboxState } from 'longhaul/agent';
import type { Invocation } from '../invocation.ts';
import { printable } from '../text/printable.ts';

/**
 * Where commands run, for the status line.
 *
 * @example
 * sandboxStatus({ mode: 'off' }); // 'no sandbox'
 */
export function sandboxStatus({ sandbox }: SandboxState): string {
  return sandbox ? `sandbox ${sandbox.name}, network ${sandbox.network ? 'on' : 'off'}` : 'no sandbox';
}

/** Says once that there is no sandbox although one was wanted, and how to get it. */
export async function warnWithoutSandbox({
  invocation: { io, json, paint },
  state: { missing },
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json' | 'paint'>;
  readonly state: SandboxState;
}): Promise<void> {
  if (json || missing === undefined) return;
  const text = `Commands run without a sandbox, with all your rights: ${missing} --sandbox off hides this note.`;
  await io.stderr.write(`${paint('stderr').faint(printable(text))}\n`);
}
