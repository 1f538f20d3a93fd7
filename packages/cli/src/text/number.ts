/**
 * An integer with thousands separators.
 *
 * @example
 * number(1234567); // '1,234,567'
 */
export function number(amount: number): string {
  return amount.toLocaleString('en-US');
}
