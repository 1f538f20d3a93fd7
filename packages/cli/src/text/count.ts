import { number } from './number.ts';

/**
 * A number with its noun.
 *
 * @example
 * count({ of: 'message', amount: 2 }); // '2 messages'
 * count({ of: 'entry', amount: 2000 }); // '2,000 entries'
 */
export function count({ amount, of }: { readonly amount: number; readonly of: string }): string {
  if (amount === 1) return `${amount} ${of}`;
  return `${number(amount)} ${of.endsWith('y') ? `${of.slice(0, -1)}ie` : of}s`;
}
