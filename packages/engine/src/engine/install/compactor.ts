import type { Context, Session } from '../../session/index.ts';
import { attemptTotals } from '../../summarize/index.ts';
import { checkpointNumber } from '../checkpoints/checkpoint.ts';
import { amountsOf, lessOf } from '../events/amounts.ts';
import type { Emit } from '../events/event.ts';
import { countRounds, type RoundCounters } from '../events/rounds.ts';
import type { HookRunner } from '../hooks/run-hooks.ts';
import { modelKey } from '../model-state.ts';
import { PathCache } from '../path-cache/path-cache.ts';
import { type CompactionCandidate, noCompaction, planCompaction, type Summarizers } from '../plan/candidate.ts';
import type { Policy } from '../policy/policy.ts';
import { type ThinkingValidity, validRequestFor } from '../repair-request.ts';
import type { Transcripts } from '../transcript/transcripts.ts';
import type { CompactionRequest, CompactionResult } from '../types.ts';
import { install, refreshCandidate } from './install.ts';

/** Plans compactions and installs those that are worth it. */
export class Compactor {
  readonly #session: Session;
  readonly #trail: PathCache;
  readonly #by: Summarizers;
  readonly #policy: Policy;
  readonly #emit: Emit;
  readonly #now: () => number;
  readonly #asking: HookRunner | undefined;
  readonly #transcripts: Pick<Transcripts, 'place'>;
  readonly #rebinding: ThinkingValidity;
  /** How many compactions were reported. */
  #told = 0;

  constructor({
    session,
    by,
    policy,
    emit,
    now,
    asking,
    transcripts,
    rebinding,
  }: {
    readonly session: Session;
    readonly by: Summarizers;
    readonly policy: Policy;
    readonly emit: Emit;
    readonly now: () => number;
    /** Who is asked before and told after; a dry run asks nobody. */
    readonly asking: HookRunner | undefined;
    readonly transcripts: Pick<Transcripts, 'place'>;
    readonly rebinding: ThinkingValidity;
  }) {
    this.#session = session;
    this.#trail = new PathCache({ session });
    this.#by = by;
    this.#policy = policy;
    this.#emit = emit;
    this.#now = now;
    this.#asking = asking;
    this.#transcripts = transcripts;
    this.#rebinding = rebinding;
  }

  /** Makes one and installs it. Whoever hears of its beginning hears of its end; a dry run is nobody's business. */
  async compact(order: CompactionRequest): Promise<CompactionResult> {
    if (order.dryRun) return dry(await this.draft(order));
    return await this.reported(order, async () => {
      const { candidate, answer } = await this.draft(order);
      order.signal?.throwIfAborted();
      return candidate ? await this.install(candidate) : answer;
    });
  }

