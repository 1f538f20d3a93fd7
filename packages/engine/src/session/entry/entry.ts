import type { Json, JsonObject, Message, Part, ToolDefinition } from '../../message/index.ts';

/** A UUID v7: unique, and in order of time when sorted as text. */
export type EntryId = string;

/**
 * What every entry of a log has. Entries are immutable; nothing in the log rewrites another entry.
 *
 * The log of a session is a tree. **Nodes** (see `nodeTypes`) stand on paths: appending one makes it the leaf. **Notes**
 * are not part of the tree: their parent is the leaf at the time, and they never become the leaf or a parent.
 */
export interface EntryBase {
  /** Version of the entry's schema. */
  readonly v: 1;
  readonly id: EntryId;
  readonly parentId: EntryId | null;
  /** The entry's number in its session, from 1, in order of appending: `@12`. Kept by fork, clone and export. */
  readonly handle: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  /**
   * The epoch in force: the id of the newest epoch entry on the path, an epoch entry's own id for itself, `null` before
   * the first. It lets a session be opened by reading one epoch, however old the session is.
   */
  readonly epoch: EntryId | null;
}

/** Something said: by a human, the model, a tool or the engine. */
export interface MessageEntry extends EntryBase {
  readonly type: 'message';
  readonly message: Message;
  /** What is sent in its place, from the first time on: shortened, since it was too large as it came. */
  readonly sent?: Message;
  /** The caller's key: appending the same key again is the same entry. */
  readonly key?: string;
  /** Who answered, on answers of a model. */
  readonly by?: ModelName;
  /** What the source of an imported message said beyond it. Never sent. */
  readonly details?: Json;
}

/** Text of an extension that the model sees in the user's role. */
export interface CustomMessageEntry extends EntryBase {
  readonly type: 'custom_message';
  readonly customType: string;
  readonly parts: readonly Part[];
  readonly display: boolean;
  readonly details?: Json;
}

/** A summary of an abandoned branch, at the place the session moved to. */
export interface BranchSummaryEntry extends EntryBase {
  readonly type: 'branch_summary';
  /** The leaf that was left. */
  readonly fromId: EntryId | null;
  readonly summary: string;
  readonly details?: Json;
}

/** A compaction that was made. What the model is sent because of it is in the epoch entry that follows. */
export interface CompactionEntry extends EntryBase {
  readonly type: 'compaction';
  readonly summary: string;
  readonly shortSummary?: string;
  /** The first node that stays verbatim; `null` when none before the compaction does. */
  readonly firstKeptId: EntryId | null;
  readonly tokensBefore: number;
  readonly trigger: string;
  readonly details?: Json;
}

/**
 * Opens an epoch: from here on, what is sent is exactly `items`, then everything visible that is appended after. The only
 * way in which bytes that were sent may change.
 */
export interface EpochEntry extends EntryBase {
  readonly type: 'epoch';
  readonly reason: EpochReason;
  readonly items: EpochItems;
  /** What the change costs: tokens the provider must read anew, and dollars where prices are known. */
  readonly price?: { readonly tokens: number; readonly dollars?: number };
  readonly model?: ModelName;
  /** Version of the codecs that wrote the bytes; an upgraded codec must not change what was sent. */
  readonly codec: number;
}

export type EpochReason =
  | 'compaction'
  | 'prune'
  | 'guard'
  | 'edit'
  | 'undo'
  | 'redo'
  | 'model'
  | 'head'
  | 'repair'
  | 'thinking'
  | 'import'
  | (string & {});

/**
 * Either the items one by one, or, for undo and redo, in constant space: the context as it was at `node`, followed by
 * what became visible on the path after `after`.
 */
export type EpochItems =
  | { readonly list: readonly EpochItem[] }
  | { readonly restore: { readonly node: EntryId | null; readonly after: EntryId } };

/** An entry as it is, or a message made for this epoch (a summary, a shortened result) that may stand for an entry. */
export type EpochItem = { readonly entry: EntryId } | { readonly made: Message; readonly for?: EntryId };

/** Tool outputs that were elided, with their replacements. Takes effect through an epoch entry. */
export interface PruneEntry extends EntryBase {
  readonly type: 'prune';
  readonly targets: readonly { readonly entry: EntryId; readonly part?: number; readonly notice: string }[];
}

