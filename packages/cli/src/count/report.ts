import { count } from '../text/count.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import type { Outcome } from './count-targets.ts';
import type { Counting } from './counting.ts';

interface Reported {
  readonly outcome: Outcome;
  readonly counting: Counting;
}

/** The table: tokens, share of all, name; the sum last. */
export function countText({ outcome, counting, paint }: Reported & { readonly paint: Paint }): string {
  const { counted, passedOver } = outcome;
  const sum = sumOf(outcome);
  const width = Math.max(grouped(sum.tokens).length, 'tokens'.length);
  const row = ({ tokens, label }: { tokens: number; label: string }) =>
    `${grouped(tokens).padStart(width)}  ${percent(tokens, sum.tokens).padStart(7)}  ${label}`;
  const files = count({ amount: counted.length, of: 'file' });
  const lines = [
    paint.faint(`${'tokens'.padStart(width)}  ${'share'.padStart(7)}  file`),
    ...counted.map(({ name, tokens }) => row({ tokens, label: printable(name) })),
    paint.strong(row({ tokens: sum.tokens, label: `${files}, ${printable(counting.label)}` })),
  ];
  if (!counting.isExact) lines.push(`At most ${grouped(sum.bound)} tokens, as far as an estimate can say.`);
  if (counting.window !== undefined) {
    lines.push(`That is ${percent(sum.tokens, counting.window)} of the window of ${grouped(counting.window)} tokens.`);
  }
  if (passedOver > 0) lines.push(paint.faint(`${count({ amount: passedOver, of: 'file' })} without text left out.`));
  return `${lines.join('\n')}\n`;
}

/** The same for a program. */
export function countJson({ outcome, counting }: Reported): string {
  const { encoding, model, window, isExact } = counting;
  const sum = sumOf(outcome);
  const bound = (value: number) => (isExact ? {} : { bound: value });
  const value = {
    ...(encoding !== undefined && { encoding }),
    ...(model !== undefined && { model }),
    exact: isExact,
    files: outcome.counted.map(({ name, bytes, tokens, bound: most }) => ({
      file: name,
      tokens,
      ...bound(most),
      share: sum.tokens === 0 ? 0 : tokens / sum.tokens,
      bytes,
    })),
    total: { files: outcome.counted.length, tokens: sum.tokens, ...bound(sum.bound), bytes: sum.bytes },
    ...(window !== undefined && { window, windowShare: sum.tokens / window }),
    passedOver: outcome.passedOver,
    errors: outcome.refusals.map(({ name, error }) => ({ file: name, ...error.toJSON() })),
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** One line for each that could not be counted. */
export function refusalText({ outcome, paint }: { readonly outcome: Outcome; readonly paint: Paint }): string {
  return outcome.refusals
    .map(({ error }) => `${paint.bad('longhaul:')} ${printable(`${error.message} ${error.hint}`)}\n`)
    .join('');
}

function sumOf({ counted }: Outcome): { tokens: number; bound: number; bytes: number } {
  const total = { tokens: 0, bound: 0, bytes: 0 };
  for (const { tokens, bound, bytes } of counted) {
    total.tokens += tokens;
    total.bound += bound;
    total.bytes += bytes;
  }
  return total;
}

function grouped(amount: number): string {
  return amount.toLocaleString('en-US');
}

function percent(part: number, whole: number): string {
  return `${(whole === 0 ? 0 : (part / whole) * 100).toFixed(1)} %`;
}
