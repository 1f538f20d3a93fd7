import type { Invocation } from '../invocation.ts';
import type { Resolved } from '../settings/resolve.ts';
import type { settingsSchema } from '../settings/schema.ts';
import { printable } from '../text/printable.ts';

/**
 * Says what the project's file sets and is not taken: whoever takes a folder from elsewhere must not run its commands, or
 * send a conversation where it says, without knowing.
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
  const isHook = ({ key }: { readonly key: string }) => key.startsWith('hooks.');
  const isModel = ({ key }: { readonly key: string }) => key === 'compaction.model' || key === 'model';
  const isEndpoint = (each: { readonly key: string }) => !isHook(each) && !isModel(each);
  const texts = [
    ...(refused.some(isHook) ? [`The hooks in ${path} are not run, since they came with the project.`] : []),
    ...(refused.some(isEndpoint) ? [`The endpoint in ${path} is not used, since it came with the project.`] : []),
    ...(refused.some(isModel) ? [`The model in ${path} is not asked, since it came with the project.`] : []),
  ];
  await io.stderr.write(`${faint(`${texts.join(' ')} If you trust them: --config ${path}`)}\n`);
}
