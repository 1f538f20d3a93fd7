import type { JsonObject, Message, Part } from '../message/index.ts';
import type { Context } from './context/context.ts';
import type {
  BranchSummaryEntry,
  CompactionEntry,
  ContextEditEntry,
  Draft,
  Entry,
  EntryId,
  EpochEntry,
  LabelEntry,
  LeafEntry,
  ModelName,
  PinEntry,
  PruneEntry,
} from './entry/entry.ts';
import type { CompactionInput } from './epoch/compaction.ts';
import type { UndoHistory } from './history/history.ts';
import type { Handle } from './recall/handle.ts';
import type { Recalled } from './recall/recall.ts';
import type { EntryQuery, Head, Hit, SessionHeader, SessionId } from './store/store.ts';
import type { Divergence } from './tree/divergence.ts';
import type { EntryTree } from './tree/tree.ts';

/** The entry that a draft becomes. */
export type EntryOf<D extends Draft> = Extract<Entry, { readonly type: D['type'] }>;

/**
 * An open session: its log, its leaf, and what is sent there. Everything that changes it is an entry, and
 * durable when its promise resolves. Calls may overlap: they take effect in the order in which they were made. After a
 * `ConflictError` (another writer was faster) nothing was written: `reload` and try again, or `fork`.
 */
export interface Session {
  readonly id: SessionId;
  readonly header: SessionHeader;
  /** The head, as far as it is durable. */
  readonly head: Head;
  /** What is sent there. */
  readonly context: Context;

  /** Appends one entry at the leaf. A message whose `key` is already in the log is not appended again. */
  append<D extends Draft>(draft: D): Promise<EntryOf<D>>;
  /** Appends several entries, all or none; with the key of a message among them, once. */
  appendBatch(drafts: readonly Draft[]): Promise<Entry[]>;

  /** Moves the leaf; `null` is before the first node. A summary of the abandoned branch is appended at the target. */
  move(input: {
    readonly to: EntryId | null;
    readonly summary?: { readonly text: string; readonly details?: BranchSummaryEntry['details'] };
    /** A name for the summary, or for the place where there is none. */
    readonly label?: string;
    /** The expected leaf: nothing is written if the leaf has moved since the call was planned. */
    readonly planned?: { readonly from: EntryId | null };
  }): Promise<Moved>;
  /** Goes back on the path. What lies between stays in the tree. */
  rewind(input: { readonly to: EntryId | null }): Promise<Moved>;
  /** Takes the newest compaction, prune, edit, move or rewind back. */
  undo(): Promise<Reversal>;
  redo(): Promise<Reversal>;
  /** What can be undone and redone. */
  history(): Promise<UndoHistory>;

  label(input: { readonly target: EntryId; readonly label: string | null }): Promise<LabelEntry>;
  pin(input: Omit<Draft<PinEntry>, 'type'>): Promise<PinEntry>;
  /** Replaces a message in what is sent, or leaves it out. */
  edit(input: {
    readonly target: EntryId;
    readonly replacement: readonly Part[] | null;
  }): Promise<{ readonly edit: ContextEditEntry; readonly epoch: EpochEntry }>;
  /** Replaces what tool results say by a notice, in what is sent. */
  prune(input: {
    readonly targets: PruneEntry['targets'];
  }): Promise<{ readonly prune: PruneEntry; readonly epoch: EpochEntry }>;
  /** Puts other system messages in front of what is sent; the epoch that does it, unless nothing was sent yet. */
  changeHead(input: {
    readonly messages: readonly Message[];
    readonly model?: ModelName;
  }): Promise<EpochEntry | undefined>;
  /** Replaces everything before `firstKeptId` by a summary, in what is sent. */
  compact(input: CompactionInput): Promise<{ readonly compaction: CompactionEntry; readonly epoch: EpochEntry }>;

  /** Copies this session with all branches; the leaf of the copy is `at`, or the leaf of this session. */
  fork(input?: CopyOptions & { readonly at?: EntryId | null }): Promise<Session>;
  /** A new session with one path of this one only, to the leaf or to `at`, and the labels and facts that concern it. */
  clone(input?: CopyOptions & { readonly at?: EntryId | null }): Promise<Session>;

  /** Entries of the log, by id, handle, kind, or page by page. */
  read(query: EntryQuery): Promise<Entry[]>;
  /** The path to an entry, or to the leaf. */
  path(input?: { readonly leaf?: EntryId | null }): Promise<readonly Entry[]>;
  /** What is sent at another place. */
  contextAt(input: { readonly leaf: EntryId | null }): Promise<Context>;
  /** The common ancestor with another place, and what a move there abandons. */
  compare(input: { readonly to: EntryId | null }): Promise<Divergence>;
  /** The whole tree. It reads the whole log. */
  tree(): Promise<EntryTree>;
  /** Exactly the text at a handle, or one page of it. */
  recall(input: {
    readonly handle: string | Handle;
    readonly page?: number;
    readonly pageLength?: number;
  }): Promise<Recalled>;
  search(input: { readonly text: string; readonly limit?: number }): Promise<Hit[]>;

  /** Calls with what this session appends, each time once it is durable, until the answer is called. */
  watch(watcher: (entries: readonly Entry[]) => void): () => void;
  /** Reads the head again, after another writer appended. */
  reload(): Promise<void>;
}

/** What came of a move: the note (none where the session stood there already) and what was left. */
export interface Moved {
  readonly entry: LeafEntry | undefined;
  readonly summary: BranchSummaryEntry | undefined;
  /** Nodes that are not on the path any more, oldest first. */
  readonly abandoned: readonly Entry[];
}

/** What an undo or redo reversed, and the entry that did it. */
export interface Reversal {
  readonly entry: EpochEntry | LeafEntry;
  /** The action that is undone or in force again. */
  readonly action: EpochEntry | LeafEntry;
}

export interface CopyOptions {
  readonly id?: SessionId;
  readonly name?: string;
  readonly details?: JsonObject;
}
