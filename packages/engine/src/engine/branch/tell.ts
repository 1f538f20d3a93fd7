import { choosePins, createMask, gatherPins, type SourceItem, sourceItems } from '../../analysis/index.ts';
import { isObject, type Json } from '../../json.ts';
import type { Message } from '../../message/index.ts';
import type { TargetModel } from '../../models/index.ts';
import { type CompactionEntry, type Entry, type Session, summaryMessage } from '../../session/index.ts';
import type { Summariser, SummaryInput, SummaryMode } from '../../summarize/index.ts';
import { edited, editsIn } from '../gather.ts';
import { withinTags } from '../propose.ts';
import { branchBudget } from './budget.ts';
import { type BranchFiles, filesOf, filesText } from './files.ts';
import { type Fold, newestOf } from './newest.ts';

/** What is told of a branch, before it is written anywhere. */
export interface ToldBranch {
  readonly text: string;
  /** How it was made; `hook` where somebody else wrote it. */
  readonly rung: string;
  /** The handles of the first and the last message of the branch. */
  readonly handles: { readonly from: number; readonly to: number };
  /** How many messages were not read, since the budget ended before them. */
  readonly left: number;
  readonly files: BranchFiles;
  /** What the record keeps. */
  readonly details: Json;
}

export interface TellInput {
  readonly session: Session;
  /** What a move leaves behind, oldest first. */
  readonly entries: readonly Entry[];
  readonly summariser: Summariser;
  readonly count: (text: string) => number;
  readonly weigh: (message: Message) => number;
  readonly window?: number | undefined;
  readonly secrets?: readonly string[];
  readonly focus?: string | undefined;
  /** In place of the usual instructions of a model. */
  readonly instructions?: string | undefined;
  /** How a model is asked, where one is. */
  readonly mode?: SummaryMode | undefined;
  /** The model of the conversation. */
  readonly conversation?: TargetModel | undefined;
  /** What a hook says; then nobody is asked. */
  readonly said?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Of the summary: what its rules, and its lists of files, may take. */
const most = { rules: 0.25, files: 0.25 };

/**
 * Tells what happened on a branch that is left: what was said there as the user has edited it (pi #11602), the newest
 * first into the budget, rules and files of all of it. Nothing where nothing was said: pi stores "No content to
 * summarize" (sessions.md 7.3).
 *
 * @example
 * const told = await tellBranch({ session, entries: abandoned, summariser, count, weigh });
 */
export async function tellBranch({
  session,
  entries,
  summariser,
  count,
  weigh,
  window,
  secrets = [],
  focus,
  instructions,
  mode,
  conversation,
  said,
  signal,
}: TellInput): Promise<ToldBranch | undefined> {
  const items = edited({ items: sourceItems(entries), edits: await editsIn({ session, path: entries }) });
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
      rung: 'hook',
      left: 0,
      ...facts,
      details: { rung: 'hook', ...facts } as unknown as Json,
    };
  }
  const budget = branchBudget({ window });
  const newest = newestOf({ items, folds: foldsOf({ entries, items }), budget: budget.read, weigh });
  const told = Math.min(budget.told, Math.max(smallestTold, newest.tokens));
  const listed = Math.min(Math.floor(told * most.files), count(filesText({ files, besides: '', budget: told, count })));
  const pins = gatherPins({ items, entries: entries.filter((entry) => entry.type === 'pin'), root });
  const input: SummaryInput = {
    items: newest.items,
    kept: [],
    trigger: 'branch',
    budget: told - listed,
    pins: choosePins({ pins, budget: Math.floor(told * most.rules), count }).kept,
    secrets,
    salt: session.id,
    ...(root !== undefined && { root }),
    ...(focus !== undefined && { focus }),
    ...(instructions !== undefined && { instructions }),
    ...(mode && { mode }),
    ...(conversation && { conversation }),
    ...(signal && { signal }),
  };
  const summary = await summariser.summarise(input);
  signal?.throwIfAborted();
  const text = safe(summary.text);
  const more = filesText({ files, besides: text, budget: listed, count });
  const rung = summary.rung ?? summariser.rung;
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
    ...{ rung, left, ...facts },
    details: { rung, left, ...facts, ...wrote } as unknown as Json,
  };

  function safe(written: string): string {
    return withinTags(mask(written));
  }

  function masked({ read, changed }: BranchFiles): BranchFiles {
    return { read: read.map(mask), changed: changed.map(mask) };
  }
}

/** A short branch may be told as long as it is, or in so many tokens. */
const smallestTold = 1_000;

/** The compactions of a branch, as something that can be read in place of what they stand for. */
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
