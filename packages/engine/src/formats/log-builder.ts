import type { Message } from '../message/index.ts';
import {
  type Draft,
  type Entry,
  type EntryId,
  type EpochEntry,
  type EpochItem,
  type EpochItems,
  type LeafEntry,
  nodeTypes,
} from '../session/index.ts';
import { codecVersion, summaryMessage } from '../session/internal.ts';
import type { ChainIds } from './ids.ts';
import { sanitizeText } from './sanitize-text.ts';

/** What is remembered of a node; never its content, so that memory does not grow with the texts. */
interface LogNode {
  readonly parent: EntryId | null;
  readonly epoch: EntryId | null;
  readonly visible: boolean;
  /** On a context edit: what it does to what. */
  readonly edit?: { readonly target: EntryId; readonly made: Message | null };
}

/**
 * Builds the log of a session from the entries of a foreign file: assigns handles, ids and epochs, and keeps the rules
 * of the log (a node is appended to the leaf; a note moves nothing).
 */
export interface LogBuilder {
  readonly leaf: EntryId | null;
  readonly epoch: EntryId | null;
  /** Appends a draft and answers its entries: the session is moved first where the parent is not the leaf. */
  append(input: { readonly draft: Draft; readonly at: number; readonly parent?: EntryId | null }): Entry[];
  /** What an edit does, once its entry is appended; it takes effect by `editEpoch`. */
  rememberEdit(input: { readonly edit: EntryId; readonly target: EntryId; readonly made: Message | null }): void;
  /** The items that stay verbatim after a compaction at the leaf: visible nodes from `first` on. */
  keptFrom(first: EntryId | null): EpochItem[];
  /** What is sent at the leaf. */
  items(): EpochItem[];
  /** The node directly after `node` on the path; `null` is before the first. */
  after(node: EntryId | null): EntryId | null;
}

export function createLogBuilder({ idOf }: { readonly idOf: ChainIds }): LogBuilder {
  const nodes = new Map<EntryId, LogNode>();
  const epochs = new Map<EntryId, EpochItems>();
  let handle = 0;
  let leaf: EntryId | null = null;
  return {
    get leaf() {
      return leaf;
    },
    get epoch() {
      return epochAt(leaf);
    },
    append,
    rememberEdit({ edit, target, made }) {
      const node = nodes.get(edit);
      if (node) nodes.set(edit, { ...node, edit: { target, made } });
    },
    keptFrom,
    items: () => itemsAt(leaf),
    after(node) {
      for (const [id, { parent }] of upwards(leaf)) if (parent === node) return id;
      return null;
    },
  };

  function append(input: { draft: Draft; at: number; parent?: EntryId | null }): Entry[] {
    const { draft, at, parent = leaf } = input;
    const isNode = nodeTypes.has(draft.type);
    const moved = isNode && parent !== leaf ? [put(move(parent), at)] : [];
    return [...moved, put(sanitizeText(draft), at)];
  }

  function move(target: EntryId | null): Draft<LeafEntry> {
    return { type: 'leaf', target, reason: 'move' };
  }

  function put(draft: Draft, at: number): Entry {
    handle += 1;
    const parentId = leaf;
    const base = { v: 1, parentId, handle, at, epoch: epochAt(leaf) } as const;
    const id = idOf({ ...base, ...draft });
    const entry = {
      v: 1,
      id,
      parentId,
      handle,
      at,
      epoch: draft.type === 'epoch' ? id : base.epoch,
      ...draft,
    } as Entry;
    if (entry.type === 'leaf') leaf = entry.target;
    if (!nodeTypes.has(entry.type)) return entry;
    nodes.set(id, { parent: parentId, epoch: entry.epoch, visible: isVisible(entry) });
    if (entry.type === 'epoch') epochs.set(id, entry.items);
    leaf = id;
    return entry;
  }

  function epochAt(id: EntryId | null): EntryId | null {
    return id === null ? null : (nodes.get(id)?.epoch ?? null);
  }

  /** Newest first, from `from` down to the root. Parents are always older than their children, so it ends. */
  function* upwards(from: EntryId | null): Generator<readonly [EntryId, LogNode]> {
    for (let id = from; id !== null; ) {
      const node = nodes.get(id);
      if (!node) return;
      yield [id, node];
      id = node.parent;
    }
  }

  function keptFrom(first: EntryId | null): EpochItem[] {
    const kept: EpochItem[] = [];
    const edits = new Map<EntryId, Message | null>();
    if (first === null) return [];
    for (const [id, { visible, edit }] of upwards(leaf)) {
      if (edit && !edits.has(edit.target)) edits.set(edit.target, edit.made);
      const made = edits.get(id);
      if (visible && made !== null) kept.push(made ? { made, for: id } : { entry: id });
      if (id === first) return kept.reverse();
    }
    // pi keeps nothing where the first kept entry is not on the path.
    return [];
  }

  function itemsAt(at: EntryId | null): EpochItem[] {
    const after: EpochItem[] = [];
    for (const [id, node] of upwards(at)) {
      const opened = epochs.get(id);
      if (opened) return [...itemsOf(opened, node.parent), ...after.reverse()];
      if (node.visible) after.push({ entry: id });
    }
    return after.reverse();
  }

  function itemsOf(items: EpochItems, parent: EntryId | null): readonly EpochItem[] {
    if ('list' in items) return items.list;
    const after: EpochItem[] = [];
    for (const [id, { visible }] of upwards(parent)) {
      if (id === items.restore.after) break;
      if (visible) after.push({ entry: id });
    }
    return [...itemsAt(items.restore.node), ...after.reverse()];
  }
}

function isVisible(entry: Entry): boolean {
  if (entry.type === 'branch_summary') return entry.summary !== '';
  return entry.type === 'message' || entry.type === 'custom_message';
}

/** The epoch of a compaction: its summary, then what stays. */
export function compactionEpoch({
  summary,
  kept,
}: {
  readonly summary: string;
  readonly kept: readonly EpochItem[];
}): Draft<EpochEntry> {
  const made = summaryMessage({ of: 'compaction', summary });
  return { type: 'epoch', reason: 'compaction', items: { list: [{ made }, ...kept] }, codec: codecVersion };
}

/** The epoch of a context edit: the items with one replaced or left out; `undefined` where it was not among them. */
export function editEpoch({
  items,
  target,
  made,
}: {
  readonly items: readonly EpochItem[];
  readonly target: EntryId;
  readonly made: Message | null;
}): Draft<EpochEntry> | undefined {
  const isTarget = (item: EpochItem) => ('entry' in item ? item.entry : item.for) === target;
  if (!items.some(isTarget)) return undefined;
  const list = items.flatMap((item) => {
    if (!isTarget(item)) return [item];
    return made === null ? [] : [{ made, for: target }];
  });
  return { type: 'epoch', reason: 'edit', items: { list }, codec: codecVersion };
}
