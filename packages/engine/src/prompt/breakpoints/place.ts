import type { CacheLimits, MessageOutline } from '../../message/index.ts';
import { chooseBreakpoints } from '../../message/internal.ts';
import * as Raw from '../output/raw.ts';

const roles = ['system', 'user', 'assistant', 'tool'] as const;

/**
 * Places cache breakpoints where the next request will look for them: after the newest user message, the last result of
 * each round after it, answers, then the start. Existing breakpoints stay; the number never exceeds the provider's
 * limit, and there are none if the provider caches automatically.
 *
 * @example
 * const { messages } = await render({ element, budget: 8000, tokenizer });
 * const { cache } = modelInfo({ name: 'claude-opus-5' });
 * const marked = placeBreakpoints({ messages, limits: cache });
 */
export function placeBreakpoints({
  messages,
  limits,
}: {
  readonly messages: readonly Raw.ChatMessage[];
  readonly limits: CacheLimits;
}): Raw.ChatMessage[] {
  const sights = messages.map(sightOf);
  const { add, drop } = chooseBreakpoints({ messages: sights, limits });
  let surplus = drop;
  return messages.map((message, at) => {
    const content = message.content.filter((part) => !isBreakpoint(part) || surplus-- <= 0);
    if (add.has(at)) content.push({ type: Raw.ChatCompletionContentPartKind.CacheBreakpoint, cacheType: 'ephemeral' });
    return { ...message, content } as Raw.ChatMessage;
  });
}

function sightOf(message: Raw.ChatMessage): MessageOutline {
  const marks = message.content.filter(isBreakpoint).length;
  const canHold = message.content.some((part) => !isBreakpoint(part) && !isNothing(part));
  const hasCalls = message.role === Raw.ChatRole.Assistant && (message.toolCalls?.length ?? 0) > 0;
  return { role: roles[message.role], hasCalls, marks, canHold };
}

function isBreakpoint({ type }: Raw.ChatCompletionContentPart): boolean {
  return type === Raw.ChatCompletionContentPartKind.CacheBreakpoint;
}

function isNothing(part: Raw.ChatCompletionContentPart): boolean {
  return part.type === Raw.ChatCompletionContentPartKind.Text && part.text === '';
}
