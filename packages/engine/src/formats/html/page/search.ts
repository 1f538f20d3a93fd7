import { fieldsOf } from './fields.ts';
import type { Log } from './log.ts';

/** A place where something was found. */
export interface Hit {
  readonly handle: number;
  readonly field: string;
  readonly part: number;
  readonly start: number;
  readonly end: number;
}

/** More than these nobody goes through. */
export const mostHits = 10_000;

/** The page stays alive while it searches: so long it may be busy, in milliseconds. */
const patience = 12;

/** The words as a pattern that does not care for case; `undefined` for none. */
export function patternOf(words: string): RegExp | undefined {
  if (words.trim() === '') return undefined;
  return new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'giu');
}

/**
 * Finds words everywhere, on every branch, in order of the log. It tells what it has found so far, and stops when it is
 * told to.
 */
export async function find({
  log,
  pattern,
  onHits,
  signal,
}: {
  readonly log: Log;
  readonly pattern: RegExp;
  readonly onHits: (of: { readonly hits: readonly Hit[]; readonly isDone: boolean }) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  const hits: Hit[] = [];
  let until = performance.now() + patience;
  for (const entry of log.entries) {
    for (const { key, text, part } of fieldsOf(entry)) {
      for (const { index: start, 0: words } of text.matchAll(pattern)) {
        hits.push({ handle: entry.handle, field: key, part, start, end: start + words.length });
        if (hits.length >= mostHits) return onHits({ hits, isDone: true });
      }
    }
    if (performance.now() < until) continue;
    onHits({ hits, isDone: false });
    await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) return;
    until = performance.now() + patience;
  }
  onHits({ hits, isDone: true });
}
