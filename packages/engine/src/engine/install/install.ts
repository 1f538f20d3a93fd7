import { LonghaulError } from '../../errors.ts';
import { type Entry, headLength, type Session } from '../../session/index.ts';
import type { PathCache } from '../path-cache/path-cache.ts';
import {
  type CompactionCandidate,
  cutOf,
  type PlanPolicy,
  planCompaction,
  type Summarizers,
} from '../plan/candidate.ts';
import { storedDetails } from '../stored-summary.ts';
import type { CompactionResult } from '../types.ts';

/**
 * Puts a compaction in force. What was said since it was planned stays as it is. Where somebody went elsewhere since, or
 * what is left would not fit, it is of no use any more, and nothing is written.
 */
export async function install({
  session,
  candidate,
}: {
  readonly session: Session;
  readonly candidate: CompactionCandidate;
}): Promise<CompactionResult> {
  const { request: order, proposal, held, context, slack } = candidate;
  const answer = asOfNow({ session, candidate });
  const isLarger = answer.tokensBefore > candidate.result.tokensBefore;
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
      model: order.ledger.model.id,
    });
    return { ...answer, installed: true, reason: plan.why, trigger: order.trigger, entry: compaction.id };
  } catch (error) {
    if (!LonghaulError.is(error) || error.code !== 'context-moved') throw error;
    return { ...answer, worthwhile: false, reason: 'The conversation went on elsewhere while the summary was made.' };
  }
}

/** The sizes with what came since. */
function asOfNow(of: { readonly session: Session; readonly candidate: CompactionCandidate }): CompactionResult {
  const { result: answer, request: order } = of.candidate;
  const { used } = order.ledger.count({ context: of.session.context, tools: order.tools });
  const since = Math.max(0, used - answer.tokensBefore);
  return { ...answer, tokensBefore: answer.tokensBefore + since, tokensAfter: answer.tokensAfter + since };
}

/**
 * A candidate that says what holds now. Where a rule was pinned or taken off, or the agent said that it works in something
 * else, while it was made or waited, its facts are written once more around the words that a model gave; nobody is asked
 * again.
 */
export async function refreshCandidate({
  session,
  trail,
  by,
  policy,
  candidate,
}: {
  readonly session: Session;
  readonly trail: PathCache;
  readonly by: Summarizers;
  readonly policy: PlanPolicy;
  readonly candidate: CompactionCandidate;
}): Promise<CompactionCandidate> {
  const since = await session.read({ after: candidate.last });
  if (!since.some(isOfConcern)) return candidate;
  const { request: order, proposal } = candidate;
  const { plan, summary, strategy } = proposal;
  const to = candidate.context.items
    .slice(headLength(candidate.context), plan.cut)
    .findLast(({ entry }) => entry !== null);
  if (!to || to.entry === null) return candidate;
  const { signal: _over, live: _live, ...rest } = order;
  const { narrative, attempts } = summary;
  const again = {
    ...rest,
    asks: false,
    to: to.entry,
    state: stateOf({ order, since }),
    ...(narrative && { narrative }),
  };
  const { candidate: fresh } = await planCompaction({ session, trail, by, policy, order: again });
  if (!fresh) return candidate;
  const made = { ...fresh.proposal, strategy, summary: { ...fresh.proposal.summary, ...(attempts && { attempts }) } };
  return {
    ...fresh,
    request: order,
    proposal: made,
    result: { ...fresh.result, strategy, ...(attempts && { attempts }) },
  };
}

function isOfConcern(entry: Entry): boolean {
  return entry.type === 'pin' || (entry.type === 'custom' && entry.customType === stateType);
}

const stateType = 'longhaul:state';

/** With what was said of the work since. */
function stateOf({
  order,
  since,
}: {
  readonly order: CompactionCandidate['request'];
  readonly since: readonly Entry[];
}) {
  const said = since.flatMap((entry) =>
    entry.type === 'custom' && entry.customType === stateType ? [entry.data] : [],
  );
  return Object.assign({}, order.state, ...said);
}
