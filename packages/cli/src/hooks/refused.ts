import type { Invocation } from '../invocation.ts';
import type { Resolved } from '../settings/resolve.ts';
import type { settingsSchema } from '../settings/schema.ts';
import { printable } from '../text/printable.ts';

type Refusing = Pick<Resolved<typeof settingsSchema>, 'refused'>;

/**
 * Reports the ignored settings of a project file. A project from elsewhere must not run commands, or have a conversation
 * sent to a server of its choice, without the user's knowledge.
 *
 * @example
 * await tellRefused({ invocation, resolved: await invocation.settings() });
 */
export async function reportRefusedSettings({
  invocation: { io, json, paint },
  resolved: { refused },
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json' | 'paint'>;
  readonly resolved: Refusing;
}): Promise<void> {
  const [first] = refused;
  if (json || first?.origin.kind !== 'project file') return;
  const path = printable(first.origin.path);
  const has = (test: RegExp) => refused.some(({ key }) => test.test(key));
  const texts = [
    ...(has(/^hooks\./) ? [`The hooks in ${path} are not run, because they come from the project.`] : []),
    ...(has(/^compaction\.endpoint\./)
      ? [`The endpoint in ${path} is not used, because it comes from the project.`]
      : []),
    ...(has(/^(?:compaction\.)?model$/)
      ? [`The model in ${path} is not used, because it comes from the project.`]
      : []),
    ...(has(/^compaction\.summarizer$/)
      ? [`The summarizer in ${path} is not used, because it comes from the project.`]
      : []),
    ...others({ refused, path }),
  ];
  if (texts.length === 0) return;
  await io.stderr.write(`${paint('stderr').faint(`${texts.join(' ')} If you trust them: --config ${path}`)}\n`);
}

/** Settings without a sentence of their own. The store has one, see `tellRefusedStore`. */
function others({ refused, path }: Refusing & { readonly path: string }): string[] {
  const known = /^(?:hooks\..*|compaction\.(?:endpoint\..*|model|summarizer)|model|store\.dir)$/;
  return refused.flatMap(({ key }) =>
    known.test(key) ? [] : [`The setting ${key} in ${path} is ignored, because it comes from the project.`],
  );
}

/**
 * Reports that the store folder of a project file is not used: it could hold forged sessions, or be readable by others.
 *
 * @example
 * await tellRefusedStore({ io, refused });
 */
export async function reportRefusedStore({
  io,
  json,
  refused,
}: Refusing & { readonly io: Pick<Invocation['io'], 'stderr'>; readonly json: boolean }): Promise<void> {
  const found = refused.find(({ key }) => key === 'store.dir');
  if (json || found?.origin.kind !== 'project file') return;
  const [path, dir] = [printable(found.origin.path), printable(String(found.value))];
  await io.stderr.write(
    `The store in ${path} is not used, because it comes from the project. If you trust it: --store ${dir}\n`,
  );
}
