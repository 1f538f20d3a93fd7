import { type Snapshot, shares } from 'longhaul/tokens';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';

const cells = 50;

const names = {
  system: 'system',
  tools: 'tools',
  messages: 'messages',
  toolResults: 'tool results',
  files: 'files',
} as const;

/**
 * How full a window is: a bar with what is used, what it may come to at most, and what is free; then the numbers.
 *
 * @example
 * meterLines({ size: scale.weigh(conversation), paint });
 */
export function meterLines({ size, paint }: { readonly size: Snapshot; readonly paint: Paint }): string[] {
  const wide = (tokens: number) => Math.min(cells, Math.round((tokens / size.window) * cells));
  const used = wide(size.used);
  const bound = Math.max(used, wide(size.bound));
  const bar = `${paint.strong('█'.repeat(used))}${'▒'.repeat(bound - used)}${paint.faint('░'.repeat(cells - bound))}`;
  const parts = shares.filter((share) => size[share] > 0).map((share) => `${names[share]} ${number(size[share])}`);
  const rest = [`reserve ${number(size.reserve)}`, `free ${number(size.free)}`];
  return [
    `${bar} ${number(size.used)} of ${number(size.window)} tokens, at most ${number(size.bound)}`,
    [...parts, ...rest].join(', '),
  ];
}
