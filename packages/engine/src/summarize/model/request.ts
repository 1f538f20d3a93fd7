import { createMask } from '../../analysis/index.ts';
import type { Model, ModelRequest } from '../../models/index.ts';
import type { SummaryInput } from '../summarizer.ts';
import { flatRequest } from './backend.ts';
import { recordOf, sincePrevious } from './flat-record.ts';
import { wordsFor } from './job.ts';
import { forkRequest } from './strategies/fork.ts';
import { fullRequest } from './strategies/full.ts';
import { flatPrompt } from './strategies/simple.ts';

/**
 * The request that a strategy would send, without sending it: to inspect it, or to have it answered elsewhere. Undefined
 * if the strategy does not apply to the model (a fork needs the live request).
 *
 * @example
 * const request = await summaryRequest({ input, strategy: 'simple', model });
 */
export async function summaryRequest({
  input: asked,
  strategy,
  model,
}: {
  readonly input: SummaryInput;
  readonly strategy: 'fork' | 'full' | 'simple';
  readonly model: Pick<Model, 'id' | 'dialect' | 'info'>;
}): Promise<ModelRequest | undefined> {
  const input = sincePrevious(asked);
  const mask = createMask({ values: input.secrets ?? [], salt: input.salt ?? '' });
  const about = { input, model, mask, words: wordsFor(input) };
  if (strategy === 'fork') return input.live && forkRequest({ ...about, live: input.live });
  if (strategy === 'full') return fullRequest(about);
  const forbidsTools = model.info.quirks.includes('noToolsLine');
  const entries = await (await recordOf(about)).entries({ detail: 1 });
  return flatRequest({ model, ...(await flatPrompt({ ...about, entries, form: 'record', forbidsTools })) });
}
