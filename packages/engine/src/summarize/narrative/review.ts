import { claimIn } from '../../analysis/index.ts';
import { type Block, blocksOf } from './blocks.ts';
import { isEnginePart, titleIn, withoutHandles } from './engine-parts.ts';
import { isEnglish } from './english.ts';
import { isOrder } from './orders.ts';
import { isSaid } from './quoted.ts';
import { isDeclining } from './refusal.ts';
import { quotationsIn, sentencesOf } from './sentences.ts';

/** Why a sentence of a model may not stand in a summary. */
type Objection = 'engine-part' | 'language' | 'refusal' | 'claim' | 'order' | 'length';

export interface Dropped {
  readonly sentence: string;
  readonly why: Objection;
}

/** Longer ones are no sentences, and to look through them takes long. */
const longest = 4_000;

/**
 * A model's text without what it may not say (J2): what people said, want, decided or approved in words that are not
 * theirs, orders, titles and handles of the engine, and what is not English and cannot be checked. A claim that quotes
 * whole sentences of a person byte for byte leaves these quotations. What a dropped line introduces is dropped with it.
 *
 * @example
 * reviewText({ text: 'It works. The user approved the release.', said: ['go on'] }).text; // 'It works.'
 */
export function reviewText({
  text,
  said,
  isPlan = false,
}: {
  readonly text: string;
  /** What people wrote. */
  readonly said: readonly string[];
  /** Steps of a plan may be in the imperative. */
  readonly isPlan?: boolean;
}): { readonly text: string; readonly sentences: number; readonly dropped: readonly Dropped[] } {
  const blocks = blocksOf(text);
  const dropped: Dropped[] = [];
  const kept: string[] = [];
  let sentenceCount = 0;
  let under:
    | { readonly depth: number; readonly isItem: boolean; readonly label?: string; readonly why?: Objection }
    | undefined;
  for (const [at, block] of blocks.entries()) {
    const { kind, depth, mark, raw } = block;
    if (kind === 'blank') {
      if (!under || under.label !== undefined) kept.push(raw);
      continue;
    }
    const isUnder =
      under !== undefined && (depth > under.depth || (kind === 'item' && !under.isItem && depth === under.depth));
    if (!isUnder) under = undefined;
    if (under && under.label === undefined) {
      const lost = sentencesOf(block.text);
      sentenceCount += lost.length;
      dropped.push(...lost.map((sentence) => ({ sentence, why: under?.why ?? 'claim' })));
      continue;
    }
    const isShort = kind !== 'table' && block.text.length <= 200;
    const title = isShort && !isEnginePart(block.text) ? titleIn(block.text) : undefined;
    if (title) {
      const label = block.text.replace(/(?<![\s*_:：])[\s*_:：]+$/, '').replace(/^[\s*_#]+/, '');
      if (title === 'list') under = { depth, isItem: kind === 'item', label };
      continue;
    }
    const sentences = kind === 'table' ? [block.text] : sentencesOf(block.text);
    sentenceCount += sentences.length;
    const found = sentences.map((sentence) => judged({ sentence, block, said, isPlan }));
    const broken = splitClaim({ blocks, at, said });
    if (broken) for (const one of found.splice(0)) dropped.push({ sentence: one.sentence, why: 'claim' });
    dropped.push(...found.flatMap(({ sentence, why, left }) => (why && left === '' ? [{ sentence, why }] : [])));
    const last = found.at(-1);
    const isGone = broken || found.every(({ left }) => left === '');
    const introduces = /[:：]["”*_]*$/.test(block.text);
    const isCut = isGone || (introduces && last?.left === '');
    if (isCut && kind !== 'table') under = { depth, isItem: kind === 'item', why: last?.why ?? 'claim' };
    const whole = found.flatMap(({ left }) => (left === '' ? [] : [left])).join(' ');
    if (whole === '') continue;
    const label = under?.label === undefined ? '' : `${under.label}: `;
    const isSame = label === '' && found.every(({ left, sentence }) => left === sentence);
    kept.push(isSame ? raw : `${mark}${label}${whole}`);
  }
  return { text: kept.join('\n'), sentences: sentenceCount, dropped };
}

interface Judged {
  readonly sentence: string;
  /** What of it may stand. */
  readonly left: string;
  readonly why?: Objection;
}

function judged({
  sentence,
  block,
  said,
  isPlan,
}: {
  readonly sentence: string;
  readonly block: Block;
  readonly said: readonly string[];
  readonly isPlan: boolean;
}): Judged {
  const why = objectionTo({ sentence, block, isPlan });
  if (!why) return { sentence, left: withoutHandles(sentence) };
  const quotes = quotationsIn(sentence);
  const isQuoted = quotes.length > 0 && quotes.every((quote) => isSaid({ quote, said }));
  if (!isQuoted || why === 'length' || why === 'engine-part') return { sentence, left: '', why };
  const rest = quotes.reduce((so, quote) => so.replaceAll(quote, '`quoted`'), sentence);
  // People's own words may be in any language and say anything.
  if (!objectionTo({ sentence: rest, block, isPlan })) return { sentence, left: withoutHandles(sentence) };
  return { sentence, left: quotes.map((quote) => `The user said: "${quote}".`).join(' '), why };
}

function objectionTo({
  sentence,
  block,
  isPlan,
}: {
  readonly sentence: string;
  readonly block: Block;
  readonly isPlan: boolean;
}): Objection | undefined {
  if (sentence.length > longest) return 'length';
  const texts = block.kind === 'table' ? rowsOf(sentence) : [sentence];
  const isTitle = block.kind === 'table' && /^\|?[^|\n]*\|?$/.test(sentence) && titleIn(sentence) !== undefined;
  if (isTitle || texts.some(isEnginePart)) return 'engine-part';
  if (texts.some((text) => !isEnglish(text))) return 'language';
  if (texts.some(isDeclining)) return 'refusal';
  if (texts.some((text) => claimIn(text) !== 'none')) return 'claim';
  return texts.some((text) => isOrder({ sentence: text, isPlan })) ? 'order' : undefined;
}

/** The rows of a table as sentences: with and without the titles of its columns. */
function rowsOf(table: string): string[] {
  const rows = table.split('\n').map((row) => row.split('|').map((cell) => cell.trim()));
  const [titles = [], ...rest] = rows;
  return [
    ...rows.map((cells) => cells.join(' ')),
    ...rows.flat(),
    ...rest.map((cells) => cells.map((cell, at) => `${titles[at] ?? ''} ${cell}`).join(' ')),
  ].filter((text) => text.trim() !== '');
}

/** Whether a block and the one that it goes on with make a claim that neither makes alone. */
function splitClaim({
  blocks,
  at,
  said,
}: {
  readonly blocks: readonly Block[];
  readonly at: number;
  readonly said: readonly string[];
}): boolean {
  const block = blocks[at];
  const next = blocks[at + 1]?.kind === 'blank' ? blocks[at + 2] : blocks[at + 1];
  if (!block || block.kind === 'table' || !next || next.kind === 'table' || next.kind === 'blank') return false;
  const isOpen = block.text.length < 200 && !/[.!?。！？]["”»)\]*_]*$/.test(block.text);
  const goesOn = next.depth > block.depth || (next.kind === 'item' && block.kind !== 'item') || next.kind === 'text';
  if (!isOpen || !goesOn) return false;
  const [head, tail] = [sentencesOf(block.text).at(-1) ?? '', sentencesOf(next.text)[0] ?? ''];
  const whole = `${head} ${tail}`;
  if (whole.length > longest || claimIn(whole) === 'none' || claimIn(head) !== 'none') return false;
  // Only what is no sentence by itself is part of what follows.
  if (claimIn(tail) !== 'none' && (head.split(' ').length > 3 || /[:：][^\w:：]*$/.test(head))) return false;
  const quotes = quotationsIn(whole);
  return quotes.length === 0 || !quotes.every((quote) => isSaid({ quote, said }));
}
