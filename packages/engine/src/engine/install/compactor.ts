import type { Context, Session } from '../../session/index.ts';
import { sumOf } from '../../summarize/index.ts';
import { checkpointNumber } from '../checkpoints/checkpoint.ts';
import { amountsOf, lessOf } from '../events/amounts.ts';
import type { Emit } from '../events/event.ts';
import { countRounds, type RoundCounters } from '../events/rounds.ts';
import type { Asking } from '../hooks/run-hooks.ts';
import { nameOf } from '../model-state.ts';
import { Trail } from '../path-cache/path-cache.ts';
import { type Candidate, draft, nothing, type Summarizing } from '../plan/candidate.ts';
import type { Policy } from '../policy/policy.ts';
import { legalFor, type Rebinding } from '../repair-request.ts';
import type { Transcripts } from '../transcript/transcripts.ts';
import type { CompactionResult, Order } from '../types.ts';
import { install, refreshed } from './install.ts';

/** Plans compactions and installs those that are worth it. */
export class Compactor {
  readonly #session: Session;
  readonly #trail: Trail;
  readonly #by: Summarizing;
  readonly #policy: Policy;
  readonly #emit: Emit;
  readonly #now: () => number;
  readonly #asking: Asking | undefined;
  readonly #transcripts: Pick<Transcripts, 'place'>;
  readonly #rebinding: Rebinding;
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
    readonly by: Summarizing;
    readonly policy: Policy;
    readonly emit: Emit;
    readonly now: () => number;
    /** Who is asked before and told after; a dry run asks nobody. */
    readonly asking: Asking | undefined;
    readonly transcripts: Pick<Transcripts, 'place'>;
    readonly rebinding: Rebinding;
  }) {
    this.#session = session;
    this.#trail = new Trail({ session });
    this.#by = by;
    this.#policy = policy;
    this.#emit = emit;
    this.#now = now;
    this.#asking = asking;
    this.#transcripts = transcripts;
    this.#rebinding = rebinding;
  }

  /** Makes one and installs it. Whoever hears of its beginning hears of its end; a dry run is nobody's business. */
  async compact(order: Order): Promise<CompactionResult> {
    if (order.dryRun) return dry(await this.draft(order));
    return await this.told(order, async () => {
      const { candidate, answer } = await this.draft(order);
      order.signal?.throwIfAborted();
      return candidate ? await this.install(candidate) : answer;
    });
  }

  async draft(wanted: Order): ReturnType<typeof draft> {
    const [session, trail, by, policy, asking] = [this.#session, this.#trail, this.#by, this.#policy, this.#asking];
    const { context } = session;
    const writing = this.#transcripts.place();
    // Nobody waits, not even for a moment, where no transcript is written.
    const order = writing ? { ...wanted, transcript: await writing } : wanted;
    if (!asking || order.dryRun) {
      return await draft({ session, trail, by, policy, order: await this.#asOfNow({ order, context }) });
    }
    const { scale, tools, trigger, focus, signal } = order;
    const snapshot = scale.weigh({ context, tools });
    const about = { tokens: snapshot.used, window: scale.window, messages: context.items.length };
    const before = await asking.before({ ...about, model: scale.model.id, trigger, focus, signal });
    signal?.throwIfAborted();
    if (before.cancel !== undefined) {
      const reason = `A hook called it off: ${before.cancel}`;
      return { answer: { ...nothing({ reason, snapshot }), cancelled: true } };
    }
    const heard = { ...by, ...asking.around({ by, asked: order, before }) };
    return await draft({ session, trail, by: heard, policy, order: await this.#asOfNow({ order, context }) });
  }

  /** What is said while hooks are asked, or a file is written, belongs to the request that would go out now. */
  async #asOfNow({ order, context }: { readonly order: Order; readonly context: Context }): Promise<Order> {
    const { live } = order;
    if (!live) return order;
    // A fork of the request is refused for what the request itself would be refused for.
    const rebindsThinking = await this.#rebinding.in(live);
    // Read last: nothing may come between this and the plan.
    const now = this.#session.context === context ? live : this.#goingOut({ order, live });
    return { ...order, live: rebindsThinking ? { ...now, options: { ...now.options, rebindsThinking } } : now };
  }

  #goingOut({ order, live }: { readonly order: Order; readonly live: NonNullable<Order['live']> }) {
    const { head, items } = legalFor({ context: this.#session.context, model: live.model });
    const { used: tokens } = order.scale.weigh({ context: this.#session.context, tools: order.tools });
    return { ...live, head, items, tokens };
  }

  async install(candidate: Candidate): Promise<CompactionResult> {
    const [session, trail, by, policy] = [this.#session, this.#trail, this.#by, this.#policy];
    return await install({ session, candidate: await refreshed({ session, trail, by, policy, candidate }) });
  }

  /** Its number among the checkpoints. It is in force, so whoever cannot count it now must not call it broken. */
  async #checkpointOf({ entry }: CompactionResult): Promise<number | undefined> {
    if (entry === undefined) return undefined;
    const { entries: path } = await this.#trail.to().catch(() => ({ entries: [] }));
    return checkpointNumber({ path, id: entry });
  }

  /** Where in the conversation it happens; a log that cannot be read now must not prevent it. */
  async #counters(): Promise<Partial<RoundCounters>> {
    const way = await this.#trail.to().catch(() => undefined);
    return way ? countRounds(way.entries) : {};
  }

  /** Tells of a compaction: one beginning, one end, however it ends. */
  async told(order: Order, work: () => Promise<CompactionResult>): Promise<CompactionResult> {
    const { scale, tools, trigger } = order;
    const weigh = () => scale.weigh({ context: this.#session.context, tools });
    const amounts = () =>
      amountsOf({ snapshot: weigh(), messages: this.#session.context.items.map(({ message }) => message) });
    const started = this.#now();
    const about = { id: `${started.toString(36)}-${this.#told}`, trigger, ...(await this.#counters()) };
    this.#told += 1;
    const before = amounts();
    const { tokens, messages, shares } = before;
    const model = nameOf(scale.model);
    this.#emit('compactionStart', { ...about, tokens, messages, shares, model, window: scale.window });
    const complete = (result: CompactionResult & { readonly checkpoint?: number }, error?: string) => {
      const after = amounts();
      const { attempts = [], ...rest } = result;
      const requestIds = attempts.flatMap(({ requestId }) => requestId ?? []);
      this.#emit('compactionComplete', {
        ...{ ...rest, ...about, success: result.installed, before, after, removed: lessOf({ before, after }) },
        ...{ attempts: attempts.length, ...sumOf(attempts), ms: this.#now() - started },
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
      const broken = nothing({ reason: `It was broken off: ${why}`, snapshot: weigh() });
      if (order.signal?.aborted) complete({ ...broken, cancelled: true });
      else complete(broken, why);
      throw error;
    }
  }
}

function dry({ answer }: { readonly answer: CompactionResult }): CompactionResult {
  return answer.worthwhile ? { ...answer, reason: `It would be done: ${answer.reason}` } : answer;
}
