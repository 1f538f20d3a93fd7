import type { Mask } from '../../analysis/index.ts';
import { isRefusal } from '../narrative/refusal.ts';
import { reviewNarrative } from '../narrative/sound.ts';
import type { Narrative } from '../summarizer.ts';
import { hasHeadings, narrativeIn } from './headings.ts';
import type { BackendReply } from './reply.ts';
import { taggedIn, withoutAnalysis } from './tagged.ts';

/** Why an answer is none. */
export type Rejection =
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

export type AcceptResult = { readonly narrative: Narrative } | { readonly refusal: Rejection; readonly why: string };

/** How an answer may come: `fork` only between its tags, `open` also without them where its headings are there. */
export type AnswerFormat = 'fork' | 'open' | 'any';

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
  readonly reply: BackendReply;
  readonly manner: AnswerFormat;
  /** The tokens that it is a summary of. */
  readonly given: number;
  /** The tokens that it may have. */
  readonly most: number;
  /** What people wrote. */
  readonly said: readonly string[];
  readonly mask: Mask;
  readonly count: (text: string) => number;
}): AcceptResult {
  const broken = brokenOff(reply);
  if (broken) return broken;
  if (reply.callsTools) return rejected('calls-tools', 'It called a tool in place of a summary.');
  if (reply.text.trim() === '') {
    return reply.reason === 'length'
      ? rejected('cut-off', 'It was cut off before the first word of a summary.')
      : rejected('empty', 'It answered with nothing.');
  }
  const tagged = taggedIn(reply.text);
  if (!tagged?.isClosed && reply.reason === 'length')
    return rejected('cut-off', 'It was cut off by the limit of its length.');
  if (!tagged && isRefusal(withoutAnalysis(reply.text).slice(0, 2_000)))
    return rejected('refused', 'It declined to write a summary.');
  const text = tagged?.text ?? untagged({ text: reply.text, manner });
  if (text === undefined) return rejected('no-tag', 'No summary stands between tags in its answer.');
  // What is longer than this has more tokens than it may, whatever they are.
  if (text.length > most * mostChars) return rejected('too-large', `It wrote more than the ${most} tokens that there are.`);
  if (isRefusal(text)) return rejected('refused', 'It declined to write a summary.');
  const { narrative } = reviewNarrative({ narrative: narrativeIn(text), said, mask });
  const words = Object.values(narrative.sections).join('\n');
  if (words.trim() === '') return rejected('empty', 'Nothing is left of its summary that may stand there.');
  const tokens = count(words);
  if (tokens > most) return rejected('too-large', `It wrote more than the ${most} tokens that there are.`);
  if (tokens >= given) return rejected('not-smaller', 'It wrote no less than it was given.');
  return { narrative };
}

function brokenOff({ reason, failure }: BackendReply): AcceptResult | undefined {
  if (reason === 'refused' || failure?.kind === 'refused') return rejected('refused', failure?.message ?? 'It declined.');
  if (failure?.kind === 'overflow') return rejected('overflow', failure.message);
  if (reason === 'failed') return rejected('failed', failure?.message ?? 'It failed.');
  if (reason === 'paused') return rejected('paused', 'The provider paused in the middle of the answer.');
  if (reason === 'aborted') return rejected('failed', 'The call was broken off.');
  return undefined;
}

/** An answer without tags: on the fork the model may just have gone on with its work. */
function untagged({ text, manner }: { readonly text: string; readonly manner: AnswerFormat }): string | undefined {
  if (manner === 'fork') return undefined;
  const rest = withoutAnalysis(text);
  return manner === 'any' || hasHeadings(rest) ? rest : undefined;
}

function rejected(refusal: Rejection, why: string): AcceptResult {
  return { refusal, why };
}
