import type { CompactionEntry, Entry } from '../../session/index.ts';
import type { Survey } from '../export/survey.ts';
import type { TranscriptEvent } from './events.ts';
import { eventRest } from './source.ts';

/**
 * A compaction of Copilot's is made beside the work: what is said between its two events stays verbatim. So the first of
 * them stands before the first entry that a compaction of ours kept.
 */
export interface Compactions {
  /** What has to stand before an entry. */
  readonly before: (entry: Entry) => TranscriptEvent[];
  /** What a compaction that is in force becomes. */
  readonly of: (entry: CompactionEntry) => TranscriptEvent[];
}

export function createCompactions({ survey }: { readonly survey: Pick<Survey, 'compactions'> }): Compactions {
  const waiting = [...survey.compactions];
  let isBegun = false;
  const begin = ({ trigger, tokensBefore }: (typeof waiting)[number]): TranscriptEvent[] => {
    if (isBegun) return [];
    isBegun = true;
    return [{ type: 'session.compaction_start', data: { trigger, conversationTokens: tokensBefore } }];
  };
  return {
    before({ id }) {
      const [next] = waiting;
      return next?.firstKeptId === id ? begin(next) : [];
    },
    of(entry) {
      const { summary, tokensBefore } = entry;
      const data = { success: true, preCompactionTokens: tokensBefore, summaryContent: summary };
      const complete = { ...data, ...eventRest(entry.details) };
      const events = [...begin(entry), { type: 'session.compaction_complete', data: complete }];
      isBegun = false;
      waiting.splice(0, waiting.findIndex(({ id }) => id === entry.id) + 1);
      return events;
    },
  };
}
