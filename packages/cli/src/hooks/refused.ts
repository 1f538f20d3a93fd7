import type { Invocation } from '../invocation.ts';
import type { Resolved } from '../settings/resolve.ts';
import type { settingsSchema } from '../settings/schema.ts';
import { printable } from '../text/printable.ts';

type Refusing = Pick<Resolved<typeof settingsSchema>, 'refused'>;

/**
 * Says which settings of the project's file are ignored: a project from elsewhere must not run commands, or have a
 * conversation sent where it says, without its user knowing.
 *
 * @example
 * await tellRefused({ invocation, resolved: await invocation.settings() });
 */
export async function tellRefused({
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
    ...(has(/^hooks\./) ? [`The hooks in ${path} are not run, since they came with the project.`] : []),
    ...(has(/^compaction\.endpoint\./) ? [`The endpoint in ${path} is not used, since it came with the project.`] : []),
    ...(has(/^(?:compaction\.)?model$/) ? [`The model in ${path} is not asked, since it came with the project.`] : []),
    ...(has(/^compaction\.summarizer$/)
      ? [`The summarizer in ${path} is not used, since it came with the project.`]
      : []),
    ...others({ refused, path }),
  ];
  if (texts.length === 0) return;
  await io.stderr.write(`${paint('stderr').faint(`${texts.join(' ')} If you trust them: --config ${path}`)}\n`);
}

/** What no other sentence is about. The store has one of its own, see `tellRefusedStore`. */
function others({ refused, path }: Refusing & { readonly path: string }): string[] {
  const known = /^(?:hooks\..*|compaction\.(?:endpoint\..*|model|summarizer)|model|store\.dir)$/;
  return refused.flatMap(({ key }) =>
    known.test(key) ? [] : [`The setting ${key} in ${path} is ignored, since it came with the project.`],
  );
}

/**
 * Says that sessions are not kept where the project's file says: it could be a folder whose sessions were forged, or one
 * that others can read.
 *
 * @example
 * await tellRefusedStore({ io, refused });
 */
export async function tellRefusedStore({
  io,
  json,
  refused,
}: Refusing & { readonly io: Pick<Invocation['io'], 'stderr'>; readonly json: boolean }): Promise<void> {
  const found = refused.find(({ key }) => key === 'store.dir');
  if (json || found?.origin.kind !== 'project file') return;
  const [path, dir] = [printable(found.origin.path), printable(String(found.value))];
  await io.stderr.write(
    `The store in ${path} is not used, since it came with the project. If you trust it: --store ${dir}\n`,
  );
}
