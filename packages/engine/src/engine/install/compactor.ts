import { LonghaulError } from '../../errors.ts';
import type { Message } from '../../message/index.ts';
import { type Context, type Entry, headLength, type Session } from '../../session/index.ts';
import { attemptTotals } from '../../summarize/index.ts';
import { type Snapshot, shares, type TokenShares } from '../../tokens/index.ts';
import { checkpointNumber } from '../checkpoints/checkpoint.ts';
import type { Amounts, Emit } from '../events/event.ts';
import { countRounds, type RoundCounters } from '../events/rounds.ts';
import type { HookRunner } from '../hooks/run-hooks.ts';
import { inventoryOf } from '../loss-report.ts';
import { modelKey } from '../model-state.ts';
import { PathCache } from '../path-cache/path-cache.ts';
import {
  type CompactionCandidate,
  cutOf,
  noCompaction,
  type PlanPolicy,
  planCompaction,
  type Summarizers,
} from '../plan/candidate.ts';
import type { Policy } from '../policy/policy.ts';
import { type ThinkingValidity, validRequestFor } from '../repair-request.ts';
import { storedDetails } from '../stored-summary.ts';
import type { Transcripts } from '../transcript/transcripts.ts';
import { type CompactionRequest, type CompactionResult, lossKinds } from '../types.ts';

/** Plans compactions and installs those that are worth it. */
export class Compactor {
  readonly #session: Session;
  readonly #pathCache: PathCache;
  readonly #by: Summarizers;
  readonly #policy: Policy;
  readonly #emit: Emit;
  readonly #now: () => number;
  readonly #hooks: HookRunner | undefined;
  readonly #transcripts: Pick<Transcripts, 'place'>;
  readonly #thinking: ThinkingValidity;
  /** How many compactions were reported. */
  #reported = 0;

  constructor({
    session,
    by,
    policy,
    emit,
    now,
    hooks,
    transcripts,
    thinking,
  }: {
    readonly session: Session;
    readonly by: Summarizers;
    readonly policy: Policy;
    readonly emit: Emit;
    readonly now: () => number;
    /** Called before and after compactions, except for dry runs. */
    readonly hooks: HookRunner | undefined;
    readonly transcripts: Pick<Transcripts, 'place'>;
    readonly thinking: ThinkingValidity;
  }) {
    this.#session = session;
    this.#pathCache = new PathCache({ session });
    this.#by = by;
    this.#policy = policy;
    this.#emit = emit;
    this.#now = now;
    this.#hooks = hooks;
    this.#transcripts = transcripts;
    this.#thinking = thinking;
  }

  /** Plans a compaction and installs it. Events report its start and its end, except for dry runs. */
  async compact(request: CompactionRequest): Promise<CompactionResult> {
    if (request.dryRun) return dry(await this.draft(request));
    return await this.reported(request, async () => {
      const { candidate, answer } = await this.draft(request);
      request.signal?.throwIfAborted();
      if (!candidate) return answer;
      if (request.confirm && !(await request.confirm(dry({ answer }))))
        return { ...answer, reason: 'It was not confirmed.', cancelled: true };
      request.signal?.throwIfAborted();
      return await this.install(candidate);
    });
  }

  async draft(wanted: CompactionRequest): ReturnType<typeof planCompaction> {
    const [session, pathCache, by, policy, hooks] = [
      this.#session,
      this.#pathCache,
      this.#by,
      this.#policy,
      this.#hooks,
    ];
    const { context } = session;
    const writing = this.#transcripts.place();
    // Without a transcript there is no await here: nothing may be appended in between.
    const request = writing ? { ...wanted, transcript: await writing } : wanted;
    if (!hooks || request.dryRun) {
      return await planCompaction({
        session,
        pathCache,
        by,
        policy,
        request: await this.#withCurrentRequest({ request, context }),
      });
    }
    const { ledger, tools, trigger, focus, signal } = request;
    const snapshot = ledger.count({ context, tools });
    const about = { tokens: snapshot.used, window: ledger.window, messages: context.items.length };
    const before = await hooks.before({ ...about, model: ledger.model.id, trigger, focus, signal });
    signal?.throwIfAborted();
    if (before.cancel !== undefined) {
      const reason = `A hook cancelled it: ${before.cancel}`;
      return { answer: { ...noCompaction({ reason, snapshot }), cancelled: true } };
    }
    const heard = { ...by, ...hooks.around({ by, asked: request, before }) };
    return await planCompaction({
      session,
      pathCache,
      by: heard,
      policy,
      request: await this.#withCurrentRequest({ request, context }),
    });
  }

