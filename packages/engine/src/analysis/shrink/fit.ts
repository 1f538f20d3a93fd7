import { isHumanMessage, type Message } from '../../message/index.ts';
import { reduceMessage, type TokenCounter } from './reduce.ts';
import { waterFill } from './water-fill.ts';

/** A message with its handle and token count. */
export interface CountedMessage {
  readonly message: Message;
  readonly handle: number | undefined;
  readonly tokens: number;
}

/**
 * Reduces messages to `total` tokens together, the largest first; others are returned unchanged. The latest human message
 * is cut only if it alone exceeds the limit.
 *
 * @example
 * const fitted = fitAll({ items, total: 20_000, counter });
 */
export function fitAll<T extends CountedMessage>({
  items,
  total,
  counter,
}: {
  readonly items: readonly T[];
  readonly total: number;
  readonly counter: TokenCounter;
}): readonly T[] {
  if (sum(items) <= total) return items;
  const latest = items.findLastIndex(({ message }) => isHumanMessage(message));
  const latestTokens = items[latest]?.tokens ?? 0;
  const others = items.filter((_, index) => index !== latest);
  const cap = waterFill({ sizes: others.map(({ tokens }) => tokens), total: total - latestTokens });
  const cut = items.map((item, index) => (index === latest ? item : cutTo({ item, limit: cap, counter })));
  if (latest < 0 || sum(cut) <= total) return cut;
  const room = total - (sum(cut) - latestTokens);
  return cut.map((item, index) => (index === latest ? cutTo({ item, limit: Math.max(room, 0), counter }) : item));
}

function cutTo<T extends CountedMessage>({
  item,
  limit,
  counter,
}: {
  readonly item: T;
  readonly limit: number;
  readonly counter: TokenCounter;
}): T {
  if (item.tokens <= limit) return item;
  const message = reduceMessage({ message: item.message, handle: item.handle, limit, counter });
  const tokens = counter.countMessage(message);
  return tokens < item.tokens ? { ...item, message, tokens } : item;
}

function sum(items: readonly CountedMessage[]): number {
  return items.reduce((tokens, item) => tokens + item.tokens, 0);
}
