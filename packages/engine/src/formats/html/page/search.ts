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

/** Maximum number of results. */
export const mostHits = 10_000;

/** The page stays alive while it searches: so long it may be busy, in milliseconds. */
const sliceMs = 12;

/** The words as a pattern that does not care for case; `undefined` for none. */
export function patternOf(words: string): RegExp | undefined {
  if (words.trim() === '') return undefined;
  return new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'giu');
}

/**
 * Searches all branches in log order, reporting results as they are found, until it is aborted.
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
  let until = performance.now() + sliceMs;
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
    until = performance.now() + sliceMs;
  }
  onHits({ hits, isDone: true });
}
