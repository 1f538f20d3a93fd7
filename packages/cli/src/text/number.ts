/**
 * An integer with thousands separators.
 *
 * @example
 * number(1234567); // '1,234,567'
 */
export function number(amount: number): string {
  // `toLocaleString` loads the data of a language, which takes longer than most commands.
  const [whole = '', fraction] = String(Math.round(Math.abs(amount) * 1000) / 1000).split('.');
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(0, end - 3), end));
  return `${amount < 0 ? '-' : ''}${groups.join(',')}${fraction === undefined ? '' : `.${fraction}`}`;
}
