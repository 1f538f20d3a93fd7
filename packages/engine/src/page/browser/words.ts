const counting = new Intl.NumberFormat('en');

/** `12,345`. */
export function number(amount: number): string {
  return counting.format(amount);
}

/** `12.3k`: for narrow columns. */
export function short(amount: number): string {
  if (amount < 1000) return String(amount);
  if (amount < 1_000_000) return `${(amount / 1000).toFixed(amount < 10_000 ? 1 : 0)}k`;
  return `${(amount / 1_000_000).toFixed(1)}M`;
}

/** `1 line`, `2 lines`, `2 entries`. */
export function count({ amount, of }: { readonly amount: number; readonly of: string }): string {
  const plural = of.endsWith('y') ? `${of.slice(0, -1)}ies` : `${of}s`;
  return `${number(amount)} ${amount === 1 ? of : plural}`;
}

/** The start of a text on one line. */
export function firstWords({ text, length }: { readonly text: string; readonly length: number }): string {
  const words = text
    .slice(0, length * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return words.length > length ? `${words.slice(0, length - 1)}…` : words;
}

export function lineCount(text: string): number {
  if (text === '') return 0;
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const calendar = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
const both = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Times in the local time zone. A log may contain numbers that are not valid dates. */
export const time = (at: number): string => (isDate(at) ? clock.format(at) : '');
export const day = (at: number): string => (isDate(at) ? calendar.format(at) : '');
export const moment = (at: number): string => (isDate(at) ? both.format(at) : '');

function isDate(at: number): boolean {
  return Math.abs(at) <= 8.64e15;
}
