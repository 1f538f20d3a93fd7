import type { SourceItem } from '../source.ts';
import type { Order } from './protocol.ts';
import type { Summary } from './summariser.ts';

/** Makes a summary by choosing. */
export function extractive(_of: {
  readonly items: readonly SourceItem[];
  readonly order: Order;
  readonly count: (text: string) => number;
}): Summary {
  return { text: '', short: '' };
}
