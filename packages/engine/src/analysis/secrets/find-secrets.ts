import { findVendorKeys, type KeyMatch } from '../../key-shapes/find-vendor-keys.ts';
import { findKeyBlocks } from '../../key-shapes/key-blocks.ts';
import { findLooseKeys } from '../../key-shapes/loose-keys.ts';
import { findAssignments } from './assignments.ts';
import { findByPlace } from './places.ts';

/** A secret in a text. */
export interface FoundSecret extends KeyMatch {
  /** What identifies it: the same wherever and however the same secret is written. */
  readonly secret: string;
}

/** A placeholder of an earlier masking. */
export const placeholder = /\[secret:[0-9a-f]{6}\]/;
const placeholderLength = '[secret:012345]'.length;

/**
 * Finds what looks like a secret: formats of vendors, private keys of several lines, values whose name or place says so.
 * The results are in order and do not overlap. The time is linear in the length of the text.
 *
 * @example
 * findSecrets('DB_PASSWORD=hunter22'); // [{ start: 12, end: 20, secret: 'hunter22' }]
 */
export function findSecrets(text: string): FoundSecret[] {
  const found = withoutOverlap([...findEscaped({ text, depth: 0 }), ...findWritten(text)]);
  return text.includes('[secret:') ? withoutPlaceholders({ text, found }) : found;
}

/** JSON in JSON in JSON: deeper nesting does not occur in messages of tools. */
const deepestEscape = 3;

/** The same in text with escape sequences of JSON, read as what they mean: a line break, a tab, a quotation mark. */
function findEscaped({ text, depth }: { readonly text: string; readonly depth: number }): FoundSecret[] {
  if (depth >= deepestEscape || !hasEscapes(text)) return [];
  const { text: plain, originOf } = unescaped(text);
  const found = [...findWritten(plain), ...findEscaped({ text: plain, depth: depth + 1 })];
  return found.map(({ start, end, secret }) => ({ start: originOf(start), end: originOf(end), secret }));
}

function findWritten(text: string): FoundSecret[] {
  const keys = [...findVendorKeys(text), ...findLooseKeys({ text, isRandomOnly: true })];
  const named = [...keys, ...findAssignments(text), ...findByPlace(text)].map(({ start, end }) => {
    return { start, end, secret: text.slice(start, end) };
  });
  return [...findKeyBlocks(text), ...named];
}

/** Without what touches a placeholder: that was masked before. */
function withoutPlaceholders(of: { readonly text: string; readonly found: readonly FoundSecret[] }): FoundSecret[] {
  const masked = [...of.text.matchAll(new RegExp(placeholder, 'g'))].map(({ index }) => index);
  let next = 0;
  return of.found.filter(({ start, end }) => {
    while (next < masked.length && (masked[next] ?? 0) + placeholderLength <= start) next += 1;
    return next >= masked.length || (masked[next] ?? 0) >= end;
  });
}

/** Where several overlap, the one that begins first, and among those the longest; a later one that reaches further extends it. */
function withoutOverlap(found: readonly FoundSecret[]): FoundSecret[] {
  const kept: FoundSecret[] = [];
  for (const next of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (!last || next.start >= last.end) kept.push(next);
    else if (next.end > last.end) {
      const tail = next.secret.slice(next.secret.length - (next.end - last.end));
      kept[kept.length - 1] = { start: last.start, end: next.end, secret: last.secret + tail };
    }
  }
  return kept;
}

/** Escape sequences of JSON, and colors of terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals start a sequence with ESC
const sequences = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\u001b\[[\d;]{0,20}m/g;

/** Whether a text has escape sequences that change how it reads. */
function hasEscapes(text: string): boolean {
  return (text.includes('\\') && /\\(?:["nrt\\]|u00)/.test(text)) || text.includes('\u001b[');
}

/**
 * A text with its JSON escape sequences resolved once and its colors removed, and where each place of it was before.
 *
 * @example
 * const { text, originOf } = unescaped('a\\nb'); // 'a' LF 'b'; originOf(2) is 3
 */
function unescaped(text: string): { readonly text: string; readonly originOf: (at: number) => number } {
  const pieces: string[] = [];
  // Where each escape sequence was resolved, and how much shorter the text is from there on.
  const places: number[] = [];
  const removed: number[] = [];
  let [at, length, lost] = [0, 0, 0];
  for (const { 0: sequence, index } of text.matchAll(sequences)) {
    const meaning = meaningOf(sequence);
    pieces.push(text.slice(at, index), meaning);
    length += index - at + meaning.length;
    lost += sequence.length - meaning.length;
    places.push(length);
    removed.push(lost);
    at = index + sequence.length;
  }
  pieces.push(text.slice(at));
  return { text: pieces.join(''), originOf: (position) => position + (removed[lastAtOrBefore(places, position)] ?? 0) };
}

function meaningOf(sequence: string): string {
  const character = sequence.charAt(1);
  if (character === '[') return '';
  if (character === 'u') return String.fromCharCode(Number.parseInt(sequence.slice(2), 16));
  return { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }[character] ?? character;
}

/** The index of the last number that is not larger, or -1. */
function lastAtOrBefore(sorted: readonly number[], position: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
