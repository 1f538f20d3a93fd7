import { LonghaulError } from '../errors.ts';
import type { Session } from '../session/index.ts';
import { type Candidate, cutOf } from './draft.ts';
import type { CompactionResult } from './result.ts';
import { storedDetails } from './stored-summary.ts';

/**
 * Puts a compaction in force. What was said since it was planned stays as it is. Where somebody went elsewhere since, or
 * what is left would not fit, it is of no use any more, and nothing is written.
 */
export async function install({
  session,
  candidate,
}: {
  readonly session: Session;
  readonly candidate: Candidate;
}): Promise<CompactionResult> {
  const { order, proposal, held, context, slack } = candidate;
  const answer = asOfNow({ session, candidate });
  const isLarger = answer.tokensBefore > candidate.answer.tokensBefore;
  if (order.trigger !== 'manual' && isLarger && answer.tokensAfter * slack > order.budget.limit) {
    const reason = 'So much was said while the summary was made that what is left would not fit.';
    return { ...answer, worthwhile: false, reason };
  }
  const { plan, summary, strategy, loss } = proposal;
  const { title, narrative, attempts, kept, details: made = null } = summary;
  const cut = cutOf({ proposal, held });
  const { tokensAfter } = answer;
  const details = storedDetails({
    strategy,
    why: plan.why,
    cut,
    loss,
    tokensAfter,
    made,
    title,
    narrative,
    attempts,
    kept,
  });
  try {
    const { compaction } = await session.compact({
      summary: summary.text,
      shortSummary: summary.short,
      firstKeptId: proposal.firstKeptId,
      tokensBefore: answer.tokensBefore,
      trigger: order.trigger,
      details,
      planned: { on: context, cut: plan.cut },
      made: [proposal.made],
      keepFirst: plan.start,
      replaced: proposal.replaced,
      price: { tokens: proposal.tokensAfter },
      model: order.scale.model.id,
    });
    return { ...answer, installed: true, reason: plan.why, trigger: order.trigger, entry: compaction.id };
  } catch (error) {
    if (!LonghaulError.is(error) || error.code !== 'context-moved') throw error;
    return { ...answer, worthwhile: false, reason: 'The conversation went on elsewhere while the summary was made.' };
  }
}

/** The sizes with what came since. */
function asOfNow(of: { readonly session: Session; readonly candidate: Candidate }): CompactionResult {
  const { answer, order } = of.candidate;
  const { used } = order.scale.weigh({ context: of.session.context, tools: order.tools });
  const since = Math.max(0, used - answer.tokensBefore);
  return { ...answer, tokensBefore: answer.tokensBefore + since, tokensAfter: answer.tokensAfter + since };
}
