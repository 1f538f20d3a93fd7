import {
  advanceFrontier,
  choosePins,
  createFrontier,
  createMask,
  gatherPins,
  pathKey,
  recordedFiles,
  type SourceItem,
  sourceItems,
} from '../../analysis/index.ts';
import { isObject, type Json } from '../../json.ts';
import type { Message, Part } from '../../message/index.ts';
import type { TargetModel } from '../../models/index.ts';
import type { CompactionEntry, Entry, Session } from '../../session/index.ts';
import { summaryMessage } from '../../session/internal.ts';
import type { Summarizer, SummaryInput, SummaryMode } from '../../summarize/index.ts';
import { reserveFor } from '../../tokens/internal.ts';
import { applyEdits, editsIn } from '../plan/gather.ts';
import { withinTags } from '../plan/propose.ts';
import { storedDetails } from '../stored-summary.ts';

/** The summary of a branch, before it is written. */
export interface BranchSummary {
  readonly text: string;
  /** The strategy that made it; `hook` where a hook provided it. */
  readonly strategy: string;
  /** The handles of the first and the last message of the branch. */
  readonly handles: { readonly from: number; readonly to: number };
  /** How many messages were not read, since the budget ended before them. */
  readonly left: number;
  readonly files: BranchFiles;
  /** What the record keeps. */
  readonly details: Json;
}

