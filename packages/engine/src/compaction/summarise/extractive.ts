import { formatHandle } from '../../session/index.ts';
import { compose } from '../extract/compose.ts';
import { share } from '../extract/share.ts';
import { createMask } from '../secrets/mask.ts';
import type { SourceItem } from '../source.ts';
import { breadcrumb } from './breadcrumb.ts';
import { knownOf } from './known.ts';
import { boundNarrative } from './narrative/bound.ts';
import { humanTexts } from './narrative/quoted.ts';
import { reviewNarrative, wordsOf } from './narrative/sound.ts';
import type { Order } from './protocol.ts';
import { createReader, type Look, type Reader } from './reader.ts';
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
  read = createReader(),
}: {
  readonly items: readonly SourceItem[];
  readonly order: Order;
  readonly count: (text: string) => number;
  readonly read?: Reader;
}): Summary {
  const { kept, budget, focus, root, secrets = [], salt = '' } = order;
  const mask = createMask({ values: secrets, salt });
  const whole = read({ items: inOrder([...items, ...(order.later ?? [])]), look: order });
  const told = new Set(items.map(({ handle }) => handle));
  const isTold = whole.items.map(({ handle }) => told.has(handle));
  const safe = whole.items.filter((_, index) => isTold[index]);
  const later = whole.items.filter((_, index) => !isTold[index]);
  const reading = { ...whole, passages: whole.passages.filter(({ item }) => isTold[item]) };
  const end = breadcrumb({ items, transcript: order.transcript });
  const room = Math.max(0, budget - count(end) - 2);
  const { text, lines, narrative } = around();
  const places = lines.map(
    ({ handle: entry, text: _text, section: _section, origin: _origin, rank: _rank, ...place }) =>
      formatHandle({ entry, ...place }),
  );
  return {
    text: mask(`${text}\n\n${end}`),
    short: narrative?.short ?? shortOf({ items, lines: lines.length }),
    details: { lines: places },
    ...(narrative && { narrative }),
    ...(narrative?.title !== undefined && { title: narrative.title }),
  };

  /** A model's words have their share and no more: what is certain and what is chosen stand in any summary. */
  function around() {
    const about = { items: safe, reading, kept, root, budget: room, count, focus };
    const said = order.narrative ? humanTexts([...items, ...(order.later ?? [])].map(({ message }) => message)) : [];
    const { narrative: words } = reviewNarrative({ narrative: order.narrative ?? { sections: {} }, said, mask });
    for (const share of narrativeShares) {
      const narrative = boundNarrative({ narrative: words, limit: Math.floor(room * share), count });
      const told = wordsOf(narrative);
      if (Object.keys(told).length === 0) break;
      const tokens = count(Object.values(told).flat().join('\n'));
      // First in each section: under the engine's own lists it would look like one of them.
      const composed = compose({ ...about, known: [told, ...knownIn(budget - tokens)] });
      if (composed.tokens <= room) return { ...composed, narrative };
    }
    return { ...compose({ ...about, known: knownIn(budget) }), narrative: undefined };
  }

  function knownIn(tokens: number) {
    return knownOf({ items: safe, order: { ...order, later, budget: Math.max(0, tokens) }, count, mask });
  }
}

/** Of a summary; less where what must be said leaves less. */
const narrativeShares = [0.3, 0.1];

/** As they were said, whatever part of them a summary is of. */
export function inOrder(items: readonly SourceItem[]): readonly SourceItem[] {
  return items.toSorted((a, b) => a.handle - b.handle);
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
  look = {},
  read = createReader(),
}: {
  readonly items: readonly SourceItem[];
  readonly budget: number;
  readonly count: (text: string) => number;
  readonly look?: Look;
  readonly read?: Reader;
}): number {
  return share({ reading: read({ items: inOrder(items), look }), budget, count }).tail;
}

function shortOf({ items, lines }: { readonly items: readonly SourceItem[]; readonly lines: number }): string {
  return `${items.length} messages in ${lines} chosen lines`;
}
