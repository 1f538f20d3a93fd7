import { createHash } from 'node:crypto';
import { replaceFound } from '../../key-shapes/replace-found.ts';
import { findSecrets, placeholder as placeholderPattern } from './find-secrets.ts';

/** Replaces secrets in a text. */
export type Mask = (text: string) => string;

/** Shorter values would be found inside words. */
const shortestValue = 6;

/** Masking can bring two parts of a text together that look like a secret only then. */
const mostPasses = 4;

/**
 * A mask for everything that is derived from a session: summaries, quoted messages, exports. It never touches the log.
 * The same secret has the same placeholder wherever it is, so a reader still sees that two places mean one key; `salt`
 * keeps the placeholders of two sessions apart. Masking what is masked changes nothing.
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
  /** Further patterns, with the flag `g`; the secret is their group `key`, or all that they match. */
  readonly patterns?: readonly RegExp[];
  readonly salt?: string;
  /** Whether a secret of several lines leaves its line breaks, so that line numbers still hold. */
  readonly keepsLines?: boolean;
} = {}): Mask {
  const known = values.filter(({ length }) => length >= shortestValue).toSorted((a, b) => b.length - a.length);
  const placeholders = new Map<string, string>();
  return (text) => {
    let masked = text;
    for (const value of known) masked = masked.replaceAll(value, placeholder(value, value));
    for (const pattern of patterns) masked = maskPattern({ text: masked, pattern });
    for (let pass = 0; pass < mostPasses; pass += 1) {
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
