import type { Mask } from '../../analysis/index.ts';
import { isRefusal } from '../narrative/refusal.ts';
import { reviewNarrative } from '../narrative/review-narrative.ts';
import type { Narrative } from '../summarizer.ts';
import { hasHeadings, narrativeIn } from './headings.ts';
import type { BackendReply } from './reply.ts';
import { taggedIn, withoutAnalysis } from './tagged.ts';

/** Why an answer is not accepted as a summary. */
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

export type AcceptResult = { readonly narrative: Narrative } | { readonly rejection: Rejection; readonly why: string };

/** Accepted forms: `fork` requires the tags, `open` accepts headings without tags, `any` accepts any text. */
export type AnswerFormat = 'fork' | 'open' | 'any';

/** No text has more characters per token than this. */
const charsPerToken = 50;

/**
 * Checks an answer (D12). Rejects one that is empty, calls tools, was cut off, exceeds its limit or is not smaller than
 * its source. An accepted narrative is masked and makes no claims about people that do not quote them.
 *
 * @example
 * const result = accept({ reply, format: 'open', given: 40_000, most: 6_000, said: [], mask, count });
 */
export function accept({
  reply,
  format,
  given,
  most,
  said,
  mask,
  count,
}: {
  readonly reply: BackendReply;
  readonly format: AnswerFormat;
  /** The token count of the source. */
  readonly given: number;
  /** The maximum tokens of the summary. */
  readonly most: number;
  /** The texts that people wrote. */
  readonly said: readonly string[];
  readonly mask: Mask;
  readonly count: (text: string) => number;
}): AcceptResult {
  const failed = failedCall(reply);
  if (failed) return failed;
  if (reply.callsTools) return rejected('calls-tools', 'The model called a tool instead of writing a summary.');
  if (reply.text.trim() === '') {
    return reply.reason === 'length'
      ? rejected('cut-off', 'The output limit was reached before the summary began.')
      : rejected('empty', 'The answer was empty.');
  }
  const tagged = taggedIn(reply.text);
  if (!tagged?.isClosed && reply.reason === 'length')
    return rejected('cut-off', 'The answer was cut off by the output limit.');
  if (!tagged && isRefusal(withoutAnalysis(reply.text).slice(0, 2_000)))
    return rejected('refused', 'The model declined to write a summary.');
  const text = tagged?.text ?? untagged({ text: reply.text, format });
  if (text === undefined) return rejected('no-tag', 'The answer contains no tagged summary.');
  // A text of this length is over the limit whatever its tokens are; reviewing it would take long.
  if (text.length > most * charsPerToken)
    return rejected('too-large', `The summary exceeds its limit of ${most} tokens.`);
  if (isRefusal(text)) return rejected('refused', 'The model declined to write a summary.');
  const { narrative } = reviewNarrative({ narrative: narrativeIn(text), said, mask });
  const words = Object.values(narrative.sections).join('\n');
  if (words.trim() === '') return rejected('empty', 'Nothing was left of the summary after review.');
  const tokens = count(words);
  if (tokens > most) return rejected('too-large', `The summary exceeds its limit of ${most} tokens.`);
  if (tokens >= given) return rejected('not-smaller', 'The summary is not smaller than its source.');
  return { narrative };
}

function failedCall({ reason, failure }: BackendReply): AcceptResult | undefined {
  if (reason === 'refused' || failure?.kind === 'refused')
    return rejected('refused', failure?.message ?? 'The model declined.');
  if (failure?.kind === 'overflow') return rejected('overflow', failure.message);
  if (reason === 'failed') return rejected('failed', failure?.message ?? 'The call failed.');
  if (reason === 'paused') return rejected('paused', 'The provider paused in the middle of the answer.');
  if (reason === 'aborted') return rejected('failed', 'The call was aborted.');
  return undefined;
}

/** An answer without tags: on a fork, the model may simply have continued its work. */
function untagged({ text, format }: { readonly text: string; readonly format: AnswerFormat }): string | undefined {
  if (format === 'fork') return undefined;
  const rest = withoutAnalysis(text);
  return format === 'any' || hasHeadings(rest) ? rest : undefined;
}

function rejected(rejection: Rejection, why: string): AcceptResult {
  return { rejection, why };
}
