import type { SourceItem } from '../analysis/index.ts';
import type { Narrative, Summarizer, Summary, SummaryInput } from './summarizer.ts';

/** Share of the budget for the history; the rest is for the turn. */
const historyShare = 0.6;

/** Separates the two summaries, in pi's wording (sessions.md 6.6). */
const heading = '\n\n---\n\n**Turn Context (split turn):**\n\n';

/**
 * Two summaries for a cut within a turn: one of the history before the turn and one of the turn's beginning, joined by a
 * heading (features D9). Rules, state and the previous summary go into the first.
 *
 * @example
 * const { text } = await summarizeSplitTurn({ summarizer, input, prefix, count });
 */
export async function summarizeSplitTurn({
  summarizer,
  input,
  prefix,
  count,
}: {
  readonly summarizer: Summarizer;
  /** Input for the whole summary; its items are those of the history. */
  readonly input: SummaryInput;
  /** The items of the turn up to the cut. */
  readonly prefix: readonly SourceItem[];
  readonly count: (text: string) => number;
}): Promise<Summary> {
  const { live: _whole, later = [], budget, ...rest } = input;
  const room = budget - count(heading);
  const history = await summarizer.summarize({
    ...rest,
    later: [...prefix, ...later],
    budget: Math.floor(room * historyShare),
  });
  const { previous: _before, narrative: _given, state: _state, ...about } = rest;
  const left = Math.max(Math.floor(room * (1 - historyShare)), room - count(history.text));
  const turn = await summarizer.summarize({ ...about, items: prefix, pins: [], later, budget: left });
  const attempts = [...(history.attempts ?? []), ...(turn.attempts ?? [])];
  const narrative = merged(history.narrative, turn.narrative);
  return {
    ...history,
    text: `${history.text}${heading}${turn.text}`,
    ...(attempts.length > 0 && { attempts }),
    ...(narrative && { narrative }),
  };
}

/** One narrative about both, for the next summary to update. */
function merged(history: Narrative | undefined, turn: Narrative | undefined): Narrative | undefined {
  if (!history || !turn) return history ?? turn;
  const sections: Record<string, string> = { ...history.sections };
  for (const [name, text] of Object.entries(turn.sections)) {
    sections[name] = sections[name] === undefined ? text : `${sections[name]}\n${text}`;
  }
  return { ...history, sections };
}
