import type { SourceItem } from '../../analysis/index.ts';
import type { Message, Part } from '../../message/index.ts';

/** A summary that stands in the branch itself, and how far it reaches. */
export interface Fold {
  readonly item: SourceItem;
  /** The last handle that it stands for. */
  readonly to: number;
}

/** What is read of a branch, oldest first, and how many messages are not. */
export interface Newest {
  readonly items: readonly SourceItem[];
  readonly left: number;
  readonly tokens: number;
}

/** So much is read of a result by whoever makes a summary of it; the rest costs nothing. */
const charsOfResult = 2_000;

/**
 * The newest messages of a branch that fit into a budget; the newest one always. Where older ones are left out for which
 * a compaction of the branch stands, its summary is read in their place. Results count with what is read of them: pi
 * leaves them out, and knows what was tried but not what came of it (sessions.md 7.3).
 *
 * @example
 * const { items, left } = newestOf({ items: branch, folds: [], budget: 183_616, weigh });
 */
export function newestOf({
  items,
  folds,
  budget,
  weigh,
}: {
  readonly items: readonly SourceItem[];
  readonly folds: readonly Fold[];
  readonly budget: number;
  readonly weigh: (message: Message) => number;
}): Newest {
  const sizes: number[] = [];
  let tokens = 0;
  for (const { message } of items.toReversed()) {
    const size = weigh(asRead(message));
    if (sizes.length > 0 && tokens + size > budget) break;
    sizes.push(size);
    tokens += size;
  }
  const fold = foldFor(items.length - sizes.length);
  if (!fold) return { items: items.slice(items.length - sizes.length), left: items.length - sizes.length, tokens };
  const size = weigh(fold.item.message);
  // What it says of the older ones is worth more than the oldest of the newer ones.
  while (sizes.length > 1 && tokens + size > budget) tokens -= sizes.pop() ?? 0;
  const left = items.length - sizes.length;
  return { items: [fold.item, ...items.slice(left)], left, tokens: tokens + size };

  /** The newest summary of what is left out that leaves room for half of the rest. */
  function foldFor(left: number): Fold | undefined {
    const [first] = items;
    if (!first || left === 0) return undefined;
    return folds.findLast(({ item, to }) => to >= first.handle && weigh(item.message) <= budget / 2);
  }
}

function asRead(message: Message): Message {
  if (!message.parts.some(isLong)) return message;
  return { ...message, parts: message.parts.map((part) => (isLong(part) ? shortened(part) : part)) };
}

function isLong(part: Part): boolean {
  return part.type === 'tool_result' && part.content.some((inner) => isLongText(inner));
}

function isLongText(part: Part): boolean {
  return part.type === 'text' && part.text.length > charsOfResult;
}

function shortened(part: Part): Part {
  if (part.type !== 'tool_result') return part;
  const content = part.content.map((inner) =>
    inner.type === 'text' ? { ...inner, text: inner.text.slice(0, charsOfResult) } : inner,
  );
  return { ...part, content };
}
