import type { Usage } from '../../models/index.ts';
import type { EntryId, SessionId } from '../../session/index.ts';
import type { Snapshot, TokenShares } from '../../tokens/index.ts';
import type { CompactionResult, HookFailure, LossKind } from '../types.ts';
import type { RoundCounters } from './rounds.ts';

/** How much is sent, and of what. */
export interface Amounts {
  readonly tokens: number;
  readonly messages: number;
  /** The tokens by what they are spent on. */
  readonly shares: TokenShares;
  /** The parts of the messages by kind. */
  readonly parts: Readonly<Record<LossKind, number>>;
}

/** How much is sent. */
export interface ContextSize {
  readonly tokens: number;
  readonly messages: number;
}

/** The events of an engine session, by name. */
export interface EngineEvents {
  /** A compaction begins. */
  readonly compactionStart: Partial<RoundCounters> & {
    /** The same in its end. */
    readonly id: string;
    readonly trigger: string;
    readonly tokens: number;
    readonly window?: number;
    readonly messages?: number;
    readonly shares?: TokenShares;
    /** As `provider/name`. */
    readonly model?: string;
  };
  /** A compaction ended. Every start has one end. */
  readonly compactionComplete: Omit<CompactionResult, 'attempts'> &
    Partial<RoundCounters> & {
      readonly id: string;
      readonly trigger: string;
      /** Whether it was installed. `reason` says why not. */
      readonly success: boolean;
      /** Why it was aborted. */
      readonly error?: string;
      readonly before: Amounts;
      readonly after: Amounts;
      /** What is no longer sent. Its tokens are `before` less `after`, so a summary counts against it. */
      readonly removed: Amounts;
      /** The summary in one line. */
      readonly short?: string;
      readonly entry?: EntryId;
      readonly checkpoint?: number;
      /** What the models of all attempts consumed, and what that cost where prices are known. */
      readonly usage?: Usage;
      readonly cost?: number;
      readonly attempts?: number;
      /** Of the requests to models, as their providers name them. */
      readonly requestIds?: readonly string[];
      /** The job that prepared it. Its usage is also in `jobSettled`: count it once when adding up. */
      readonly job?: number;
      readonly ms: number;
    };
  /** A background summary starts. */
  readonly jobStart: {
    /** The number of the job in its session. */
    readonly job: number;
    readonly trigger: string;
    readonly tokens: number;
    readonly why?: string;
  };
  /** A background summary ended: ready, failed, cancelled, or too late. Every start has one end. */
  readonly jobSettled: {
    readonly job: number;
    readonly outcome: 'done' | 'failed' | 'cancelled' | 'late';
    readonly why?: string;
    readonly strategy?: string;
    readonly usage?: Usage;
    readonly cost?: number;
    readonly ms: number;
  };
  /** A background summary was installed. */
  readonly jobInstalled: { readonly job: number; readonly epoch?: EntryId; readonly tokensFreed: number };
  /** A background summary was discarded. */
  readonly jobDropped: { readonly job: number; readonly why: string };
  /** What was decided before a request. */
  readonly decision: {
    readonly decision: string;
    readonly why: string;
    /** How much is used, by the measure of the policy: of the window, or of the threshold. */
    readonly ratio: number;
    readonly preset: string;
  };
  /** Old tool outputs were elided. */
  readonly prune: { readonly entries: readonly EntryId[]; readonly tokensFreed: number };
  /** The last guard cut what did not fit. */
  readonly guard: {
    readonly dropped: number;
    readonly reduced: number;
    readonly tokensAfter: number;
    /** Pending input that had to be shortened, since it does not fit together with the head; all of it is at its handle. */
    readonly input?: readonly {
      readonly handle?: number;
      readonly charsBefore: number;
      readonly charsAfter: number;
    }[];
    /** Rules in force for which there is no room. Secrets in them are masked. */
    readonly pins?: readonly string[];
  };
  /** An epoch opened: what is sent changed other than by growing. */
  readonly epoch: { readonly epoch: EntryId; readonly reason: string };
  /** What is sent was cut without a summary, by the last guard or by eliding tool outputs. In tokens of the ledger. */
  readonly truncation: {
    readonly by: 'guard' | 'prune';
    /** What a request may have. */
    readonly limit: number;
    readonly before: ContextSize;
    readonly after: ContextSize;
    /** The difference. */
    readonly removed: ContextSize;
  };
  /** How the window is filled, at every request, and how many messages that is, the head included. */
  readonly usage: Snapshot & { readonly messageCount: number };
  /** A provider's window turned out to be smaller. */
  readonly limit: { readonly window: number; readonly model?: string };
  /** A hook failed. It stopped nothing. */
  readonly hookFailed: HookFailure;
  /** The session moved to another place in its tree. */
  readonly moved: {
    readonly from: EntryId | null;
    readonly to: EntryId | null;
    /** The summary of what was left behind. */
    readonly summary?: EntryId;
    readonly abandoned?: number;
  };
  /** A checkpoint was written. */
  readonly checkpoint: { readonly number: number; readonly title: string; readonly entry?: EntryId };
}

export type EventName = keyof EngineEvents;

/** One event of the stream, with its session and time. */
export type EngineEvent<Name extends EventName = EventName> = {
  readonly [N in Name]: EngineEvents[N] & {
    readonly type: N;
    readonly session: SessionId;
    /** Milliseconds since 1970. */
    readonly at: number;
  };
}[Name];

/** All names, in the order in which the documentation lists them. */
export const eventNames = [
  'decision',
  'compactionStart',
  'compactionComplete',
  'jobStart',
  'jobSettled',
  'jobInstalled',
  'jobDropped',
  'prune',
  'guard',
  'truncation',
  'epoch',
  'usage',
  'limit',
  'hookFailed',
  'moved',
  'checkpoint',
] as const satisfies readonly EventName[];

export type Emit = <Name extends EventName>(name: Name, event: EngineEvents[Name]) => void;
