import type { Mask } from '../../analysis/index.ts';
import { isRefusal } from '../narrative/refusal.ts';
import { reviewNarrative } from '../narrative/sound.ts';
import type { Narrative } from '../summarizer.ts';
import { hasHeadings, narrativeIn } from './headings.ts';
import type { Reply } from './reply.ts';
import { taggedIn, withoutAnalysis } from './tagged.ts';

/** Why an answer is none. */
export type Refusal =
  | 'empty'
  | 'no-tag'
  | 'cut-off'
  | 'calls-tools'
  | 'too-large'
  | 'not-smaller'
  | 'refused'
  | 'paused'
  | 'late'
  | 'overflow'
  | 'failed';

export type Verdict = { readonly narrative: Narrative } | { readonly refusal: Refusal; readonly why: string };

/** How an answer may come: `fork` only between its tags, `open` also without them where its headings are there. */
export type Manner = 'fork' | 'open' | 'any';

/** No text has so many characters for a token. */
const mostChars = 50;

/**
 * Judges an answer (D12): what is empty, calls tools, was cut off, is larger than it may be or no smaller than what it
 * tells is no summary. What is taken is masked and says nothing of people in words that are not theirs.
 *
 * @example
 * const verdict = accept({ reply, manner: 'open', given: 40_000, most: 6_000, said: [], mask, count });
 */
export function accept({
  reply,
  manner,
  given,
  most,
  said,
  mask,
  count,
}: {
  readonly reply: Reply;
  readonly manner: Manner;
  /** The tokens that it is a summary of. */
  readonly given: number;
  /** The tokens that it may have. */
  readonly most: number;
  /** What people wrote. */
  readonly said: readonly string[];
  readonly mask: Mask;
  readonly count: (text: string) => number;
}): Verdict {
  const broken = brokenOff(reply);
  if (broken) return broken;
  if (reply.callsTools) return no('calls-tools', 'It called a tool in place of a summary.');
  if (reply.text.trim() === '') {
    return reply.reason === 'length'
      ? no('cut-off', 'It was cut off before the first word of a summary.')
      : no('empty', 'It answered with nothing.');
  }
  const tagged = taggedIn(reply.text);
  if (!tagged?.isClosed && reply.reason === 'length')
    return no('cut-off', 'It was cut off by the limit of its length.');
  if (!tagged && isRefusal(withoutAnalysis(reply.text).slice(0, 2_000)))
    return no('refused', 'It declined to write a summary.');
  const text = tagged?.text ?? untagged({ text: reply.text, manner });
  if (text === undefined) return no('no-tag', 'No summary stands between tags in its answer.');
  // What is longer than this has more tokens than it may, whatever they are.
  if (text.length > most * mostChars) return no('too-large', `It wrote more than the ${most} tokens that there are.`);
  if (isRefusal(text)) return no('refused', 'It declined to write a summary.');
  const { narrative } = reviewNarrative({ narrative: narrativeIn(text), said, mask });
  const words = Object.values(narrative.sections).join('\n');
  if (words.trim() === '') return no('empty', 'Nothing is left of its summary that may stand there.');
  const tokens = count(words);
  if (tokens > most) return no('too-large', `It wrote more than the ${most} tokens that there are.`);
  if (tokens >= given) return no('not-smaller', 'It wrote no less than it was given.');
  return { narrative };
}

function brokenOff({ reason, failure }: Reply): Verdict | undefined {
  if (reason === 'refused' || failure?.kind === 'refused') return no('refused', failure?.message ?? 'It declined.');
  if (failure?.kind === 'overflow') return no('overflow', failure.message);
  if (reason === 'failed') return no('failed', failure?.message ?? 'It failed.');
  if (reason === 'paused') return no('paused', 'The provider paused in the middle of the answer.');
  if (reason === 'aborted') return no('failed', 'The call was broken off.');
  return undefined;
}

/** An answer without tags: on the fork the model may just have gone on with its work. */
function untagged({ text, manner }: { readonly text: string; readonly manner: Manner }): string | undefined {
  if (manner === 'fork') return undefined;
  const rest = withoutAnalysis(text);
  return manner === 'any' || hasHeadings(rest) ? rest : undefined;
}

function no(refusal: Refusal, why: string): Verdict {
  return { refusal, why };
}
