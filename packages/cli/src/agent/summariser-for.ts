import { createModelSummariser, type Summariser } from 'longhaul/compaction';
import type { Model } from 'longhaul/models';
import { summariserOf } from '../compaction/summariser-of.ts';
import type { Io } from '../io/io.ts';
import type { Resolved } from '../settings/resolve.ts';
import type { settingsSchema } from '../settings/schema.ts';

/**
 * How summaries are made while an agent works: with the words of its own model, beside the work, unless the settings name
 * another one or want none. `undefined` where no model is asked.
 *
 * @example
 * const summariser = await summariserFor({ resolved: await settings(), io, model: () => agent.model });
 */
export async function summariserFor({
  resolved: { values, given },
  io,
  model,
}: {
  readonly resolved: Pick<Resolved<typeof settingsSchema>, 'values' | 'given'>;
  readonly io: Pick<Io, 'env' | 'fetch' | 'models'>;
  readonly model: () => Model | undefined;
}): Promise<Summariser | undefined> {
  const { compaction } = values;
  const isChosen = given.some(({ key, origin }) => key === 'compaction.summarizer' && origin.kind !== 'default');
  if (isChosen && compaction.summarizer === 'extractive') return undefined;
  const isNamed = compaction.model.trim() !== '' || compaction.endpoint.url.trim() !== '';
  if (isNamed)
    return await summariserOf({ values: { ...values, compaction: { ...compaction, summarizer: 'model' } }, io });
  return createModelSummariser({ models: [{ model }] });
}
