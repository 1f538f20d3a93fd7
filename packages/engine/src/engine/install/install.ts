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
 * Installs a compaction. Messages that were added since it was planned stay verbatim. Where the session moved since, or
 * the result would not fit, nothing is written.
 */
export async function install({
  session,
  candidate,
}: {
  readonly session: Session;
  readonly candidate: CompactionCandidate;
}): Promise<CompactionResult> {
  const { request, proposal, held, context, slack } = candidate;
  const answer = asOfNow({ session, candidate });
  const isLarger = answer.tokensBefore > candidate.result.tokensBefore;
  if (request.trigger !== 'manual' && isLarger && answer.tokensAfter * slack > request.budget.limit) {
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
      trigger: request.trigger,
      details,
      planned: { on: context, cut: plan.cut },
      made: [proposal.made],
      keepFirst: plan.start,
      replaced: proposal.replaced,
      price: { tokens: proposal.tokensAfter },
      model: request.ledger.model.id,
    });
    return { ...answer, installed: true, reason: plan.why, trigger: request.trigger, entry: compaction.id };
  } catch (error) {
    if (!LonghaulError.is(error) || error.code !== 'context-moved') throw error;
    return { ...answer, worthwhile: false, reason: 'The conversation went on elsewhere while the summary was made.' };
  }
}

/** The sizes, including messages that were added since. */
function asOfNow(of: { readonly session: Session; readonly candidate: CompactionCandidate }): CompactionResult {
  const { result: answer, request } = of.candidate;
  const { used } = request.ledger.count({ context: of.session.context, tools: request.tools });
  const since = Math.max(0, used - answer.tokensBefore);
  return { ...answer, tokensBefore: answer.tokensBefore + since, tokensAfter: answer.tokensAfter + since };
}

/**
 * A candidate with current facts. Where a rule was pinned or removed, or the working state changed since it was planned,
 * its facts are rendered again around the model's narrative, without another model call.
 */
export async function refreshCandidate({
  session,
  pathCache,
  by,
  policy,
  candidate,
}: {
  readonly session: Session;
  readonly pathCache: PathCache;
  readonly by: Summarizers;
  readonly policy: PlanPolicy;
  readonly candidate: CompactionCandidate;
}): Promise<CompactionCandidate> {
  const since = await session.read({ after: candidate.last });
  if (!since.some(isOfConcern)) return candidate;
  const { request, proposal } = candidate;
  const { plan, summary, strategy } = proposal;
  const to = candidate.context.items
    .slice(headLength(candidate.context), plan.cut)
    .findLast(({ entry }) => entry !== null);
  if (!to || to.entry === null) return candidate;
  const { signal: _over, live: _live, ...rest } = request;
  const { narrative, attempts } = summary;
  const again = {
    ...rest,
    usesModel: false,
    to: to.entry,
    state: stateOf({ request, since }),
    ...(narrative && { narrative }),
  };
  const { candidate: fresh } = await planCompaction({ session, pathCache, by, policy, request: again });
  if (!fresh) return candidate;
  const made = { ...fresh.proposal, strategy, summary: { ...fresh.proposal.summary, ...(attempts && { attempts }) } };
  return {
    ...fresh,
    request,
    proposal: made,
    result: { ...fresh.result, strategy, ...(attempts && { attempts }) },
  };
}

function isOfConcern(entry: Entry): boolean {
  return entry.type === 'pin' || entry.type === 'working_state';
}

/** The working state, including changes since. */
function stateOf({
  request,
  since,
}: {
  readonly request: CompactionCandidate['request'];
  readonly since: readonly Entry[];
}) {
  const said = since.flatMap((entry) => (entry.type === 'working_state' ? [entry.state] : []));
  return Object.assign({}, request.state, ...said);
}
