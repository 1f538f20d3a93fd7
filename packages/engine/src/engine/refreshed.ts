import { type Entry, headLength, type Session } from '../session/index.ts';
import { type Candidate, type DraftPolicy, draft, type Summarizing } from './draft.ts';
import type { Trail } from './path-cache/path-cache.ts';

/**
 * A candidate that says what holds now. Where a rule was pinned or taken off, or the agent said that it works in something
 * else, while it was made or waited, its facts are written once more around the words that a model gave; nobody is asked
 * again.
 */
export async function refreshed({
  session,
  trail,
  by,
  policy,
  candidate,
}: {
  readonly session: Session;
  readonly trail: Trail;
  readonly by: Summarizing;
  readonly policy: DraftPolicy;
  readonly candidate: Candidate;
}): Promise<Candidate> {
  const since = await session.read({ after: candidate.last });
  if (!since.some(isOfConcern)) return candidate;
  const { order, proposal } = candidate;
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
  const { candidate: fresh } = await draft({ session, trail, by, policy, order: again });
  if (!fresh) return candidate;
  const made = { ...fresh.proposal, strategy, summary: { ...fresh.proposal.summary, ...(attempts && { attempts }) } };
  return { ...fresh, order, proposal: made, answer: { ...fresh.answer, strategy, ...(attempts && { attempts }) } };
}

function isOfConcern(entry: Entry): boolean {
  return entry.type === 'pin' || (entry.type === 'custom' && entry.customType === stateType);
}

const stateType = 'longhaul:state';

/** With what was said of the work since. */
function stateOf({ order, since }: { readonly order: Candidate['order']; readonly since: readonly Entry[] }) {
  const said = since.flatMap((entry) =>
    entry.type === 'custom' && entry.customType === stateType ? [entry.data] : [],
  );
  return Object.assign({}, order.state, ...said);
}
