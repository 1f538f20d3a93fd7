import type { PermissionMode, PermissionRequest } from 'longhaul/agent';
import type { JsonObject } from 'longhaul/message';
import type { TokenShares } from 'longhaul/tokens';

/**
 * What an interface shows: the conversation, what waits for the user, and the status line. Derived from the log and the
 * events of the run in progress; a new value after every change, except for `items`.
 */
export interface InteractiveView {
  readonly session: {
    readonly id: string;
    readonly name: string | undefined;
    /** The first words of the first prompt. */
    readonly title: string | undefined;
  };
  /**
   * The newest items of the conversation, oldest first. The array is the same object for the whole session: items are
   * appended and replaced in place, so that a step costs the same however long the conversation is. An item itself never
   * changes: another object with the same id replaces it.
   */
  readonly items: readonly TranscriptItem[];
  /** Whether the log has earlier items; `loadEarlier` adds them at the front. */
  readonly hasEarlier: boolean;
  /** Messages that wait until the agent takes them, oldest first. */
  readonly queue: readonly QueuedInput[];
  /** Questions about calls, oldest first. Nothing else is blocked by them. */
  readonly questions: readonly ConsentQuestion[];
  readonly todos: readonly TodoItem[];
  /** Commands of the agent that run in the background, and those that have ended since. */
  readonly background: readonly BackgroundCommand[];
  readonly status: InteractiveStatus;
}

/** What the modes are called; `Shift-Tab` cycles through them. */
export type InteractiveMode = PermissionMode;

/** The facts of a status line. */
export interface InteractiveStatus {
  readonly activity: InteractiveActivity;
  /** As `provider/name`. */
  readonly model: string;
  readonly cwd: string;
  /** The git branch, if the folder is in a repository. */
  readonly branch: string | undefined;
  /** How full the window is; absent before the first request. */
  readonly context: ContextMeter | undefined;
  /** Of the last request. */
  readonly cache: { readonly read: number; readonly prompt: number } | undefined;
  /** Of the whole session; absent if no prices are known. */
  readonly costUsd: number | undefined;
  readonly mode: InteractiveMode;
  /** The compaction in progress, or the background summary. */
  readonly job: CompactionJob | undefined;
}

/** What the agent is doing, and since when (milliseconds since 1970). */
export interface InteractiveActivity {
  readonly kind: 'idle' | 'waiting' | 'thinking' | 'answering' | 'tool' | 'retrying' | 'compacting' | 'stopping';
  readonly since: number;
  /** E.g. the tool that runs, or why a request is repeated. */
  readonly text?: string;
}

/** All in tokens. `bound` is hardly ever exceeded; a compaction is due at `threshold`; `reserve` is kept for the answer. */
export interface ContextMeter {
  readonly used: number;
  readonly bound: number;
  readonly window: number;
  readonly threshold: number;
  readonly reserve: number;
  readonly shares: TokenShares;
}

/** A compaction in the foreground or a summary in the background. */
export interface CompactionJob {
  readonly kind: 'compaction' | 'background';
  readonly state: 'running' | 'ready' | 'failed';
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly why?: string;
}

interface TranscriptItemBase {
  /** Stable: the same from the first delta on. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The handle of its entry, once it is in the log: `@12`. */
  readonly handle?: number;
}

export type TranscriptItem = UserItem | TextItem | ToolItem | ShellItem | NoticeItem | CompactionItem;

/** What a person wrote. */
interface UserItem extends TranscriptItemBase {
  readonly kind: 'user';
  readonly text: string;
  /** Files and images that were attached, by name. */
  readonly attachments: readonly string[];
  /** The images among them. */
  readonly images: readonly ImageSource[];
}

/** An image in base64. */
export interface ImageSource {
  readonly mediaType: string;
  readonly data: string;
}

/** Text or reasoning of the model. */
export interface TextItem extends TranscriptItemBase {
  readonly kind: 'assistant' | 'thinking';
  readonly text: string;
  readonly isStreaming: boolean;
}

