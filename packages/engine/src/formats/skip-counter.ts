import type { WarningList } from './warnings.ts';

/**
 * Counts what a reader skips on purpose, such as copies for the screen, and reports it in one warning at the end, so
 * that nothing is dropped silently.
 *
 * @example
 * const tally = createTally({ warnings });
 * tally.leftOut('progress lines'); // for each
 * tally.report(); // "Left out, since the model never saw them: progress lines (412)."
 */
export interface SkipCounter {
  readonly skip: (what: string) => void;
  readonly report: () => void;
}

export function createSkipCounter({
  warnings,
  why = 'the model never saw them',
}: {
  readonly warnings: WarningList;
  readonly why?: string;
}): SkipCounter {
  const counts = new Map<string, number>();
  return {
    skip: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1),
    report() {
      if (counts.size === 0) return;
      const list = [...counts].map(([what, count]) => `${what} (${count})`).join(', ');
      warnings.add({ code: 'left-out', message: `Left out, since ${why}: ${list}.` });
    },
  };
}
