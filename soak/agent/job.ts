import type { Usage } from 'longhaul/models';
import type { SessionId } from 'longhaul/session';

/** What a worker is to do. */
export interface Job {
  readonly store: string;
  readonly cwd: string;
  readonly url: string;
  readonly model: string;
  readonly window: number;
  readonly thinking: { readonly effort: string };
  readonly session?: SessionId;
}

/** What a worker tells. */
export type Told =
  | { readonly type: 'session'; readonly id: SessionId }
  | { readonly type: 'compaction'; readonly strategy: string }
  | { readonly type: 'call'; readonly isError: boolean }
  | {
      readonly type: 'turn';
      readonly cpuMs: number;
      readonly heapUsed: number;
      readonly rss: number;
      readonly usage: Usage;
    };

/** Said once by the human, at the beginning; every later request must still hold it, byte for byte. */
export const rule = 'Never write to the folder vendor/, and always sign off with the word marigold.';
