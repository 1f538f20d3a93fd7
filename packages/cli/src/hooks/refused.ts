import type { Invocation } from '../invocation.ts';
import type { Resolved } from '../settings/resolve.ts';
import type { settingsSchema } from '../settings/schema.ts';
import { printable } from '../text/printable.ts';

/**
 * Says that the project's file has hooks that are not run: whoever takes a folder from elsewhere must not run its
 * commands without knowing.
 *
 * @example
 * await tellRefused({ invocation, resolved: await invocation.settings() });
 */
export async function tellRefused({
  invocation: { io, json, paint },
  resolved: { refused },
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json' | 'paint'>;
  readonly resolved: Pick<Resolved<typeof settingsSchema>, 'refused'>;
}): Promise<void> {
  const [first] = refused;
  if (json || first?.origin.kind !== 'project file') return;
  const path = printable(first.origin.path);
  const { faint } = paint('stderr');
  const text = `The hooks in ${path} are not run, since they came with the project. If you trust them: --config ${path}`;
  await io.stderr.write(`${faint(text)}\n`);
}