/** A rule carried byte for byte through every compaction; `removes` takes an earlier pin off. */
export interface PinEntry extends EntryBase {
  readonly type: 'pin';
  readonly text?: string;
  readonly from?: { readonly entry: EntryId; readonly part?: number };
  readonly removes?: EntryId;
  /** Who set it, where it was not a person. */
  readonly by?: 'hook';
}

/** A message replaced or (`null`) left out by the user or an extension. Takes effect through an epoch entry. */
export interface ContextEditEntry extends EntryBase {
  readonly type: 'context_edit';
  readonly target: EntryId;
  readonly replacement: readonly Part[] | null;
}

export interface ModelChangeEntry extends EntryBase {
  readonly type: 'model_change';
  readonly model: ModelName;
}

export interface ThinkingChangeEntry extends EntryBase {
  readonly type: 'thinking_change';
  readonly level: string;
}

/** Note: a checkpoint was written. */
export interface CheckpointEntry extends EntryBase {
  readonly type: 'checkpoint';
  readonly number: number;
  readonly title: string;
  readonly details?: Json;
}

/** Note: names an entry; `null` takes the name off. The newest wins. */
export interface LabelEntry extends EntryBase {
  readonly type: 'label';
  readonly target: EntryId;
  readonly label: string | null;
}

/** Note: the leaf was moved; `null` is before the first node. */
export interface LeafEntry extends EntryBase {
  readonly type: 'leaf';
  readonly target: EntryId | null;
  readonly reason: 'move' | 'rewind' | 'undo' | 'redo';
  /** On undo and redo: the entry whose effect is reversed. */
  readonly reverses?: EntryId;
}

/** Note: what a call consumed. */
export interface UsageEntry extends EntryBase {
  readonly type: 'usage';
  readonly usage: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
    readonly reasoning?: number;
    /** The part of `cacheWrite` with the longer lifetime, at its higher price. */
    readonly cacheWriteLong?: number;
    /** Tokens of the provider's own compactions. */
    readonly providerCompaction?: Pick<UsageEntry['usage'], 'input' | 'output' | 'cacheRead' | 'cacheWrite'>;
  };
  readonly model?: ModelName;
  /** What the call was for; an answer of the conversation by default. */
  readonly purpose?: string;
  /** The message entry it belongs to. */
  readonly target?: EntryId;
  readonly details?: Json;
}

/** Note: facts about the session; the newest of each wins, `name: ''` clears the name. */
export interface SessionInfoEntry extends EntryBase {
  readonly type: 'session_info';
  readonly info: JsonObject & { readonly name?: string };
}

/** Note: state of an extension, never sent. */
export interface CustomEntry extends EntryBase {
  readonly type: 'custom';
  readonly customType: string;
  readonly data?: Json;
}

/** Note: what the agent is working in: plan, todos, skills. The newest value of each member holds. */
export interface WorkingStateEntry extends EntryBase {
  readonly type: 'working_state';
  readonly state: JsonObject;
}

/** Note: the prompt that the head was rendered from, by a key of its elements, props and window. */
export interface HeadPromptEntry extends EntryBase {
  readonly type: 'head_prompt';
  readonly key: string;
}

/** Note: the tools that are offered from here on. */
export interface ToolsChangeEntry extends EntryBase {
  readonly type: 'tools_change';
  readonly hash: string;
  /** Absent in logs of the first versions. */
  readonly tools?: readonly ToolDefinition[];
}

/** Note: the window of a model that a provider named, or that was learned from a refused request. */
export interface WindowLimitEntry extends EntryBase {
  readonly type: 'window_limit';
  /** As `provider/name`. */
  readonly model: string;
  readonly window: number;
}

/** Note: a background summary that was not installed: what it cost, and a narrative that was ready too late. */
export interface SummaryJobEntry extends EntryBase {
  readonly type: 'summary_job';
  readonly job?: number;
  readonly narrative?: JsonObject;
  readonly cut?: { readonly replacedTo: number | null; readonly keptFrom?: number | null };
  readonly attempts?: readonly JsonObject[];
}

/** Note: a prompt that waits to be sent. It was sent when a message is in the log under its key. */
export interface QueuedPromptEntry extends EntryBase {
  readonly type: 'queued_prompt';
  readonly key: string;
  readonly how: 'prompt' | 'steered' | 'queued';
  readonly message: Message;
}

/** Note: a queued prompt was withdrawn. */
export interface WithdrawnPromptEntry extends EntryBase {
  readonly type: 'withdrawn_prompt';
  readonly key: string;
}

