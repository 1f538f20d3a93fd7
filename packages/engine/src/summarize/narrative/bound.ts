import { type SectionName, sectionNames, waterFill } from '../../analysis/index.ts';
import type { Narrative } from '../summarizer.ts';

/** In these the end is what counts: what was done last. */
const endCounts: ReadonlySet<SectionName> = new Set(['progress', 'recent operations']);

/**
 * A narrative of at most so many tokens: short sections stay whole, long ones lose whole lines, or of one long line whole
 * sentences. So it holds its size however many summaries were updated into it (a summary that is only added to grew
 * 8.6-fold).
 *
 * @example
 * const narrative = boundNarrative({ narrative, limit: 2000, count });
 */
export function boundNarrative({
  narrative,
  limit,
  count,
}: {
  readonly narrative: Narrative;
  readonly limit: number;
  readonly count: (text: string) => number;
}): Narrative {
  const present = sectionNames.flatMap((name) => {
    const text = narrative.sections[name];
    return text === undefined ? [] : [{ name, text, tokens: count(text) + 1 }];
  });
  const most = waterFill({ sizes: present.map(({ tokens }) => tokens), total: limit });
  const sections = present.flatMap(({ name, text, tokens }) => {
    const kept = tokens <= most ? text : cut({ text, limit: most - 1, count, isEnd: endCounts.has(name) });
    return kept === '' ? [] : [[name, kept] as const];
  });
  return { ...narrative, sections: Object.fromEntries(sections) };
}

function cut({
  text,
  limit,
  count,
  isEnd,
}: {
  readonly text: string;
  readonly limit: number;
  readonly count: (text: string) => number;
  readonly isEnd: boolean;
}): string {
  const pieces = text.split(/(?<=\n)|(?<=[.!?])(?= )/);
  const order = isEnd ? pieces.toReversed() : pieces;
  let fitting = 0;
  // A piece costs as much alone as among others, or a token more.
  for (let tokens = 0; fitting < order.length; fitting += 1) {
    tokens += count(order[fitting] ?? '');
    if (tokens > limit) break;
  }
  for (; fitting > 0; fitting -= 1) {
    const kept = isEnd ? pieces.slice(-fitting) : pieces.slice(0, fitting);
    const whole = kept.join('').trim();
    if (count(whole) <= limit) return whole;
  }
  return '';
}