export interface BranchSummaryInput {
  readonly session: Session;
  /** What a move leaves behind, oldest first. */
  readonly entries: readonly Entry[];
  readonly summarizer: Summarizer;
  readonly count: (text: string) => number;
  readonly countMessage: (message: Message) => number;
  readonly window?: number | undefined;
  readonly secrets?: readonly string[];
  readonly focus?: string | undefined;
  /** In place of the usual instructions of a model. */
  readonly instructions?: string | undefined;
  /** How a model is asked, where one is. */
  readonly mode?: SummaryMode | undefined;
  /** The model of the conversation. */
  readonly conversation?: TargetModel | undefined;
  /** The summary of a hook; then no summarizer runs. */
  readonly said?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Of the summary: what its rules, and its lists of files, may take. */
const most = { rules: 0.25, files: 0.25 };

/**
 * Summarizes a branch that is left: its messages as the user edited them (pi #11602), the newest within the budget, with
 * rules and files of the whole branch. `undefined` where it has no messages: pi stores "No content to summarize"
 * (sessions.md 7.3).
 *
 * @example
 * const summary = await summarizeBranch({ session, entries: abandoned, summarizer, count, countMessage });
 */
export async function summarizeBranch({
  session,
  entries,
  summarizer,
  count,
  countMessage,
  window,
  secrets = [],
  focus,
  instructions,
  mode,
  conversation,
  said,
  signal,
}: BranchSummaryInput): Promise<BranchSummary | undefined> {
  const items = applyEdits({ items: sourceItems(entries), edits: await editsIn({ session, path: entries }) });
  const [first, last] = [items[0], items.at(-1)];
  if (!first || !last) return undefined;
  const mask = createMask({ values: secrets, salt: session.id });
  const root = session.header.cwd;
  const files = masked(filesOf({ items, entries, root }));
  const handles = { from: first.handle, to: last.handle };
  const facts = { handles, files, ...(focus !== undefined && { focus: mask(focus) }) };
  if (said !== undefined && said.trim() !== '') {
    return {
      text: safe(said),
      strategy: 'hook',
      left: 0,
      ...facts,
      details: storedDetails({ strategy: 'hook', ...facts }),
    };
  }
  const budget = branchBudget({ window });
  const newest = newestOf({ items, folds: foldsOf({ entries, items }), budget: budget.read, countMessage });
  const size = Math.min(budget.summary, Math.max(smallestForShort, newest.tokens));
  const listed = Math.min(Math.floor(size * most.files), count(filesText({ files, besides: '', budget: size, count })));
  const pins = gatherPins({ items, entries: entries.filter((entry) => entry.type === 'pin'), root });
  const input: SummaryInput = {
    items: newest.items,
    kept: [],
    trigger: 'branch',
    budget: size - listed,
    pins: choosePins({ pins, budget: Math.floor(size * most.rules), count }).kept,
    secrets,
    salt: session.id,
    ...(root !== undefined && { root }),
    ...(focus !== undefined && { focus }),
    ...(instructions !== undefined && { instructions }),
    ...(mode && { mode }),
    ...(conversation && { conversation }),
    ...(signal && { signal }),
  };
  const summary = await summarizer.summarize(input);
  signal?.throwIfAborted();
  const text = safe(summary.text);
  const more = filesText({ files, besides: text, budget: listed, count });
  const strategy = summary.strategy ?? summarizer.strategy;
  const { left } = newest;
  const { details: made = null, title, narrative, attempts } = summary;
  const wrote = {
    made,
    ...(title !== undefined && { title }),
    ...(narrative && { narrative }),
    ...(attempts && { attempts }),
  };
  return {
    text: more === '' ? text : `${text}\n\n${more}`,
    strategy,
    left,
    ...facts,
    details: storedDetails({ strategy, left, ...facts, ...wrote }),
  };

  function safe(written: string): string {
    return withinTags(mask(written));
  }

  function masked({ read, changed }: BranchFiles): BranchFiles {
    return { read: read.map(mask), changed: changed.map(mask) };
  }
}

/** The summary of a short branch may be as long as the branch, or this many tokens. */
const smallestForShort = 1_000;

/** The compactions of a branch, readable in place of the messages that they cover. */
function foldsOf({
  entries,
  items,
}: {
  readonly entries: readonly Entry[];
  readonly items: readonly SourceItem[];
}): Fold[] {
  return entries.flatMap((entry): Fold[] => {
    if (entry.type !== 'compaction' || entry.summary === '') return [];
    const message = summaryMessage({ of: 'compaction', summary: entry.summary });
    return [{ item: { handle: entry.handle, id: entry.id, at: entry.at, message }, to: reachOf({ entry, items }) }];
  });
}

function reachOf({ entry, items }: { readonly entry: CompactionEntry; readonly items: readonly SourceItem[] }): number {
  const { details, firstKeptId } = entry;
  const cut = isObject(details) && isObject(details.cut) ? details.cut.replacedTo : undefined;
  if (typeof cut === 'number') return cut;
  return (items.find(({ id }) => id === firstKeptId)?.handle ?? entry.handle) - 1;
}

/** What is assumed of a model of which nothing is known (sessions.md 7.3). */
const unknownWindow = 128_000;

/** A summary has a tenth of what is read of the branch, and at most this many tokens. */
const largestSummary = 8_000;

/** A summary below this says nothing. */
const smallestSummary = 300;

interface BranchBudget {
  /** How much of a branch is read. */
  readonly read: number;
  /** The size of the summary. */
  readonly summary: number;
}

/**
 * How much of a branch is read to make a summary of it, and how long that may be, in tokens. The reserve is 16,384, of a
 * small window 15 %: taken from a window of 8,000 as it is, pi's reserve leaves less than nothing, which it takes for no
 * limit at all (sessions.md 7.3).
 *
 * @example
 * branchBudget({ window: 200_000 }).read; // 183_616
 */
export function branchBudget({ window = unknownWindow }: { readonly window?: number | undefined }): BranchBudget {
  const known = window > 0 ? window : unknownWindow;
  const read = known - reserveFor({ window: known });
  return { read, summary: Math.max(smallestSummary, Math.min(largestSummary, Math.floor(read / 10))) };
}

/** A compaction of the branch itself, and how far it reaches. */
interface Fold {
  readonly item: SourceItem;
  /** The last handle that it covers. */
  readonly to: number;
}

/** What is read of a branch, oldest first, and how many messages are not. */
interface Newest {
  readonly items: readonly SourceItem[];
  readonly left: number;
  readonly tokens: number;
}

/** Characters of a tool result that a summarizer reads. */
const charsOfResult = 2_000;

/**
 * The newest messages of a branch that fit into a budget, at least one. Older ones that a compaction of the branch covers
 * are replaced by its summary. Tool results count with the part that is read: pi leaves them out, so it knows what was
 * tried but not the outcome (sessions.md 7.3).
 *
 * @example
 * const { items, left } = newestOf({ items: branch, folds: [], budget: 183_616, countMessage });
 */
export function newestOf({
  items,
  folds,
  budget,
  countMessage,
}: {
  readonly items: readonly SourceItem[];
  readonly folds: readonly Fold[];
  readonly budget: number;
  readonly countMessage: (message: Message) => number;
}): Newest {
  const sizes: number[] = [];
  let tokens = 0;
  for (const { message } of items.toReversed()) {
    const size = countMessage(asRead(message));
    if (sizes.length > 0 && tokens + size > budget) break;
    sizes.push(size);
    tokens += size;
  }
  const fold = foldFor(items.length - sizes.length);
  if (!fold) return { items: items.slice(items.length - sizes.length), left: items.length - sizes.length, tokens };
  const size = countMessage(fold.item.message);
  // What it says of the older ones is worth more than the oldest of the newer ones.
  while (sizes.length > 1 && tokens + size > budget) tokens -= sizes.pop() ?? 0;
  const left = items.length - sizes.length;
  return { items: [fold.item, ...items.slice(left)], left, tokens: tokens + size };

  /** The newest summary of what is left out that leaves room for half of the rest. */
  function foldFor(left: number): Fold | undefined {
    const [first] = items;
    if (!first || left === 0) return undefined;
    return folds.findLast(({ item, to }) => to >= first.handle && countMessage(item.message) <= budget / 2);
  }
}

function asRead(message: Message): Message {
  if (!message.parts.some(isLong)) return message;
  return { ...message, parts: message.parts.map((part) => (isLong(part) ? shortened(part) : part)) };
}

function isLong(part: Part): boolean {
  return part.type === 'tool_result' && part.content.some((inner) => isLongText(inner));
}

function isLongText(part: Part): boolean {
  return part.type === 'text' && part.text.length > charsOfResult;
}

function shortened(part: Part): Part {
  if (part.type !== 'tool_result') return part;
  const content = part.content.map((inner) =>
    inner.type === 'text' ? { ...inner, text: inner.text.slice(0, charsOfResult) } : inner,
  );
  return { ...part, content };
}

/** The files of a branch, those last touched at the end; one that was changed is not among those that were read. */
interface BranchFiles {
  readonly read: readonly string[];
  readonly changed: readonly string[];
}

/**
 * The files that were read and changed on a branch: by its calls, all of them, also those for which the budget of its
 * summary has no room; and by what compactions and earlier branch summaries on it recorded, ours and pi's. A failed edit
 * changed nothing (sessions.md 6.7, 7.3).
 *
 * @example
 * const { changed } = filesOf({ items, entries: abandoned, root: '/repo' });
 */
export function filesOf({
  items,
  entries,
  root,
}: {
  readonly items: readonly SourceItem[];
  readonly entries: readonly Entry[];
  readonly root: string | undefined;
}): BranchFiles {
  const files = new Map<string, { readonly path: string; readonly isChanged: boolean }>();
  for (const { path, isChanged } of recordedFiles(entries)) note(path, isChanged);
  const frontier = createFrontier(root === undefined ? {} : { root });
  for (const file of advanceFrontier({ frontier, items }).files) note(file.path, file.changed !== undefined);
  const all = [...files.values()];
  return {
    read: all.flatMap(({ path, isChanged }) => (isChanged ? [] : [path])),
    changed: all.flatMap(({ path, isChanged }) => (isChanged ? [path] : [])),
  };

  function note(path: string, isChanged: boolean): void {
    const key = pathKey({ path, root });
    const known = files.get(key);
    files.delete(key);
    files.set(key, { path, isChanged: isChanged || known?.isChanged === true });
  }
}

/**
 * The files that a text does not name already, the newest first, in at most so many tokens. What finds no room is
 * counted.
 *
 * @example
 * filesText({ files, besides: summary.text, budget: 500, count });
 */
export function filesText({
  files,
  besides,
  budget,
  count,
}: {
  readonly files: BranchFiles;
  readonly besides: string;
  readonly budget: number;
  readonly count: (text: string) => number;
}): string {
  const sections = [
    ['Also changed there:', files.changed],
    ['Also read there:', files.read],
  ] as const;
  let room = budget;
  return sections
    .flatMap(([title, paths]) => {
      const missing = paths.filter((path) => !besides.includes(path)).toReversed();
      const section = missing.length === 0 ? '' : sectionOf({ title, paths: missing });
      room -= count(section) + 1;
      return section === '' ? [] : [section];
    })
    .join('\n');

  function sectionOf({ title, paths }: { readonly title: string; readonly paths: readonly string[] }): string {
    const all = [title, ...paths.map((path) => `- ${path}`)];
    if (count(all.join('\n')) <= room) return all.join('\n');
    let left = room - count(`${title}\n… and ${paths.length} more`);
    const end = all.findIndex((line, index) => {
      left -= index === 0 ? 0 : count(`${line}\n`);
      return left < 0;
    });
    return end <= 1 ? '' : [...all.slice(0, end), `… and ${all.length - end} more`].join('\n');
  }
}
