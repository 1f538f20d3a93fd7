import { createHash } from 'node:crypto';
import { keyShapes, replaceKeys } from '../../key-shapes.ts';
import { isKey, looksRandom, namedKeys } from './assignments.ts';

/** Replaces secrets in a text. */
export type Mask = (text: string) => string;

/** Shorter values would be found inside words. */
const shortestValue = 6;

/**
 * A mask for everything that is derived from a session: summaries, quoted messages, exports. It never touches the log.
 * The same secret has the same placeholder wherever it stands, so that a reader still sees that two places mean one key;
 * `salt` keeps placeholders of two sessions apart. Masking what is masked changes nothing.
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
  /** Keys that are known: those of the configuration. */
  readonly values?: readonly string[];
  /** Further shapes, with the flag `g`; the secret is their group `key`, or all that they find. */
  readonly patterns?: readonly RegExp[];
  readonly salt?: string;
  /** Whether what follows a key of many lines stays on the line it was on, so that numbers of lines still hold. */
  readonly keepsLines?: boolean;
} = {}): Mask {
  const known = values.filter(({ length }) => length >= shortestValue).toSorted((a, b) => b.length - a.length);
  const placeholders = new Map<string, string>();
  return (text) => {
    let masked = text;
    for (const value of known) masked = masked.replaceAll(value, placeholder(value));
    for (const pattern of patterns)
      masked = replaceKeys({ text: masked, pattern: named(pattern), replace: placeholder });
    for (const { pattern, isSure } of keyShapes) {
      const replace = (key: string) => (isSure || looksRandom(key) ? placeholder(key) : key);
      masked = replaceKeys({ text: masked, pattern, replace });
    }
    for (const { pattern, care } of namedKeys) {
      const replace = (value: string) => (isKey({ value, care }) ? placeholder(value) : value);
      masked = replaceKeys({ text: masked, pattern, replace });
    }
    return masked;
  };

  function placeholder(secret: string): string {
    // What holds a placeholder was masked before.
    if (/\[secret:[0-9a-f]{6}\]/.test(secret)) return secret;
    const known = placeholders.get(secret);
    if (known !== undefined) return known;
    const digest = createHash('sha256').update(`${salt}\n${secret}`).digest('hex').slice(0, 6);
    const made = `[secret:${digest}]${keepsLines ? secret.replace(/[^\n]+/g, '') : ''}`;
    placeholders.set(secret, made);
    return made;
  }
}

/** A pattern without a group for the key means all of what it finds. */
function named(pattern: RegExp): RegExp {
  if (pattern.source.includes('(?<key>')) return pattern;
  return new RegExp(`(?<key>${pattern.source})`, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`);
}
