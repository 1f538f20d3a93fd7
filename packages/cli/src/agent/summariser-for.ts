import { createModelSummariser, type Summariser } from 'longhaul/compaction';
import type { Model } from 'longhaul/models';
import { summariserOf } from '../compaction/summariser-of.ts';
import type { Io } from '../io/io.ts';
import type { Resolved } from '../settings/resolve.ts';
import type { settingsSchema } from '../settings/schema.ts';

/**
 * How summaries are made while an agent works: with the words of its own model, beside the work, unless the settings say
 * otherwise. `undefined` where no model is asked.
 *
 * @example
 * const summariser = summariserFor({ resolved: await settings(), io, model: () => agent.model });
 */
export function summariserFor({
  resolved: { values, given },
  io,
  model,
}: {
  readonly resolved: Pick<Resolved<typeof settingsSchema>, 'values' | 'given'>;
  readonly io: Pick<Io, 'env' | 'fetch'>;
  readonly model: () => Model | undefined;
}): Summariser | undefined {
  const { summarizer, endpoint } = values.compaction;
  const isChosen = given.some(({ key, origin }) => key === 'compaction.summarizer' && origin.kind !== 'default');
  if (isChosen && summarizer === 'extractive') return undefined;
  if (isChosen && endpoint.url.trim() !== '') return summariserOf({ values, io });
  return createModelSummariser({ models: [{ model }] });
}
