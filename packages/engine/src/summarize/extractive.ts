import { compose, createMask, type Frontier, type SourceItem, share } from '../analysis/index.ts';
import { formatHandle } from '../session/index.ts';
import { breadcrumb } from './breadcrumb.ts';
import { knownOf, shownFrontier, wholeFrontier } from './known.ts';
import { agreeWith } from './narrative/agree.ts';
import { boundNarrative } from './narrative/bound.ts';
import { humanTexts } from './narrative/quoted.ts';
import { olderLabel, reviewNarrative, wordsOf } from './narrative/sound.ts';
import type { Order } from './protocol.ts';
import { createReader, type Look, type Reader } from './reader.ts';
import type { Narrative, Summary } from './summarizer.ts';

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
  const { text, lines, narrative, carried } = around();
  const places = lines.map(
    ({ handle: entry, text: _text, section: _section, origin: _origin, rank: _rank, ...place }) =>
      formatHandle({ entry, ...place }),
  );
  return {
    text: mask(`${text}\n\n${end}`),
    short: narrative?.short ?? shortOf({ items, lines: lines.length }),
    details: { lines: places, ...(carried !== undefined && { carried }) },
    ...(narrative && { narrative }),
    ...(narrative?.title !== undefined && { title: narrative.title }),
  };

  /** A model's words have their share and no more: what is certain and what is chosen stand in any summary. */
  function around() {
    const about = { items: safe, reading, kept, root, budget: room, count, focus };
    const whole = wholeFrontier({ items: safe, order: { ...order, later } });
    const frontier = shownFrontier({ items: safe, order: { ...order, later }, frontier: whole });
    for (const { narrative: written, shares, older } of narratives()) {
      const { narrative: words } = reviewNarrative({ narrative: written, said: saidIn(), mask });
      const agreed = agreeWith({ narrative: words, frontier: whole });
      for (const share of shares) {
        const labels =
          older === undefined ? 0 : Object.keys(agreed.noted.sections).length * (count(olderLabel(older)) + 1);
        const limit = Math.floor(room * share) - labels;
        if (limit <= 0) continue;
        const sections = wordsOf({ narrative: boundNarrative({ narrative: agreed.noted, limit, count }), older });
        if (Object.keys(sections).length === 0) break;
        const tokens = count(Object.values(sections).flat().join('\n'));
        // First in each section: under the engine's own lists it would look like one of them.
        const composed = compose({ ...about, known: [sections, ...knownIn({ frontier, tokens: budget - tokens })] });
        if (composed.tokens > room) continue;
        if (older !== undefined) return { ...composed, narrative: undefined, carried: older };
        return {
          ...composed,
          narrative: boundNarrative({ narrative: agreed.narrative, limit, count }),
          carried: undefined,
        };
      }
    }
    return {
      ...compose({ ...about, known: knownIn({ frontier, tokens: budget }) }),
      narrative: undefined,
      carried: undefined,
    };
  }

  /** The narrative of this summary; without one, the newest that was ever accepted, as an older one. */
  function narratives(): {
    readonly narrative: Narrative;
    readonly shares: readonly number[];
    readonly older?: number;
  }[] {
    if (order.narrative) return [{ narrative: order.narrative, shares: narrativeShares }];
    const { previous } = order;
    return previous ? [{ narrative: previous.narrative, shares: olderShares, older: previous.to }] : [];
  }

  function saidIn(): string[] {
    return humanTexts([...items, ...(order.later ?? [])].map(({ message }) => message));
  }

  function knownIn({ frontier, tokens }: { readonly frontier: Frontier; readonly tokens: number }) {
    return knownOf({ items: safe, order: { ...order, later, budget: Math.max(0, tokens) }, count, mask, frontier });
  }
}

/** Of a summary; less where what must be said leaves less. */
const narrativeShares = [0.3, 0.1];

/** What is older is worth less. */
const olderShares = [0.2, 0.1];

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
