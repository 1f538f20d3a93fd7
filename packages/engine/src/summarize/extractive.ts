import {
  compose,
  createMask,
  type Frontier,
  type SectionName,
  type SourceItem,
  sectionNames,
  share,
  waterFill,
} from '../analysis/index.ts';
import { formatHandle } from '../session/index.ts';
import { knownSections, shownFrontier, wholeFrontier } from './known.ts';
import { reconcileNarrative } from './narrative/agree.ts';
import { humanTexts } from './narrative/quoted.ts';
import { olderLabel, reviewNarrative, narrativeSections } from './narrative/sound.ts';
import type { ExtractiveInput } from './protocol.ts';
import { createItemReader, type ReadOptions, type ItemReader } from './reader.ts';
import type { Narrative, Summary, SummaryInput } from './summarizer.ts';

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
  read = createItemReader(),
}: {
  readonly items: readonly SourceItem[];
  readonly order: ExtractiveInput;
  readonly count: (text: string) => number;
  readonly read?: ItemReader;
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
      const agreed = reconcileNarrative({ narrative: words, frontier: whole });
      for (const share of shares) {
        const labels =
          older === undefined ? 0 : Object.keys(agreed.noted.sections).length * (count(olderLabel(older)) + 1);
        const limit = Math.floor(room * share) - labels;
        if (limit <= 0) continue;
        const sections = narrativeSections({ narrative: boundNarrative({ narrative: agreed.noted, limit, count }), older });
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
    return knownSections({ items: safe, order: { ...order, later, budget: Math.max(0, tokens) }, count, mask, frontier });
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
  read = createItemReader(),
}: {
  readonly items: readonly SourceItem[];
  readonly budget: number;
  readonly count: (text: string) => number;
  readonly look?: ReadOptions;
  readonly read?: ItemReader;
}): number {
  return share({ reading: read({ items: inOrder(items), look }), budget, count }).tail;
}

function shortOf({ items, lines }: { readonly items: readonly SourceItem[]; readonly lines: number }): string {
  return `${items.length} messages in ${lines} chosen lines`;
}

/**
 * Where all of it is: by handle, and in the transcript where one is written. Written into the summary once, and the same
 * as long as that is sent: chat once put it there at every request, and each new number of lines broke the provider's
 * cache (editor.md 3.9).
 *
 * @example
 * breadcrumb({ items, transcript: { path: '/repo/session.jsonl', lines: 412 } });
 */
function breadcrumb({
  items,
  transcript,
}: {
  readonly items: readonly SourceItem[];
  readonly transcript?: SummaryInput['transcript'];
}): string {
  const [first, last] = [items[0], items.at(-1)];
  if (!first || !last) return '';
  const kept = `Everything that this stands for is kept, word for word, from @${first.handle} to @${last.handle}: recall it by handle (@${first.handle}, or lines as in @${first.handle}:1-40), or search it by words.`;
  if (!transcript) return kept;
  const { path, lines } = transcript;
  return `${kept} The whole conversation up to here, tool results included, is also in the file ${path}: ${lines} lines of JSON, an event a line. Read some of them, for example \`sed -n '${exampleLines(lines)}p' ${quoted(path)}\`, or search them, for example \`grep -n 'a word' ${quoted(path)}\`.`;
}

/** Some that are there. */
function exampleLines(lines: number): string {
  return `${Math.max(1, lines - 19)},${Math.max(1, lines)}`;
}

/** As a shell takes it for one word. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

/** In these the end is what counts: what was done last. */
const endCounts: ReadonlySet<SectionName> = new Set(['progress', 'recent operations']);

/**
 * A narrative of at most so many tokens: short sections stay whole, long ones lose whole lines, or of one long line whole
 * sentences. So it holds its size however many summaries were updated into it (a summary that is only added to grew
 * 8.6-fold).
 *
 * @example
 * const narrative = boundNarrative({ narrative, limit: 2000, count });
 */
function boundNarrative({
  narrative,
  limit,
  count,
}: {
  readonly narrative: Narrative;
  readonly limit: number;
  readonly count: (text: string) => number;
}): Narrative {
  const present = sectionNames.flatMap((name) => {
    const text = narrative.sections[name];
    return text === undefined ? [] : [{ name, text, tokens: count(text) + 1 }];
  });
  const most = waterFill({ sizes: present.map(({ tokens }) => tokens), total: limit });
  const sections = present.flatMap(({ name, text, tokens }) => {
    const kept = tokens <= most ? text : cut({ text, limit: most - 1, count, isEnd: endCounts.has(name) });
    return kept === '' ? [] : [[name, kept] as const];
  });
  return { ...narrative, sections: Object.fromEntries(sections) };
}

function cut({
  text,
  limit,
  count,
  isEnd,
}: {
  readonly text: string;
  readonly limit: number;
  readonly count: (text: string) => number;
  readonly isEnd: boolean;
}): string {
  const pieces = text.split(/(?<=\n)|(?<=[.!?])(?= )/);
  const order = isEnd ? pieces.toReversed() : pieces;
  let fitting = 0;
  // A piece costs as much alone as among others, or a token more.
  for (let tokens = 0; fitting < order.length; fitting += 1) {
    tokens += count(order[fitting] ?? '');
    if (tokens > limit) break;
  }
  for (; fitting > 0; fitting -= 1) {
    const kept = isEnd ? pieces.slice(-fitting) : pieces.slice(0, fitting);
    const whole = kept.join('').trim();
    if (count(whole) <= limit) return whole;
  }
  return '';
}
