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
      return candidate ? await this.install(candidate) : answer;
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
    const weigh = () => ledger.count({ context: this.#session.context, tools });
    const amounts = () =>
      amountsOf({ snapshot: weigh(), messages: this.#session.context.items.map(({ message }) => message) });
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
        ...{ ...rest, ...about, success: result.installed, before, after, removed: lessOf({ before, after }) },
        ...{ attempts: attempts.length, ...attemptTotals(attempts), ms: this.#now() - started },
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
      const broken = noCompaction({ reason: `It was aborted: ${why}`, snapshot: weigh() });
      if (request.signal?.aborted) complete({ ...broken, cancelled: true });
      else complete(broken, why);
      throw error;
    }
  }
}

function dry({ answer }: { readonly answer: CompactionResult }): CompactionResult {
  return answer.worthwhile ? { ...answer, reason: `It would be done: ${answer.reason}` } : answer;
}
