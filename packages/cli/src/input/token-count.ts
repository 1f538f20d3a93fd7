import { wholeNumber } from './whole-number.ts';

const units: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };

/**
 * Parses a number of tokens: `32000`, `32k`, `1.5M`.
 *
 * @example
 * tokenCount({ flag: '--window', text: '32k', least: 1_000 }); // 32000
 */
export function tokenCount(of: { readonly flag: string; readonly text: string; readonly least: number }): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([km])$/i.exec(of.text) ?? [];
  const factor = units[unit.toLowerCase()];
  if (digits === undefined || factor === undefined) return wholeNumber(of);
  return wholeNumber({ ...of, text: String(Math.round(Number(digits) * factor)) });
}
