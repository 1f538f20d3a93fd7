import type { Message, Part } from '../../message/index.ts';
import * as Raw from '../output/raw.ts';
import { type CacheLimits, chooseBreakpoints, type Sight } from './choose.ts';

const roles = ['system', 'user', 'assistant', 'tool'] as const;

/**
 * Puts cache breakpoints where the next request will look for them: behind the newest question, the last result of each
 * round after it, answers, then the beginning. Those that stand in the prompt stay; there are never more than the provider
 * takes, and none where it caches by itself.
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

/**
 * The same for messages in the neutral form, as marks on their parts.
 *
 * @example
 * const items = placeCacheMarks({ messages: prepared.items, limits: modelInfo({ name }).cache });
 */
export function placeCacheMarks({
  messages,
  limits,
}: {
  readonly messages: readonly Message[];
  readonly limits: CacheLimits;
}): Message[] {
  const sights = messages.map(({ role, parts }): Sight => {
    const hasCalls = parts.some(({ type }) => type === 'tool_call');
    return { role, hasCalls, marks: parts.filter(({ cache }) => cache).length, canHold: holderOf(parts) >= 0 };
  });
  const { add, drop } = chooseBreakpoints({ messages: sights, limits });
  let surplus = drop;
  return messages.map((message, at) => {
    const holder = add.has(at) ? holderOf(message.parts) : -1;
    const parts = message.parts.map((part, index): Part => {
      if (index === holder) return { ...part, cache: {} };
      if (!part.cache || surplus-- <= 0) return part;
      const { cache: _, ...rest } = part;
      return rest;
    });
    return parts.every((part, index) => part === message.parts[index]) ? message : { ...message, parts };
  });
}

/** The last part that a mark can stand on: not thinking, and not an empty text, which providers reject. */
function holderOf(parts: readonly Part[]): number {
  return parts.findLastIndex((part) => part.type !== 'thinking' && !(part.type === 'text' && part.text === ''));
}

function sightOf(message: Raw.ChatMessage): Sight {
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
