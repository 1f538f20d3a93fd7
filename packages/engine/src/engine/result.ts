import type { Json } from '../message/index.ts';
import type { EntryId } from '../session/index.ts';
import type { Attempt } from '../summarize/index.ts';
import type { Inventory } from './loss/inventory.ts';
import type { Trigger } from './policy/situation.ts';

/** What came of a compaction, or would come of it. */
export interface CompactionResult {
  readonly installed: boolean;
  /** Whether it frees enough: what a dry run asks. */
  readonly worthwhile: boolean;
  /** One sentence: what was done, or why nothing was. */
  readonly reason: string;
  /** Why it was made. */
  readonly trigger?: Trigger;
  /** Which way of making a summary was taken. */
  readonly strategy?: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The handles of the last that was replaced and of the first that stays. */
  readonly cut?: { readonly replacedTo: number | null; readonly keptFrom: number | null };
  readonly summary?: string;
  /** The same in one line, and in a few words. */
  readonly short?: string;
  readonly title?: string;
  /** Every call of a model that it took, those in vain too. */
  readonly attempts?: readonly Attempt[];
  /** Its record in the log. */
  readonly entry?: EntryId;
  readonly loss?: LossReport;
  /** What a hook asked to keep with the record. */
  readonly kept?: Json;
  /** A hook or whoever asked called it off. */
  readonly cancelled?: true;
}

/** What is no longer sent, and where it is. `lost` and `kept` add up to what was sent before. */
export interface LossReport {
  readonly before: Inventory;
  readonly kept: Inventory;
  readonly lost: Inventory;
  /** The first and last handle of what was replaced. */
  readonly handles: { readonly from: number; readonly to: number } | null;
  /** Messages that stay in a shortened form. */
  readonly reduced: number;
  /** The rules in force, and which of them are still sent, byte for byte. Secrets in them are masked. */
  readonly pins: readonly { readonly text: string; readonly survived: boolean }[];
}
