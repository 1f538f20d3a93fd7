import { number } from '../text/number.ts';

/**
 * A share as people write it.
 *
 * @example
 * percent(0.785); // '78.5 %'
 */
export function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

/**
 * Milliseconds in the unit that fits them.
 *
 * @example
 * span(300_000); // '5 min'
 */
export function span(ms: number): string {
  if (ms % 60_000 === 0 && ms > 0) return `${number(ms / 60_000)} min`;
  return `${number(Math.round(ms / 100) / 10)} s`;
}
