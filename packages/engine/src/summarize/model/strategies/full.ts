import { type Mask, maskedItems } from '../../../analysis/index.ts';
import type { Message } from '../../../message/index.ts';
import type { Model } from '../../../models/index.ts';
import { summaryMessage } from '../../../session/internal.ts';
import type { SummaryInput } from '../../summarizer.ts';
import { textMessage } from '../backend.ts';
import { newItems } from '../flat/record.ts';
import type { SummaryStrategy } from '../job.ts';
import { temperatureFor } from '../options.ts';
import { instructionsFor } from '../prompts/instructions.ts';
import { role } from '../prompts/role.ts';
import { narrativeText, surroundings } from '../prompts/surroundings.ts';
import { escaped } from '../prompts/tags.ts';
import { withQuirks } from '../quirks.ts';
import { isFarTooLarge } from '../size.ts';
import { reused } from './fork.ts';
import { type LiveSummaryRequest, askedAtEnd, askLive, isSameModel, tooLarge } from './live.ts';

/**
 * What is to be summarized in its own structure, with the tools on show and none to be called. Where the provider still
 * has its beginning in a cache it goes out as it is, and up to 105 % of the room (D10); elsewhere images, breakpoints and
 * whatever else the data names are taken out.
 */
export const full: SummaryStrategy = async (job) => {
  const { model } = job.backend;
  if (!model) return undefined;
  const room = Math.floor(job.inputLimit * (meetsCache({ input: job.input, model }) ? reused : 1));
  const messages = newItems(job.input).map(({ message }) => message);
  if (isFarTooLarge({ messages, most: room })) return tooLarge({ job, strategy: 'full' });
  return await askLive({
    ...{ job, model, strategy: 'full', manner: 'open' },
    asking: fullRequest({ ...job, model }),
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
  const isReused = meetsCache({ input, model });
  const messages = isOwn ? live.items.slice(0, live.covers) : messagesForOtherModel({ input, mask });
  const items = isReused ? messages : withQuirks({ messages: withoutThoughts(messages), info: model.info });
  const instructions = instructionsFor({
    form: 'record',
    words,
    isUpdate: input.previous !== undefined,
    forbidsTools: model.info.quirks.includes('noToolsLine'),
    instead: input.instructions,
    focus: input.focus,
  });
  // For another model it stands before what was said since.
  const withPrevious = isOwn && !input.previous?.isSent;
  const text = [...surroundings({ input, mask, withPrevious }), mask(instructions)].join('\n\n');
  const tools = live?.tools ?? [];
  const thinking = isReused ? live?.options?.thinking : undefined;
  return {
    head: isReused && live ? live.head : [textMessage('system', role)],
    items: askedAtEnd({ items, text, model }),
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
 * Whether the provider finds the beginning of such a request in its cache. Where breakpoints decide (Anthropic) another
 * tool choice makes it forget the messages.
 */
function meetsCache({
  input: { live },
  model,
}: {
  readonly input: SummaryInput;
  readonly model: Pick<Model, 'id' | 'info'>;
}): boolean {
  const { how } = model.info.cache;
  return live !== undefined && isSameModel(model, live.model) && (how === 'automatic' || how === 'both');
}

/** Thoughts are bound to all that stood before them; where that changes they are refused, or paid for and left out. */
function withoutThoughts(messages: readonly Message[]): Message[] {
  return messages.flatMap((message) => {
    const parts = message.parts.filter(({ type }) => type !== 'thinking');
    if (parts.length === message.parts.length) return [message];
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
}

/** For another model: what was said since the earlier summary, which stands before it. It has not seen what is secret. */
function messagesForOtherModel({ input, mask }: { readonly input: SummaryInput; readonly mask: Mask }): Message[] {
  const earlier = input.previous ? narrativeText(input.previous.narrative) : '';
  const items = maskedItems({ items: newItems(input), mask }).map(({ message }) => message);
  if (earlier !== '') return [summaryMessage({ of: 'compaction', summary: escaped(mask(earlier)) }), ...items];
  // Some providers want a user first, and what is put right for them would begin with the first.
  return items[0]?.role === 'user' ? items : [textMessage('user', 'The record begins here.'), ...items];
}
