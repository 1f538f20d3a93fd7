import type { Pin } from './pins.ts';

/** Which rules are carried, and which found no place. */
export interface ChosenPins {
  readonly kept: readonly Pin[];
  readonly left: readonly Pin[];
}

/**
 * The rules that fit into a budget: those set by hand first, then those of hooks, what people said, and instruction files; the clear
 * before the vague, the newest before the older. They come back in the order in which they were said.
 *
 * @example
 * const { kept, left } = choosePins({ pins, budget: 2000, count });
 */
export function choosePins({
  pins,
  budget,
  count,
}: {
  readonly pins: readonly Pin[];
  readonly budget: number;
  readonly count: (text: string) => number;
}): ChosenPins {
  const kept = new Set<Pin>();
  let used = 0;
  for (const pin of pins.toReversed().toSorted((a, b) => rank(a) - rank(b))) {
    const tokens = count(pinLine(pin));
    if (used + tokens > budget) continue;
    used += tokens;
    kept.add(pin);
  }
  return { kept: pins.filter((pin) => kept.has(pin)), left: pins.filter((pin) => !kept.has(pin)) };
}

/** A rule as it is rendered: its bytes, then where they stand, and if nobody said them. Further lines keep their bytes too. */
export function pinLine({ text, from, by }: Pick<Pin, 'text' | 'from'> & { readonly by?: string }): string {
  return `- ${text} (${from}${by === 'hook' ? ', set by a hook' : ''})`;
}

function rank({ by, strength }: Pin): number {
  if (by === 'hand') return 0;
  if (by === 'hook') return 1;
  return (by === 'human' ? 2 : 4) + (strength === 'strong' ? 0 : 1);
}
