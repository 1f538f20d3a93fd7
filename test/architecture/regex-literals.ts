import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { analyse } from 'scslre';
import { sources } from './imports.ts';

/** A regular expression of the source that can take more than linear time. */
export interface SlowRegex {
  /** `file: /pattern/flags`, the key of the list of exceptions. */
  readonly key: string;
  readonly line: number;
  /** Whether its time grows exponentially; else it grows as a polynomial. */
  readonly isExponential: boolean;
  /** What to repeat to see it. */
  readonly character: string;
}

/** Files whose expressions meet no outside text: tests, generated code, and what only builds or tests use. */
const isOwn =
  /\.test\.tsx?$|\.generated\.ts$|\.(?:fixture|arbitrary)\.ts$|\/(?:fixtures|testing|proof|suite|scripts)\//;

/**
 * Every regular expression literal of the packages that a text can be found for on which it takes more than linear time, by
 * static analysis of its automaton.
 */
export function slowRegexes(): SlowRegex[] {
  return sources('packages')
    .filter((file) => !isOwn.test(file))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      // Most files have none, and parsing is most of the time.
      if (!text.includes('/')) return [];
      return literalsIn({ file, text }).flatMap(({ pattern, flags, start }) =>
        reportsOf({ pattern, flags }).map(({ exponential, character }) => ({
          key: `${file}: /${pattern}/${flags}`,
          line: text.slice(0, start).split('\n').length,
          isExponential: exponential,
          character: character.literal.source,
        })),
      );
    });
}

/** The reports on one expression. */
export function reportsOf({ pattern, flags }: { readonly pattern: string; readonly flags: string }) {
  return analyse({ source: pattern, flags }).reports;
}

interface Literal {
  readonly pattern: string;
  readonly flags: string;
  readonly start: number;
}

function literalsIn({ file, text }: { readonly file: string; readonly text: string }): Literal[] {
  const found: Literal[] = [];
  const queue: unknown[] = [parseSync(file, text).program];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    const { type, regex, start } = node as { type?: string; regex?: Literal; start?: number };
    if (type === 'Literal' && regex) found.push({ pattern: regex.pattern, flags: regex.flags, start: start ?? 0 });
    else queue.push(...Object.values(node));
  }
  return found;
}
