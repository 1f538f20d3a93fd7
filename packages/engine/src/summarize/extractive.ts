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
import { createItemReader, type ItemReader, type ReadOptions } from './item-reader.ts';
import { knownSections, shownFrontier, wholeFrontier } from './known-sections.ts';
import { humanTexts } from './narrative/quotes.ts';
import { reconcileNarrative } from './narrative/reconcile.ts';
import { narrativeSections, olderLabel, reviewNarrative } from './narrative/review-narrative.ts';
import type { ExtractiveInput } from './protocol.ts';
import type { Narrative, Summary, SummaryInput } from './summarizer.ts';

/**
 * Makes a summary without a model, by selecting lines: deterministic, and every sentence is quoted or counted.
 *
 * @example
 * const { text } = extractive({ items, input: { kept: [], budget: 12_000, pins: [] }, count });
 */
export function extractive({
  items,
  input,
  count,
  read = createItemReader(),
}: {
  readonly items: readonly SourceItem[];
  readonly input: ExtractiveInput;
  readonly count: (text: string) => number;
  readonly read?: ItemReader;
}): Summary {
  const { kept, budget, focus, root, secrets = [], salt = '' } = input;
  const mask = createMask({ values: secrets, salt });
  const whole = read({ items: inOrder([...items, ...(input.later ?? [])]), options: input });
  const covered = new Set(items.map(({ handle }) => handle));
  const isCovered = whole.items.map(({ handle }) => covered.has(handle));
  const masked = whole.items.filter((_, index) => isCovered[index]);
  const later = whole.items.filter((_, index) => !isCovered[index]);
  const reading = { ...whole, passages: whole.passages.filter(({ item }) => isCovered[item]) };
  const end = breadcrumb({ items, transcript: input.transcript });
  const room = Math.max(0, budget - count(end) - 2);
  const { text, lines, narrative, carried } = composeAll();
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

  /** The narrative gets a bounded share, so that known facts and selected lines are in every summary. */
  function composeAll() {
    const about = { items: masked, reading, kept, root, budget: room, count, focus };
    const whole = wholeFrontier({ items: masked, input: { ...input, later } });
    const frontier = shownFrontier({ items: masked, input: { ...input, later }, frontier: whole });
    for (const { narrative: written, shares, older } of narratives()) {
      const { narrative: words } = reviewNarrative({ narrative: written, said: humanWords(), mask });
      const reconciled = reconcileNarrative({ narrative: words, frontier: whole });
      for (const share of shares) {
        const labels =
          older === undefined ? 0 : Object.keys(reconciled.noted.sections).length * (count(olderLabel(older)) + 1);
        const limit = Math.floor(room * share) - labels;
        if (limit <= 0) continue;
        const sections = narrativeSections({
          narrative: boundNarrative({ narrative: reconciled.noted, limit, count }),
          older,
        });
        if (Object.keys(sections).length === 0) break;
        const tokens = count(Object.values(sections).flat().join('\n'));
        // First in each section, so that it cannot be mistaken for one of the engine's lists.
        const composed = compose({ ...about, known: [sections, ...knownIn({ frontier, tokens: budget - tokens })] });
        if (composed.tokens > room) continue;
        if (older !== undefined) return { ...composed, narrative: undefined, carried: older };
        return {
          ...composed,
          narrative: boundNarrative({ narrative: reconciled.narrative, limit, count }),
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

  /** The narrative of this summary, or the newest accepted one, marked as older. */
  function narratives(): {
    readonly narrative: Narrative;
    readonly shares: readonly number[];
    readonly older?: number;
  }[] {
    if (input.narrative) return [{ narrative: input.narrative, shares: narrativeShares }];
    const { previous } = input;
    return previous ? [{ narrative: previous.narrative, shares: olderShares, older: previous.to }] : [];
  }

  function humanWords(): string[] {
    return humanTexts([...items, ...(input.later ?? [])].map(({ message }) => message));
  }

  function knownIn({ frontier, tokens }: { readonly frontier: Frontier; readonly tokens: number }) {
    return knownSections({
      items: masked,
      input: { ...input, later, budget: Math.max(0, tokens) },
      count,
      mask,
      frontier,
    });
  }
}

/** Share of the budget for a narrative; the smaller one when the required parts leave less. */
const narrativeShares = [0.3, 0.1];

/** Share of the budget for the narrative of an earlier summary. */
const olderShares = [0.2, 0.1];

/** Items by handle, which is the order of the conversation. */
export function inOrder(items: readonly SourceItem[]): readonly SourceItem[] {
  return items.toSorted((a, b) => a.handle - b.handle);
}

/**
 * How many tokens at the end are worth more verbatim than the selected lines that would fit in their place.
 *
 * @example
 * const keepRecent = tailFor({ items, budget: 60_000, count });
 */
export function tailFor({
  items,
  budget,
  count,
  options = {},
  read = createItemReader(),
}: {
  readonly items: readonly SourceItem[];
  readonly budget: number;
  readonly count: (text: string) => number;
  readonly options?: ReadOptions;
  readonly read?: ItemReader;
}): number {
  return share({ reading: read({ items: inOrder(items), options }), budget, count }).tail;
}

function shortOf({ items, lines }: { readonly items: readonly SourceItem[]; readonly lines: number }): string {
  return `${items.length} messages in ${lines} chosen lines`;
}

/**
 * Says where the full text is: by handle, and in the transcript file if there is one. Part of the stored summary, because
 * a line count that changes with every request would break the provider's cache (editor.md 3.9).
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
  const kept = `Everything that this summary covers is kept, word for word, from @${first.handle} to @${last.handle}: recall it by handle (@${first.handle}, or lines as in @${first.handle}:1-40), or search it by words.`;
  if (!transcript) return kept;
  const { path, lines } = transcript;
  return `${kept} The whole conversation up to here, tool results included, is also in the file ${path}: ${lines} lines of JSON, an event a line. Read some of them, for example \`sed -n '${exampleLines(lines)}p' ${quoted(path)}\`, or search them, for example \`grep -n 'a word' ${quoted(path)}\`.`;
}

/** A range of lines that exists. */
function exampleLines(lines: number): string {
  return `${Math.max(1, lines - 19)},${Math.max(1, lines)}`;
}

/** Quoted as one shell word. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

/** Sections in which the end matters most: what was done last. */
const keepsEnd: ReadonlySet<SectionName> = new Set(['progress', 'recent operations']);

/**
 * Bounds a narrative to a number of tokens: short sections stay whole, long ones lose whole lines or sentences. Without a
 * bound, a summary that is only added to grew 8.6-fold.
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
    const kept = tokens <= most ? text : cut({ text, limit: most - 1, count, isEnd: keepsEnd.has(name) });
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
  const ordered = isEnd ? pieces.toReversed() : pieces;
  let fitting = 0;
  // A piece counted alone costs the same as in context, or one token more.
  for (let tokens = 0; fitting < ordered.length; fitting += 1) {
    tokens += count(ordered[fitting] ?? '');
    if (tokens > limit) break;
  }
  for (; fitting > 0; fitting -= 1) {
    const kept = isEnd ? pieces.slice(-fitting) : pieces.slice(0, fitting);
    const whole = kept.join('').trim();
    if (count(whole) <= limit) return whole;
  }
  return '';
}
