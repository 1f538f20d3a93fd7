/**
 * An integer with thousands separators.
 *
 * @example
 * number(1234567); // '1,234,567'
 */
export function number(amount: number): string {
  // `toLocaleString` loads the data of a language, which takes longer than most commands.
  return String(Math.round(amount * 1000) / 1000).replace(/\B(?=(?:\d{3})+(?:\.|$))/g, ',');
}