  async draft(wanted: CompactionRequest): ReturnType<typeof planCompaction> {
    const [session, trail, by, policy, asking] = [this.#session, this.#trail, this.#by, this.#policy, this.#asking];
    const { context } = session;
    const writing = this.#transcripts.place();
    // Nobody waits, not even for a moment, where no transcript is written.
    const order = writing ? { ...wanted, transcript: await writing } : wanted;
    if (!asking || order.dryRun) {
      return await planCompaction({ session, trail, by, policy, order: await this.#asOfNow({ order, context }) });
    }
    const { ledger: scale, tools, trigger, focus, signal } = order;
    const snapshot = scale.count({ context, tools });
    const about = { tokens: snapshot.used, window: scale.window, messages: context.items.length };
    const before = await asking.before({ ...about, model: scale.model.id, trigger, focus, signal });
    signal?.throwIfAborted();
    if (before.cancel !== undefined) {
      const reason = `A hook called it off: ${before.cancel}`;
      return { answer: { ...noCompaction({ reason, snapshot }), cancelled: true } };
    }
    const heard = { ...by, ...asking.around({ by, asked: order, before }) };
    return await planCompaction({ session, trail, by: heard, policy, order: await this.#asOfNow({ order, context }) });
  }

  /** What is said while hooks are asked, or a file is written, belongs to the request that would go out now. */
  async #asOfNow({
    order,
    context,
  }: {
    readonly order: CompactionRequest;
    readonly context: Context;
  }): Promise<CompactionRequest> {
    const { live } = order;
    if (!live) return order;
    // A fork of the request is refused for what the request itself would be refused for.
    const rebindsThinking = await this.#rebinding.in(live);
    // Read last: nothing may come between this and the plan.
    const now = this.#session.context === context ? live : this.#goingOut({ order, live });
    return { ...order, live: rebindsThinking ? { ...now, options: { ...now.options, rebindsThinking } } : now };
  }

  #goingOut({
    order,
    live,
  }: {
    readonly order: CompactionRequest;
    readonly live: NonNullable<CompactionRequest['live']>;
  }) {
    const { head, items } = validRequestFor({ context: this.#session.context, model: live.model });
    const { used: tokens } = order.ledger.count({ context: this.#session.context, tools: order.tools });
    return { ...live, head, items, tokens };
  }

  async install(candidate: CompactionCandidate): Promise<CompactionResult> {
    const [session, trail, by, policy] = [this.#session, this.#trail, this.#by, this.#policy];
    return await install({ session, candidate: await refreshCandidate({ session, trail, by, policy, candidate }) });
  }

  /** Its number among the checkpoints. It is in force, so whoever cannot count it now must not call it broken. */
  async #checkpointOf({ entry }: CompactionResult): Promise<number | undefined> {
    if (entry === undefined) return undefined;
    const { entries: path } = await this.#trail.pathTo().catch(() => ({ entries: [] }));
    return checkpointNumber({ path, id: entry });
  }

  /** Where in the conversation it happens; a log that cannot be read now must not prevent it. */
  async #counters(): Promise<Partial<RoundCounters>> {
    const way = await this.#trail.pathTo().catch(() => undefined);
    return way ? countRounds(way.entries) : {};
  }

  /** Tells of a compaction: one beginning, one end, however it ends. */
  async reported(order: CompactionRequest, work: () => Promise<CompactionResult>): Promise<CompactionResult> {
    const { ledger: scale, tools, trigger } = order;
    const weigh = () => scale.count({ context: this.#session.context, tools });
    const amounts = () =>
      amountsOf({ snapshot: weigh(), messages: this.#session.context.items.map(({ message }) => message) });
    const started = this.#now();
    const about = { id: `${started.toString(36)}-${this.#told}`, trigger, ...(await this.#counters()) };
    this.#told += 1;
    const before = amounts();
    const { tokens, messages, shares } = before;
    const model = modelKey(scale.model);
    this.#emit('compactionStart', { ...about, tokens, messages, shares, model, window: scale.window });
    const complete = (result: CompactionResult & { readonly checkpoint?: number }, error?: string) => {
      const after = amounts();
      const { attempts = [], ...rest } = result;
      const requestIds = attempts.flatMap(({ requestId }) => requestId ?? []);
      this.#emit('compactionComplete', {
        ...{ ...rest, ...about, success: result.installed, before, after, removed: lessOf({ before, after }) },
        ...{ attempts: attempts.length, ...attemptTotals(attempts), ms: this.#now() - started },
        ...(requestIds.length > 0 && { requestIds }),
        ...(error !== undefined && { error }),
        ...(order.job !== undefined && { job: order.job }),
      });
    };
    try {
      const result = await work();
      const checkpoint = await this.#checkpointOf(result);
      complete({ ...result, ...(checkpoint !== undefined && { checkpoint }) });
      const heard = result.installed ? this.#asking?.after({ trigger, result }) : undefined;
      // A turn does not wait for those who only want to know.
      if (trigger === 'manual') await heard;
      return result;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const broken = noCompaction({ reason: `It was broken off: ${why}`, snapshot: weigh() });
      if (order.signal?.aborted) complete({ ...broken, cancelled: true });
      else complete(broken, why);
      throw error;
    }
  }
}

function dry({ answer }: { readonly answer: CompactionResult }): CompactionResult {
  return answer.worthwhile ? { ...answer, reason: `It would be done: ${answer.reason}` } : answer;
}
