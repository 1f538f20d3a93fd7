import { createHash } from 'node:crypto';
import { findVendorKeys, type KeyMatch } from '../../key-shapes/find-vendor-keys.ts';
import { findKeyBlocks } from '../../key-shapes/key-blocks.ts';
import { findLooseKeys } from '../../key-shapes/loose-keys.ts';
import { replaceFound } from '../../key-shapes/replace-found.ts';
import { findAssignments } from './assignments.ts';
import { findByPlace } from './places.ts';

/** Replaces secrets in a text. */
export type Mask = (text: string) => string;

/** Shorter values would match inside words. */
const minValue = 6;

/** Maximum passes: masking can join two parts of a text into something that looks like a secret. */
const maxPasses = 4;

/**
 * A mask for everything derived from a session: summaries, quoted messages, exports. It never changes the log. A secret has
 * the same placeholder everywhere in a session, so a reader can see that two places mean one key; `salt` makes placeholders
 * differ between sessions. Idempotent.
 *
 * @example
 * const mask = createMask({ values: [process.env.API_KEY ?? ''], salt: session.id });
 * mask('DB_PASSWORD=hunter22'); // 'DB_PASSWORD=[secret:8c61f0]'
 */
export function createMask({
  values = [],
  patterns = [],
  salt = '',
  keepsLines = false,
}: {
  /** Known keys, such as those of the configuration. */
  readonly values?: readonly string[];
  /** Further patterns; the secret is the group `key`, or the whole match. */
  readonly patterns?: readonly RegExp[];
  readonly salt?: string;
  /** Whether to keep the line breaks of multi-line secrets, so that line numbers stay valid. */
  readonly keepsLines?: boolean;
} = {}): Mask {
  const known = values.filter(({ length }) => length >= minValue).toSorted((a, b) => b.length - a.length);
  const placeholders = new Map<string, string>();
  return (text) => {
    let masked = text;
    for (const value of known) masked = masked.replaceAll(value, placeholder(value, value));
    for (const pattern of patterns) masked = maskPattern({ text: masked, pattern });
    for (let pass = 0; pass < maxPasses; pass += 1) {
      const next = maskFound(masked);
      if (next === masked) break;
      masked = next;
    }
    return masked;
  };

  function maskFound(text: string): string {
    const found = findSecrets(text);
    if (found.length === 0) return text;
    return replaceFound({
      text,
      found,
      replace: ({ start, end, secret }) => placeholder(secret, text.slice(start, end)),
    });
  }

  function maskPattern({ text, pattern }: { readonly text: string; readonly pattern: RegExp }): string {
    return text.replace(pattern.global ? pattern : new RegExp(pattern, `${pattern.flags}g`), (whole, ...rest) => {
      const groups = rest.at(-1) as { readonly key?: string } | undefined;
      const key = typeof groups === 'object' && groups.key ? groups.key : String(whole);
      return String(whole).replace(key, () => placeholder(key, key));
    });
  }

  function placeholder(secret: string, written: string): string {
    if (placeholderPattern.test(written)) return written;
    const made = placeholders.get(secret) ?? makePlaceholder(secret);
    placeholders.set(secret, made);
    return keepsLines ? `${made}${written.replace(/[^\n]+/g, '')}` : made;
  }

  function makePlaceholder(secret: string): string {
    return `[secret:${createHash('sha256').update(`${salt}\n${secret}`).digest('hex').slice(0, 6)}]`;
  }
}

/** A secret in a text. */
interface FoundSecret extends KeyMatch {
  /** Its identity: the same wherever and however the secret is written. */
  readonly secret: string;
}

/** A placeholder of an earlier masking. */
const placeholderPattern = /\[secret:[0-9a-f]{6}\]/;
const placeholderLength = '[secret:012345]'.length;

/**
 * Finds what looks like a secret: vendor key formats, multi-line private keys, values with a telling name or position. The
 * results are in order and do not overlap. Linear time.
 *
 * @example
 * findSecrets('DB_PASSWORD=hunter22'); // [{ start: 12, end: 20, secret: 'hunter22' }]
 */
function findSecrets(text: string): FoundSecret[] {
  const found = withoutOverlap([...findEscaped({ text, depth: 0 }), ...findWritten(text)]);
  return text.includes('[secret:') ? withoutPlaceholders({ text, found }) : found;
}

/** Maximum nesting of JSON in JSON; deeper nesting does not occur in tool messages. */
const maxEscapeDepth = 3;

/** The same in text with JSON escape sequences, which are resolved first. */
function findEscaped({ text, depth }: { readonly text: string; readonly depth: number }): FoundSecret[] {
  if (depth >= maxEscapeDepth || !hasEscapes(text)) return [];
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

/** Removes matches that touch a placeholder, which were masked before. */
function withoutPlaceholders(of: { readonly text: string; readonly found: readonly FoundSecret[] }): FoundSecret[] {
  const masked = [...of.text.matchAll(new RegExp(placeholderPattern, 'g'))].map(({ index }) => index);
  let next = 0;
  return of.found.filter(({ start, end }) => {
    while (next < masked.length && (masked[next] ?? 0) + placeholderLength <= start) next += 1;
    return next >= masked.length || (masked[next] ?? 0) >= end;
  });
}

/** Resolves overlaps: the first and longest match is kept; a later one that reaches further extends it. */
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

/** JSON escape sequences and terminal colors. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals start a sequence with ESC
const sequences = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\u001b\[[\d;]{0,20}m/g;

/** Whether a text has escape sequences that change how it reads. */
function hasEscapes(text: string): boolean {
  return (text.includes('\\') && /\\(?:["nrt\\]|u00)/.test(text)) || text.includes('\u001b[');
}

/**
 * A text with JSON escape sequences resolved once and colors removed, and a mapping to the original positions.
 *
 * @example
 * const { text, originOf } = unescaped('a\\nb'); // 'a' LF 'b'; originOf(2) is 3
 */
function unescaped(text: string): { readonly text: string; readonly originOf: (at: number) => number } {
  const pieces: string[] = [];
  // The position of each resolved escape sequence, and how much shorter the text is from there on.
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
