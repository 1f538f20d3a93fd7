import { formatHandle } from '../../session/index.ts';
import { compose } from '../extract/compose.ts';
import { readItems } from '../extract/reading.ts';
import { share } from '../extract/share.ts';
import { createMask } from '../secrets/mask.ts';
import { maskedItems } from '../secrets/masked-items.ts';
import type { SourceItem } from '../source.ts';
import { knownOf } from './known.ts';
import { humanTexts } from './narrative/attribute.ts';
import { boundNarrative } from './narrative/bound.ts';
import { soundNarrative, wordsOf } from './narrative/sound.ts';
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
  const { kept, budget, focus, secrets = [], salt = '' } = order;
  const mask = createMask({ values: secrets, salt });
  const inLines = createMask({ values: secrets, salt, keepsLines: true });
  const safe = maskedItems({ items, mask: inLines });
  const later = maskedItems({ items: order.later ?? [], mask: inLines });
  const end = breadcrumb(items);
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
    const said = order.narrative ? humanTexts([...items, ...(order.later ?? [])].map(({ message }) => message)) : [];
    const told = soundNarrative({ narrative: order.narrative ?? { sections: {} }, said, mask });
    for (const share of narrativeShares) {
      const narrative = boundNarrative({ narrative: told, limit: Math.floor(room * share), count });
      const words = wordsOf(narrative);
      if (Object.keys(words).length === 0) break;
      const tokens = count(Object.values(words).flat().join('\n'));
      const [fixed = {}, ...known] = knownIn(budget - tokens);
      const composed = compose({ items: safe, kept, known: [fixed, words, ...known], budget: room, count, focus });
      if (composed.tokens <= room) return { ...composed, narrative };
    }
    return {
      ...compose({ items: safe, kept, known: knownIn(budget), budget: room, count, focus }),
      narrative: undefined,
    };
  }

  function knownIn(tokens: number) {
    return knownOf({ items: safe, order: { ...order, later, budget: Math.max(0, tokens) }, count, mask });
  }
}

/** Of a summary; less where what must be said leaves less. */
const narrativeShares = [0.3, 0.1];

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
