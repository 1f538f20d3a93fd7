import type { Pin } from './pins.ts';

/** The rules that fit into the budget, and the others. */
export interface ChosenPins {
  readonly kept: readonly Pin[];
  readonly left: readonly Pin[];
}

/** Estimated tokens of the line above the statements of a document. */
const headingTokens = 12;

/** Maximum share of one document while others still have rules. */
const documentShare = 0.5;

/** Documents that are no instruction files by their path have together at most so much of it. */
const mostOfNamed = 0.3;

/**
 * The rules that fit into a budget: pins set by hand first, then those of hooks, human messages and instruction documents;
 * strong before weak. Of human rules the newest come first, of a document those at its beginning, and no document takes
 * everything. Returned in their original order.
 *
 * @example
 * const { kept, left } = choosePins({ pins, budget: 2000, count });
 */
export function choosePins({
  pins,
  budget,
  documents = 0,
  count,
}: {
  readonly pins: readonly Pin[];
  readonly budget: number;
  /** Additional budget for instruction documents. */
  readonly documents?: number;
  readonly count: (text: string) => number;
}): ChosenPins {
  const kept = new Set<Pin>();
  let used = 0;
  let usedByNamed = 0;
  const ofDocument = new Map<string, number>();
  const said = pins.filter(({ document }) => document === undefined).toReversed();
  const written = pins.filter(({ document }) => document !== undefined);
  const ranked = [...said, ...written].toSorted((a, b) => rank(a) - rank(b));
  const sizes = new Map(ranked.map((pin) => [pin, count(pin.document === undefined ? pinLine(pin) : bare(pin))]));
  for (const share of [documentShare, 1]) for (const pin of ranked) take({ pin, share });
  return { kept: pins.filter((pin) => kept.has(pin)), left: pins.filter((pin) => !kept.has(pin)) };

  function take({ pin, share }: { readonly pin: Pin; readonly share: number }): void {
    const { document } = pin;
    const before = document === undefined ? 0 : (ofDocument.get(document) ?? headingTokens);
    const isFirst = document !== undefined && !ofDocument.has(document);
    const tokens = (sizes.get(pin) ?? 0) + (isFirst ? headingTokens : 0);
    const limit = document === undefined ? budget : budget + documents;
    if (kept.has(pin) || used + tokens > limit || (document !== undefined && before + tokens > limit * share)) return;
    if (pin.isNamed && usedByNamed + tokens > limit * mostOfNamed) return;
    if (pin.isNamed) usedByNamed += tokens;
    used += tokens;
    kept.add(pin);
    if (document !== undefined) ofDocument.set(document, before + tokens);
  }
}

/** A rule as rendered: its exact text, its handle, and whether a hook set it. */
export function pinLine({ text, from, by }: Pick<Pin, 'text' | 'from'> & { readonly by?: string }): string {
  return `- ${text} (${from}${by === 'hook' ? ', set by a hook' : ''})`;
}

/**
 * Rules as rendered: human rules line by line, then the statements of each document under its name.
 *
 * @example
 * pinLines([{ text: 'Use tabs.', from: '@3.1:4-4', by: 'instructions', document: 'AGENTS.md' }]);
 * // ['From AGENTS.md (@3.1):', '- Use tabs.']
 */
export function pinLines(pins: readonly RenderedPin[]): string[] {
  const said = pins.filter(({ document }) => document === undefined).map(pinLine);
  const documents = Map.groupBy(
    pins.filter(({ document }) => document !== undefined),
    ({ document, from }) => `${document} (${partOf(from)}):`,
  );
  const written = [...documents].flatMap(([heading, list]) => {
    const what = list[0]?.by === 'skill' ? 'From the skill' : 'From';
    return [`${what} ${heading}`, ...list.map(bare)];
  });
  return [...said, ...written];
}

type RenderedPin = Pick<Pin, 'text' | 'from' | 'document'> & { readonly by?: string };

function bare({ text }: Pick<Pin, 'text'>): string {
  return `- ${text}`;
}

/** The handle of the part without its lines: `@3.1` of `@3.1:4-4`. */
function partOf(from: string): string {
  return from.replace(/:[\d-]+$/, '');
}

function rank({ by, strength, isNamed }: Pin): number {
  if (isNamed) return 7;
  if (by === 'hand') return 0;
  if (by === 'hook') return 1;
  if (by === 'human') return strength === 'strong' ? 2 : 3;
  return { strong: 4, weak: 5, stated: 6 }[strength];
}
