import { formatHandle } from '../../session/index.ts';
import { compose } from '../extract/compose.ts';
import { readItems } from '../extract/reading.ts';
import { share } from '../extract/share.ts';
import { createMask } from '../secrets/mask.ts';
import { maskedItems } from '../secrets/masked-items.ts';
import type { SourceItem } from '../source.ts';
import { knownOf } from './known.ts';
import type { Order } from './protocol.ts';
import type { Summary } from './summariser.ts';

/**
 * Makes a summary by choosing, without a model: the same input gives the same text. It quotes and counts, and invents
 * nothing.
 *
 * @example
 * const { text } = extractive({ items, order: { kept: [], budget: 12_000, pins: [] }, count });
 */
export function extractive({
  items,
  order,
  count,
}: {
  readonly items: readonly SourceItem[];
  readonly order: Order;
  readonly count: (text: string) => number;
}): Summary {
  const { kept, budget, focus, root, secrets = [], salt = '' } = order;
  const mask = createMask({ values: secrets, salt });
  const inLines = createMask({ values: secrets, salt, keepsLines: true });
  const safe = maskedItems({ items, mask: inLines });
  const later = maskedItems({ items: order.later ?? [], mask: inLines });
  const end = breadcrumb(items);
  const room = Math.max(0, budget - count(end) - 2);
  const known = knownOf({ items: safe, order: { ...order, later }, count, mask });
  const { text, lines } = compose({ items: safe, kept, known, root, budget: room, count, focus });
  const places = lines.map(
    ({ handle: entry, text: _text, section: _section, origin: _origin, rank: _rank, ...place }) =>
      formatHandle({ entry, ...place }),
  );
  return {
    text: mask(`${text}\n\n${end}`),
    short: shortOf({ items, lines: lines.length }),
    details: { lines: places },
  };
}

/**
 * How many tokens at the end are worth more as they are than what else their room could hold.
 *
 * @example
 * const keepRecent = tailFor({ items, budget: 60_000, count });
 */
export function tailFor({
  items,
  budget,
  count,
}: {
  readonly items: readonly SourceItem[];
  readonly budget: number;
  readonly count: (text: string) => number;
}): number {
  return share({ reading: readItems({ items }), budget, count }).tail;
}

/** Where all of it is; written once, and never again while it is sent. */
function breadcrumb(items: readonly SourceItem[]): string {
  const [first] = items;
  const last = items.at(-1);
  if (!first || !last) return '';
  return `Everything that this stands for is kept, word for word, from @${first.handle} to @${last.handle}: recall it by handle (@${first.handle}, or lines as in @${first.handle}:1-40), or search it by words.`;
}

function shortOf({ items, lines }: { readonly items: readonly SourceItem[]; readonly lines: number }): string {
  return `${items.length} messages in ${lines} chosen lines`;
}
