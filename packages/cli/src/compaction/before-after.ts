import { bar } from '../text/bar.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';

const cells = 40;

/**
 * How full a window was and is, as two bars.
 *
 * @example
 * beforeAfter({ before: 96_742, after: 44_537, window: 200_000, isDone: true, paint });
 */
export function beforeAfter({
  before,
  after,
  window,
  isDone,
  paint,
}: {
  readonly before: number;
  readonly after: number;
  readonly window: number;
  /** `false` for a dry run. */
  readonly isDone: boolean;
  readonly paint: Paint;
}): string[] {
  const width = number(Math.max(before, after)).length;
  const line = (name: string, tokens: number) =>
    `${name} ${paint.strong(bar({ share: tokens / window, cells }))} ${number(tokens).padStart(width)}`;
  return [`${line('before  ', before)} of ${number(window)} tokens`, line(isDone ? 'now     ' : 'would be', after)];
}
