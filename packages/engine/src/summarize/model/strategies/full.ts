import { type Mask, maskedItems } from '../../../analysis/index.ts';
import type { Message } from '../../../message/index.ts';
import type { Model } from '../../../models/index.ts';
import { summaryMessage } from '../../../session/internal.ts';
import type { SummaryInput } from '../../summarizer.ts';
import { textMessage } from '../backend.ts';
import { newItems } from '../flat-record.ts';
import type { SummaryStrategy } from '../job.ts';
import { instructionsFor } from '../prompts/instructions.ts';
import { role } from '../prompts/role.ts';
import { narrativeText, surroundings } from '../prompts/surroundings.ts';
import { escaped } from '../prompts/tags.ts';
import { withQuirks } from '../quirks.ts';
import { isFarTooLarge } from '../size.ts';
import { temperatureFor } from '../temperature.ts';
import { cachedTolerance } from './fork.ts';
import { askLive, isSameModel, type LiveSummaryRequest, tooLarge, withRequestAtEnd } from './live.ts';

/**
 * The messages to summarize in their own structure, with tools declared but not callable. If the provider has the prefix in
 * its cache, they are sent unchanged and may take 105 % of the input limit (D10); otherwise the model's quirks apply, such
 * as removing images and breakpoints.
 */
export const full: SummaryStrategy = async (job) => {
  const { model } = job.backend;
  if (!model) return undefined;
  const room = Math.floor(job.inputLimit * (hitsCache({ input: job.input, model }) ? cachedTolerance : 1));
  const messages = newItems(job.input).map(({ message }) => message);
  if (isFarTooLarge({ messages, most: room })) return tooLarge({ job, strategy: 'full' });
  return await askLive({
    job,
    model,
    strategy: 'full',
    format: 'open',
    request: fullRequest({ ...job, model }),
    room,
  });
};

export function fullRequest({
  input,
  model,
  mask,
  words,
}: {
  readonly input: SummaryInput;
  readonly model: Pick<Model, 'id' | 'dialect' | 'info'>;
  readonly mask: Mask;
  readonly words: number;
}): LiveSummaryRequest {
  const { live } = input;
  const isOwn = live !== undefined && isSameModel(model, live.model);
  const isReused = hitsCache({ input, model });
  const messages = isOwn ? live.items.slice(0, live.covers) : messagesForOtherModel({ input, mask });
  const items = isReused ? messages : withQuirks({ messages: withoutThinking(messages), info: model.info });
  const instructions = instructionsFor({
    form: 'record',
    words,
    isUpdate: input.previous !== undefined,
    forbidsTools: model.info.quirks.includes('noToolsLine'),
    instead: input.instructions,
    focus: input.focus,
  });
  // For another model, the earlier summary is the first message instead.
  const withPrevious = isOwn && !input.previous?.isSent;
  const text = [...surroundings({ input, mask, withPrevious }), mask(instructions)].join('\n\n');
  const tools = live?.tools ?? [];
  const thinking = isReused ? live?.options?.thinking : undefined;
  return {
    head: isReused && live ? live.head : [textMessage('system', role)],
    items: withRequestAtEnd({ items, text, model }),
    tools,
    options: {
      ...(tools.length > 0 && { toolChoice: 'none' as const }),
      ...(thinking !== undefined && { thinking }),
      ...temperatureFor({ info: model.info, thinking }),
      purpose: 'conversation-compaction',
    },
  };
}

/**
 * Whether the provider has the prefix of the request in its cache. With explicit breakpoints (Anthropic), a changed tool
 * choice invalidates the cached messages.
 */
function hitsCache({
  input: { live },
  model,
}: {
  readonly input: SummaryInput;
  readonly model: Pick<Model, 'id' | 'info'>;
}): boolean {
  const { how } = model.info.cache;
  return live !== undefined && isSameModel(model, live.model) && (how === 'automatic' || how === 'both');
}

/** Thinking is bound to everything before it; after a change, providers reject it, or bill and ignore it. */
function withoutThinking(messages: readonly Message[]): Message[] {
  return messages.flatMap((message) => {
    const parts = message.parts.filter(({ type }) => type !== 'thinking');
    if (parts.length === message.parts.length) return [message];
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
}

/** The earlier summary and the items since, masked, because another model has not seen the secrets. */
function messagesForOtherModel({ input, mask }: { readonly input: SummaryInput; readonly mask: Mask }): Message[] {
  const earlier = input.previous ? narrativeText(input.previous.narrative) : '';
  const items = maskedItems({ items: newItems(input), mask }).map(({ message }) => message);
  if (earlier !== '') return [summaryMessage({ of: 'compaction', summary: escaped(mask(earlier)) }), ...items];
  // Some providers require a user message first; without it, repair would change the beginning.
  return items[0]?.role === 'user' ? items : [textMessage('user', 'The record begins here.'), ...items];
}