/** A tool call with its result. */
export interface ToolItem extends TranscriptItemBase {
  readonly kind: 'tool';
  readonly callId: string;
  readonly tool: string;
  /** One line that says what the call does. */
  readonly summary: string;
  readonly input: JsonObject;
  /** `pending` before it begins, `waiting` for consent; `interrupted` if it has no result and gets none. */
  readonly state: 'pending' | 'waiting' | 'running' | 'done' | 'failed' | 'interrupted';
  /** The newest part of the output; `readOutput` returns all of it. */
  readonly output: string;
  readonly isCut: boolean;
  /** What it changed, as a unified diff. */
  readonly diff?: string;
  readonly exit?: number;
  readonly ms?: number;
  /** Of the tool `task`. */
  readonly subagent?: {
    readonly session: string;
    readonly task: string;
    readonly isRunning: boolean;
    /** The newest tool calls of the sub-agent, one line each. */
    readonly lines: readonly string[];
  };
}

/** A command that the user ran with `!`. */
export interface ShellItem extends TranscriptItemBase {
  readonly kind: 'shell';
  readonly command: string;
  readonly output: string;
  /** Absent while it runs. */
  readonly exit?: number;
}

/** A line about the session: a retry, a changed model, a move. */
export interface NoticeItem extends TranscriptItemBase {
  readonly kind: 'notice';
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
}

/** A compaction in one line: what was before and after, and what left. */
interface CompactionItem extends TranscriptItemBase {
  readonly kind: 'compaction';
  readonly tokensBefore: number;
  readonly tokensAfter: number | undefined;
  readonly trigger: string;
  /** What is no longer sent, e.g. `12 messages, 30 tool results`. */
  readonly left: string;
  readonly summary: string;
}

/** A message that waits to be sent. */
export interface QueuedInput {
  readonly key: string;
  readonly text: string;
  /** `steered` is sent at the next step, `queued` when the agent has finished. */
  readonly how: 'steered' | 'queued';
}

export interface TodoItem {
  readonly text: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled';
}

/** A command of the agent in the background. */
export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  readonly state: 'running' | 'ended';
  readonly exit?: number;
  /** The newest lines of its output. */
  readonly output: string;
}

/** A call that needs the user's consent. */
export interface ConsentQuestion {
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
  readonly kind: 'command' | 'change' | 'read' | 'other';
  /** One line: what would happen. */
  readonly summary: string;
  /** Why it needs consent. */
  readonly reason: string;
  /** The command, exactly as it would run; control characters are made visible. */
  readonly command?: string;
  /** Where the command would run: `in the sandbox (bubblewrap, network off)`. */
  readonly place?: string;
  /** What would change, as a unified diff. */
  readonly diff?: string;
  /** The rule that would allow it from now on; absent if none can. */
  readonly rule?: string;
  /** The call as the permissions see it, for interfaces that show more. */
  readonly request: PermissionRequest;
}

/**
 * An answer. `always` adds a rule, by default the one of the question: for this run, or also for later runs in this
 * folder.
 */
export type ConsentAnswer =
  | { readonly kind: 'yes' }
  | { readonly kind: 'no'; readonly reason?: string }
  | { readonly kind: 'always'; readonly rule?: string; readonly scope?: 'run' | 'folder' };

/** What happened, for interfaces that append, and for bells. The view has already changed when a listener is called. */
export type InteractiveEvent =
  /** An item was appended (`added`) or replaced. */
  | { readonly type: 'item'; readonly item: TranscriptItem; readonly change: 'added' | 'updated' }
  /** Text was appended to a streaming item or to the output of a tool. */
  | { readonly type: 'delta'; readonly id: string; readonly text: string }
  /** Something other than an item changed. */
  | { readonly type: 'status' }
  /** A question was asked. */
  | { readonly type: 'question'; readonly question: ConsentQuestion }
  /** A question was answered, or is no longer of interest. */
  | { readonly type: 'answered'; readonly id: string }
  /** Another session, or another place in it: everything has to be drawn again. */
  | { readonly type: 'reset' }
  /** A run ended; the user is expected to go on. */
  | { readonly type: 'finished'; readonly reason: 'done' | 'stopped' | 'failed' | 'limit'; readonly text?: string };

/** What an interface lets the user choose about its looks. */
export interface Appearance {
  readonly themes: readonly string[];
  readonly theme: () => string;
  readonly setTheme: (name: string) => void;
}

/** Something that the user typed. */
export interface Submission {
  /** A prompt, `/command arguments`, or `!shell command`; may hold placeholders of pastes and mentions of files. */
  readonly text: string;
  /** Pasted or dropped images, as bytes. */
  readonly images?: readonly Uint8Array[];
  /** While the agent works: `steer` sends the prompt at the next step, `queue` when it has finished. Default: `steer`. */
  readonly how?: 'steer' | 'queue';
}
