/**
 * A whole number with its thousands apart.
 *
 * @example
 * number(1234567); // '1,234,567'
 */
export function number(amount: number): string {
  return amount.toLocaleString('en-US');
}
