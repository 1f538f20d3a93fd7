import type { Mask } from '../../../analysis/index.ts';
import type { Model } from '../../../models/index.ts';
import { estimateTokens } from '../../../tokens/index.ts';
import type { LiveRequest, SummaryInput } from '../../summarizer.ts';
import type { SummaryStrategy } from '../job.ts';
import { instructionsFor } from '../prompts/instructions.ts';
import { surroundings } from '../prompts/surroundings.ts';
import { isFarTooLarge } from '../size.ts';
import { temperatureFor } from '../temperature.ts';
import { askLive, isSameModel, type LiveSummaryRequest, tooLarge, withRequestAtEnd } from './live.ts';

/** Tolerance for a cached prefix: the provider has accepted it before, and our estimates are high. */
export const cachedTolerance = 1.05;

/**
 * The live request with "compact now" at its end (D10): the same head, tools, items, tool choice and thinking, so that
 * the provider reads all but the last message from its cache. Only for the model of the conversation.
 */
export const fork: SummaryStrategy = async (job) => {
  const { model } = job.backend;
  const { live } = job.input;
  if (!model || !live || !isSameModel(model, live.model)) return undefined;
  const room = Math.floor(job.inputLimit * cachedTolerance);
  if (isFarTooLarge({ messages: live.items, most: room })) return tooLarge({ job, strategy: 'fork' });
  const { items, ...rest } = forkRequest({ ...job, live, model });
  const text =
    items
      .at(-1)
      ?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      .join('') ?? '';
  const known = live.tokens === undefined ? undefined : live.tokens + estimateTokens(text);
  return await askLive({
    job,
    model,
    known,
    strategy: 'fork',
    format: 'fork',
    request: { items, ...rest },
    room,
  });
};

export function forkRequest({
  input,
  live,
  model,
  mask,
  words,
}: {
  readonly input: SummaryInput;
  readonly live: LiveRequest;
  readonly model: Pick<Model, 'dialect' | 'info'>;
  readonly mask: Mask;
  readonly words: number;
}): LiveSummaryRequest {
  const instructions = instructionsFor({
    form: 'live',
    words,
    isUpdate: input.previous !== undefined,
    forbidsTools: model.info.quirks.includes('noToolsLine'),
    instead: input.instructions,
    focus: input.focus,
  });
  const text = [...surroundings({ input, mask, withPrevious: !input.previous?.isSent }), mask(instructions)].join(
    '\n\n',
  );
  // A stop sequence of the conversation could end the summary early.
  const { stop: _, ...options } = live.options ?? {};
  return {
    head: live.head,
    items: withRequestAtEnd({ items: live.items, text, model }),
    tools: live.tools,
    options: {
      ...options,
      ...temperatureFor({ info: model.info, thinking: options.thinking }),
      purpose: 'conversation-compaction',
    },
  };
}