  /** Entries may be appended while hooks run or a file is written: the request is taken as it would be sent now. */
  async #withCurrentRequest({
    request,
    context,
  }: {
    readonly request: CompactionRequest;
    readonly context: Context;
  }): Promise<CompactionRequest> {
    const { live } = request;
    if (!live) return request;
    // A fork of the request is rejected for the same reasons as the request itself.
    const rebindsThinking = await this.#thinking.isBroken(live);
    // Read last, so that nothing is appended between this and the plan.
    const now = this.#session.context === context ? live : this.#currentRequest({ request, live });
    return { ...request, live: rebindsThinking ? { ...now, options: { ...now.options, rebindsThinking } } : now };
  }

  #currentRequest({
    request,
    live,
  }: {
    readonly request: CompactionRequest;
    readonly live: NonNullable<CompactionRequest['live']>;
  }) {
    const { head, items } = validRequestFor({ context: this.#session.context, model: live.model });
    const { used: tokens } = request.ledger.count({ context: this.#session.context, tools: request.tools });
    return { ...live, head, items, tokens };
  }

  async install(candidate: CompactionCandidate): Promise<CompactionResult> {
    const [session, pathCache, by, policy] = [this.#session, this.#pathCache, this.#by, this.#policy];
    return await install({ session, candidate: await refreshCandidate({ session, pathCache, by, policy, candidate }) });
  }

  /** Its number among the checkpoints. The compaction is in force, so a failed read here must not fail it. */
  async #checkpointOf({ entry }: CompactionResult): Promise<number | undefined> {
    if (entry === undefined) return undefined;
    const { entries: path } = await this.#pathCache.pathTo().catch(() => ({ entries: [] }));
    return checkpointNumber({ path, id: entry });
  }

  /** Its place in the conversation. A failed read must not prevent the compaction. */
  async #counters(): Promise<Partial<RoundCounters>> {
    const way = await this.#pathCache.pathTo().catch(() => undefined);
    return way ? countRounds(way.entries) : {};
  }

  /** Reports a compaction: one start event and one end event, however it ends. */
  async reported(request: CompactionRequest, work: () => Promise<CompactionResult>): Promise<CompactionResult> {
    const { ledger, tools, trigger } = request;
    const measure = () => ledger.count({ context: this.#session.context, tools });
    const amounts = () =>
      amountsOf({ snapshot: measure(), messages: this.#session.context.items.map(({ message }) => message) });
    const started = this.#now();
    const about = { id: `${started.toString(36)}-${this.#reported}`, trigger, ...(await this.#counters()) };
    this.#reported += 1;
    const before = amounts();
    const { tokens, messages, shares } = before;
    const model = modelKey(ledger.model);
    this.#emit('compactionStart', { ...about, tokens, messages, shares, model, window: ledger.window });
    const complete = (result: CompactionResult & { readonly checkpoint?: number }, error?: string) => {
      const after = amounts();
      const { attempts = [], ...rest } = result;
      const requestIds = attempts.flatMap(({ requestId }) => requestId ?? []);
      this.#emit('compactionComplete', {
        ...rest,
        ...about,
        success: result.installed,
        before,
        after,
        removed: lessOf({ before, after }),
        attempts: attempts.length,
        ...attemptTotals(attempts),
        ms: this.#now() - started,
        ...(requestIds.length > 0 && { requestIds }),
        ...(error !== undefined && { error }),
        ...(request.job !== undefined && { job: request.job }),
      });
    };
    try {
      const result = await work();
      const checkpoint = await this.#checkpointOf(result);
      complete({ ...result, ...(checkpoint !== undefined && { checkpoint }) });
      const heard = result.installed ? this.#hooks?.after({ trigger, result }) : undefined;
      // A turn does not wait for hooks that are only notified.
      if (trigger === 'manual') await heard;
      return result;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const broken = noCompaction({ reason: `It was aborted: ${why}`, snapshot: measure() });
      if (request.signal?.aborted) complete({ ...broken, cancelled: true });
      else complete(broken, why);
      throw error;
    }
  }
}

function dry({ answer }: { readonly answer: CompactionResult }): CompactionResult {
  return answer.worthwhile ? { ...answer, reason: `It would be done: ${answer.reason}` } : answer;
}

/**
 * How much is sent, and of what.
 *
 * @example
 * amountsOf({ snapshot, messages: session.context.items.map(({ message }) => message) }).parts.results;
 */
function amountsOf({
  snapshot,
  messages,
}: {
  readonly snapshot: Snapshot;
  readonly messages: readonly Message[];
}): Amounts {
  const inventory = inventoryOf(messages);
  return {
    tokens: snapshot.used,
    messages: messages.length,
    shares: byName(shares, (share) => snapshot[share]),
    parts: byName(lossKinds, (kind) => inventory[kind].parts),
  };
}

/**
 * What is no longer there. What a summary adds counts against it, so that the numbers add up.
 *
 * @example
 * lessOf({ before, after }).tokens; // 41_000
 */
function lessOf({ before, after }: { readonly before: Amounts; readonly after: Amounts }): Amounts {
  return {
    tokens: before.tokens - after.tokens,
    messages: before.messages - after.messages,
    shares: byName(shares, (share) => before.shares[share] - after.shares[share]) as TokenShares,
    parts: byName(lossKinds, (kind) => before.parts[kind] - after.parts[kind]),
  };
}

function byName<Name extends string>(names: readonly Name[], of: (name: Name) => number): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, number>;
}

/**
 * Installs a compaction. Messages that were added since it was planned stay verbatim. Where the session moved since, or
 * the result would not fit, nothing is written.
 */
async function install({
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
async function refreshCandidate({
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