/** Note: an answer that was interrupted or refused, as far as it came. Never sent. */
export interface PartialAnswerEntry extends EntryBase {
  readonly type: 'partial_answer';
  readonly reason: string;
  readonly why: string;
  readonly message: Message;
}

/** Note: the provider compacted or edited the context by itself. */
export interface ProviderCompactionEntry extends EntryBase {
  readonly type: 'provider_compaction';
  readonly kind: string;
  readonly name: string;
  readonly tokens?: number;
  readonly value?: Json;
}

/** Note: a tool call with side effects was started. Without a result it may or may not have happened. */
export interface ToolStartedEntry extends EntryBase {
  readonly type: 'tool_started';
  readonly call: string;
}

/**
 * What was at a path. The content of a file is in the blob store of the session under `hash` (SHA-256), unless `unkept`
 * says why it was not kept.
 */
export type FileState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file';
      readonly size: number;
      /** Permission bits. */
      readonly mode: number;
      /** Absent if the file was too large to read. */
      readonly hash?: string;
      readonly unkept?: string;
    }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder'; readonly mode: number; readonly unkept?: string }
  /** A device, pipe or socket. */
  | { readonly kind: 'other' };

/** Note: what a call or a rewind is about to change, as it is before. */
export interface FileSnapshotEntry extends EntryBase {
  readonly type: 'file_snapshot';
  /** The call, or the rewind to an entry; `reverses` is the rewind that this one takes back. */
  readonly cause:
    | { readonly call: string; readonly tool: string }
    | { readonly rewind: { readonly to: number; readonly reverses?: EntryId; readonly leaf?: EntryId } };
  readonly files: readonly {
    readonly path: string;
    readonly state: FileState;
    /** What a rewind puts there. */
    readonly next?: FileState;
  }[];
  /** A command that may change files which it does not name: why they are not known. */
  readonly untracked?: string;
}

/** Note: what is at the paths of a snapshot afterwards; paths that are not in the snapshot were absent before. */
export interface FileChangeEntry extends EntryBase {
  readonly type: 'file_change';
  readonly snapshot: EntryId;
  /** Only what changed. */
  readonly files: readonly { readonly path: string; readonly state: FileState }[];
}

/** Note: a kind that this version does not know, kept and passed through whole. */
export interface UnknownEntry extends EntryBase {
  readonly type: 'unknown';
  /** The kind it was written under. */
  readonly kind: string;
  readonly value: JsonObject;
}

export interface ModelName {
  readonly provider: string;
  readonly name: string;
}

export type Entry =
  | MessageEntry
  | CustomMessageEntry
  | BranchSummaryEntry
  | CompactionEntry
  | EpochEntry
  | PruneEntry
  | PinEntry
  | ContextEditEntry
  | ModelChangeEntry
  | ThinkingChangeEntry
  | CheckpointEntry
  | LabelEntry
  | LeafEntry
  | UsageEntry
  | SessionInfoEntry
  | WorkingStateEntry
  | HeadPromptEntry
  | ToolsChangeEntry
  | WindowLimitEntry
  | SummaryJobEntry
  | QueuedPromptEntry
  | WithdrawnPromptEntry
  | PartialAnswerEntry
  | ProviderCompactionEntry
  | ToolStartedEntry
  | FileSnapshotEntry
  | FileChangeEntry
  | CustomEntry
  | UnknownEntry;

export type EntryType = Entry['type'];

/** Kinds that stand on paths. All others are notes. */
export const nodeTypes: ReadonlySet<EntryType> = new Set<EntryType>([
  'message',
  'custom_message',
  'branch_summary',
  'compaction',
  'epoch',
  'prune',
  'pin',
  'context_edit',
  'model_change',
  'thinking_change',
]);

/** An entry before the session has given it id, parent, handle, time and epoch. */
export type Draft<E extends Entry = Entry> = E extends MessageEntry
  ? Omit<E, keyof EntryBase> & { readonly sentAs?: SentAs }
  : E extends Entry
    ? Omit<E, keyof EntryBase>
    : never;

/**
 * Makes the `sent` of a message once its handle is known, for text that names the handle. `undefined` means that the
 * message is sent as it is.
 *
 * @example
 * const sentAs: SentAs = (handle) => toolResult({ callId: 'call_1', text: `The output is long: recall @${handle}.1` });
 * await session.append({ type: 'message', message, sentAs });
 */
export type SentAs = (handle: number) => Message | undefined;
