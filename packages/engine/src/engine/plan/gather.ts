import {
  gatherPins,
  laterSystemItems,
  type Pin,
  pinLine,
  type RecordedFile,
  recordedFiles,
  type SourceItem,
  sourceItems,
} from '../../analysis/index.ts';
import type { Context, ContextEditEntry, Entry, EntryId, Session } from '../../session/index.ts';
import type { PathCache } from '../path-cache/path-cache.ts';
import type { SessionLedger } from '../session-ledger.ts';
import { storedStrategy } from '../stored-summary.ts';
import type { HeldItem } from '../types.ts';

/** What a compaction is planned on. */
export interface PlanSource {
  /** What is sent, with addresses and sizes. */
  readonly held: readonly HeldItem[];
  /** All messages of the path, complete, with edits applied. */
  readonly source: readonly SourceItem[];
  readonly pins: readonly Pin[];
  /** Whether the newest compaction was made by another program. */
  readonly isForeign: boolean;
  /** Files that earlier compactions recorded. */
  readonly recorded: readonly RecordedFile[];
  /** What the pinned rules may take in a summary, and what instruction documents may take beyond it. */
  readonly pinBudget: number;
  readonly documentBudget: number;
}

/**
 * Shares of the window for rules: those that people stated, statements of instruction documents, and those that were
 * pinned by hand, which have their own limit.
 */
const most = { found: 0.02, written: 0.03, byHand: 0.2 };

/** A long instruction file is not better followed for being carried whole. Tokens. */
const mostWritten = 4000;

export async function gatherSource({
  session,
  pathCache,
  ledger,
  context,
  leaf,
}: {
  readonly session: Session;
  readonly pathCache: PathCache;
  readonly ledger: SessionLedger;
  /** The context and leaf to plan on: the session may grow while this is read. */
  readonly context: Context;
  readonly leaf: EntryId | null;
}): Promise<PlanSource> {
  const { entries: path } = await pathCache.pathTo({ leaf });
  const handles = new Map(path.map(({ id, handle }) => [id, handle]));
  const held = context.items.map(
    (item): HeldItem => ({
      item,
      handle: item.entry === null ? undefined : handles.get(item.entry),
      tokens: ledger.counter.countMessage(item.message),
    }),
  );
  // What lies so far back that nothing of it is held has no part in a summary.
  const spoken = sourceItems(path).filter(({ message }) => message.parts.length > 0);
  const source = applyEdits({ items: spoken, edits: await editsIn({ session, path }) });
  const pins = gatherPins({
    items: [...source, ...laterSystemItems(path)],
    entries: path.filter((entry) => entry.type === 'pin'),
    root: session.header.cwd,
  });
  const pinBudget = Math.max(share(most.found), Math.min(share(most.byHand), tokensByHand(pins)));
  const documentBudget = Math.min(mostWritten, share(most.written));
  return { held, source, pins, pinBudget, documentBudget, recorded: recordedFiles(path), isForeign: isForeign(path) };

  function share(part: number): number {
    return Math.floor(ledger.window * part);
  }

  function tokensByHand(all: readonly Pin[]): number {
    const lines = all.flatMap((pin) => (pin.by === 'hand' || pin.by === 'hook' ? [pinLine(pin)] : []));
    return lines.reduce((sum, line) => sum + ledger.counter.count(line), 0);
  }
}

/** Compactions of the engine record which strategy made the summary. */
function isForeign(path: readonly Entry[]): boolean {
  const newest = path.findLast((entry) => entry.type === 'compaction');
  return newest !== undefined && storedStrategy(newest.details) === undefined;
}

export function applyEdits({
  items,
  edits,
}: {
  readonly items: readonly SourceItem[];
  readonly edits: ReadonlyMap<EntryId, ContextEditEntry>;
}): SourceItem[] {
  return items.flatMap((item) => {
    const edit = edits.get(item.id);
    if (!edit) return [item];
    return edit.replacement === null ? [] : [{ ...item, message: { ...item.message, parts: edit.replacement } }];
  });
}

/** The edits in force, by target. Text that was removed must not come back in a summary (pi #11602). */
export async function editsIn({
  session,
  path,
}: {
  readonly session: Session;
  readonly path: readonly Entry[];
}): Promise<ReadonlyMap<EntryId, ContextEditEntry>> {
  const edits = path.filter((entry) => entry.type === 'context_edit');
  if (edits.length === 0) return new Map();
  const done = new Set((await session.history()).done.map(({ entry }) => entry.parentId));
  return new Map(edits.filter(({ id }) => done.has(id)).map((edit) => [edit.target, edit]));
}
