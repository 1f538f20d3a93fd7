import { formatHandle } from '../../session/index.ts';
import { isPasted } from '../pins/pastes.ts';
import type { Mask } from '../secrets/mask.ts';
import { shorten } from '../shrink/shorten.ts';
import type { SourceItem } from '../source-item.ts';

/** A human message, quoted. */
interface Quote {
  /** `@12`, or `@12.2` if the message has several parts. */
  readonly handle: string;
  readonly text: string;
  /** Complete and byte-identical, except for masked secrets and surrounding whitespace. */
  readonly isWhole: boolean;
}

export interface Quotes {
  /** Oldest first. */
  readonly quotes: readonly Quote[];
  /** The number of messages that did not fit. */
  readonly omitted: number;
}

/** Maximum share of the budget for one message; more for the first and the latest. */
const share = { any: 0.2, edge: 0.4 };

/** Minimum tokens of a quote. */
const minTokens = 60;

/**
 * Quotes human messages within a budget, masked first: the first message, which states the task, then the newest. Of long
 * pastes and long messages, the beginning and the end are shown, with the handle of the rest.
 *
 * @example
 * const { quotes, omitted } = quoteHumans({ items, budget: 4000, count, mask });
 */
export function quoteHumans({
  items,
  budget,
  count,
  mask,
}: {
  readonly items: readonly SourceItem[];
  readonly budget: number;
  readonly count: (text: string) => number;
  readonly mask: Mask;
}): Quotes {
  const said = distinct(items.flatMap(humanTexts));
  const [first, ...later] = said;
  const order = first ? [first, ...later.toReversed()] : [];
  const quotes = new Map<HumanText, Quote>();
  let left = budget;
  for (const [rank, one] of order.entries()) {
    const cap = Math.floor(budget * (rank < 2 ? share.edge : share.any));
    const limit = Math.min(left, cap);
    if (limit < Math.min(minTokens, budget)) continue;
    const quote = quoted({ said: one, limit, count, mask });
    const tokens = count(quote.text);
    if (tokens > limit) continue;
    left -= tokens;
    quotes.set(one, quote);
  }
  const kept = said.flatMap((one) => quotes.get(one) ?? []);
  return { quotes: kept, omitted: said.length - kept.length };
}

interface HumanText {
  readonly handle: string;
  readonly text: string;
}

function humanTexts({ message, handle }: SourceItem): HumanText[] {
  return message.parts.flatMap((part, index): HumanText[] => {
    // A client command such as `/clear` is not about the work.
    if (part.type !== 'text' || part.origin !== 'human' || /^\s*(?:\/[\w-]+\s*)?$/.test(part.text)) return [];
    const place = message.parts.length === 1 ? {} : { part: index + 1 };
    return [{ handle: formatHandle({ entry: handle, ...place }), text: part.text }];
  });
}

/** Removes repeated prompts, keeping the newest; the first message stays first. */
function distinct(said: readonly HumanText[]): HumanText[] {
  const seen = new Set<string>();
  const rest = said
    .slice(1)
    .toReversed()
    .filter(({ text }) => text.length < 80 || (!seen.has(text) && seen.add(text)));
  return [...said.slice(0, 1).filter(({ text }) => !seen.has(text)), ...rest.toReversed()];
}

function quoted({
  said: { handle, text },
  limit,
  count,
  mask,
}: {
  readonly said: HumanText;
  readonly limit: number;
  readonly count: (text: string) => number;
  readonly mask: Mask;
}): Quote {
  const masked = mask(text).trim();
  if (masked.length <= limit * 12 && count(masked) <= limit && longPastes(masked.split('\n')).length === 0) {
    return { handle, text: masked, isWhole: true };
  }
  const brief = withoutPastes({ text: mask(text), handle, isSameLines: lineCount(mask(text)) === lineCount(text) });
  const note = ({ chars }: { readonly chars: number }) => `[… ${chars} characters left out; all of it: ${handle} …]`;
  const short = shorten({ text: brief.trim(), limit, count, note });
  return { handle, text: short, isWhole: short === masked };
}

/** Replaces the middle of each long paste by its line range. */
function withoutPastes({
  text,
  handle,
  isSameLines,
}: {
  readonly text: string;
  readonly handle: string;
  /** Whether masking kept the line numbers. */
  readonly isSameLines: boolean;
}): string {
  const lines = text.split('\n');
  const shown: string[] = [];
  let next = 1;
  for (const { from, to } of longPastes(lines)) {
    const [first, last] = [from + head, to - tail];
    if (last < first) continue;
    const place = isSameLines ? `${handle}:${first}-${last}` : handle;
    shown.push(...lines.slice(next - 1, first - 1), `[… ${last - first + 1} pasted lines: ${place} …]`);
    next = last + 1;
  }
  return [...shown, ...lines.slice(next - 1)].join('\n');
}

/** Lines of a paste that are shown before and after the omitted part. */
const head = 3;
const tail = 2;

function lineCount(text: string): number {
  return text.split('\n').length;
}

/** A pasted block of lines: code, logs, screens. */
interface Paste {
  /** From 1, both included. */
  readonly from: number;
  readonly to: number;
}

/** Shorter blocks stay whole: the note would be about as long. */
const minPaste = { lines: 12, chars: 1000 };

/** Pasted blocks that are long enough to be shortened. */
function longPastes(lines: readonly string[]): Paste[] {
  const pastes: Paste[] = [];
  for (const { from, to, isFenced } of blocksOf(lines)) {
    const block = lines.slice(from - 1, to);
    const isLong = block.length > minPaste.lines || block.join('\n').length > minPaste.chars;
    if (isLong && (isFenced || isPasted(block))) pastes.push({ from, to });
  }
  return joined(pastes);
}

/** Paragraphs and code blocks, in order. */
function blocksOf(lines: readonly string[]): { from: number; to: number; isFenced: boolean }[] {
  const blocks: { from: number; to: number; isFenced: boolean }[] = [];
  let current: { from: number; isFenced: boolean } | undefined;
  const close = (to: number) => {
    if (current) blocks.push({ ...current, to });
    current = undefined;
  };
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    const isFence = /^\s{0,3}(?:`{3,}|~{3,})/.test(line);
    if (current?.isFenced) {
      if (isFence) close(number);
    } else if (isFence) {
      close(index);
      current = { from: number, isFenced: true };
    } else if (line.trim() === '') close(index);
    else current ??= { from: number, isFenced: false };
  }
  close(lines.length);
  return blocks;
}

/** Joins adjacent blocks, such as paragraphs of one log. */
function joined(pastes: readonly Paste[]): Paste[] {
  const all: Paste[] = [];
  for (const paste of pastes) {
    const last = all.at(-1);
    if (last && paste.from - last.to <= 2) all[all.length - 1] = { from: last.from, to: paste.to };
    else all.push(paste);
  }
  return all;
}
