import { BudgetExceededError } from '../errors.ts';
import type { Message, ToolDefinition } from '../message/index.ts';
import type { ModelOptions, TargetModel } from '../models/index.ts';
import { type EntryId, headLength, type Session } from '../session/index.ts';
import type { LiveRequest } from '../summarize/index.ts';
import type { Clock } from '../time.ts';
import type { Snapshot } from '../tokens/index.ts';
import type { BackgroundCompaction } from './background/background-compaction.ts';
import type { DeclinedCompaction } from './declined.ts';
import type { ContextSize, Emit } from './events/event.ts';
import { sizeOf, truncationOf } from './events/truncation.ts';
import { guardWindow } from './guard/guard-window.ts';
import type { Compactor } from './install/compactor.ts';
import type { ModelState } from './model-state.ts';
import { budgetOf } from './plan/budget.ts';
import { decide, type PolicyDecision, shareOf } from './policy/decide.ts';
import { overridesOf, type Policy } from './policy/policy.ts';
import { boundaryOf, countsOf, type Situation } from './policy/situation.ts';
import { elideOutputs } from './prune/elide.ts';
import { validRequestFor } from './repair-request.ts';
import type { SessionLedger } from './session-ledger.ts';
import { isSentPrefix, type SessionState } from './state.ts';
import type { Budget, CompactionRequest, CompactionResult } from './types.ts';

/** A request that has to fit into its window. */
export interface RequestInProgress {
  readonly ledger: SessionLedger;
  readonly tools: readonly ToolDefinition[];
  readonly state: SessionState;
  /** Tool choice and thinking, as the request has them. */
  readonly options?: ModelOptions | undefined;
  /** The model of the previous request, where it is another one: summaries use that one, whose cache is warm. */
  readonly switchedFrom?: TargetModel | undefined;
  /** Reports an epoch that was opened. */
  readonly recordEpoch: (reason: string, epoch: EntryId | undefined) => void;
  readonly signal?: AbortSignal | undefined;
}

/** What the decisions of a request led to. */
export interface DecisionEffects {
  readonly compaction?: CompactionResult;
  /** Starts a background summary. Called when the request is complete, since until then its messages may still change. */
  readonly startBackground?: () => void;
}

/** A decision with what it is based on. */
interface EvaluatedDecision {
  readonly budget: Budget;
  readonly situation: Situation;
  readonly decision: PolicyDecision;
}

type DecisionInput = EvaluatedDecision & { readonly request: RequestInProgress };

type AppliedDecision = DecisionEffects & { readonly isFinal: boolean };

/** The largest share of a summary in tokens where pending input needs the rest. */
const minimalSummary = 1_000;

/** Cuts of the guard per request; further ones do not help. */
const maxCuts = 3;

/** Makes requests fit: applies what the policy decides, and cuts as a last resort. */
export class BudgetEnforcer {
  readonly #session: Session;
  readonly #policy: Policy;
  readonly #compactor: Compactor;
  readonly #background: BackgroundCompaction;
  readonly #models: ModelState;
  readonly #declined: DeclinedCompaction;
  readonly #emit: Emit;
  readonly #random: () => number;
  readonly #now: () => number;
  readonly #isModelFree: boolean;
  readonly #secrets: readonly string[];
  readonly #sleep: Clock['sleep'];
  #hasWaitedInVain = false;
  /** The request that has waited for a summary. It does not wait twice, whatever the outcome (editor.md 2.2). */
  #waited: RequestInProgress | undefined;

  constructor(input: {
    readonly session: Session;
    readonly policy: Policy;
    readonly compactor: Compactor;
    readonly background: BackgroundCompaction;
    readonly models: ModelState;
    readonly declined: DeclinedCompaction;
    readonly emit: Emit;
    readonly random: () => number;
    readonly now: () => number;
    /** Summaries need no model. */
    readonly isModelFree: boolean;
    /** Values that no event may contain. */
    readonly secrets: readonly string[];
    readonly sleep: Clock['sleep'];
  }) {
    this.#session = input.session;
    this.#policy = input.policy;
    this.#compactor = input.compactor;
    this.#background = input.background;
    this.#models = input.models;
    this.#declined = input.declined;
    this.#emit = input.emit;
    this.#random = input.random;
    this.#now = input.now;
    this.#isModelFree = input.isModelFree;
    this.#secrets = input.secrets;
    this.#sleep = input.sleep;
  }

  /** A new prompt arrived: requests may wait for a summary again. */
  allowWaiting(): void {
    this.#hasWaitedInVain = false;
  }

  budgetFor({ ledger, tools }: Pick<RequestInProgress, 'ledger' | 'tools'>): Budget {
    const { threshold, reserve } = this.#policy.when;
    const { afterTools, fitsThreshold, fits } = overridesOf(this.#policy);
    const toolTokens = ledger.toolTokens(tools);
    const { items } = this.#session.context;
    const headTokens = items
      .slice(0, headLength(this.#session.context))
      .reduce((sum, { message }) => sum + ledger.counter.countMessage(message), toolTokens);
    const policy = { threshold, reserve, afterTools, fitsThreshold, fits };
    const isConfirmed = ledger.isConfirmed(this.#session.context);
    return budgetOf({ window: ledger.window, ...policy, toolTokens, headTokens, isConfirmed });
  }

  /**
   * How many tokens by our own count a prompt for the next turn may have: `free` with everything that is there, `largest`
   * once everything but the head is a minimal summary.
   */
  roomFor({ ledger, tools }: Pick<RequestInProgress, 'ledger' | 'tools'>): {
    readonly free: number;
    readonly largest: number;
  } {
    const { context } = this.#session;
    const { limit } = this.budgetFor({ ledger, tools });
    const free = ledger.tokensWithin(limit - this.#count({ ledger, tools }).bound);
    const head = context.items.slice(0, headLength(context));
    const most = ledger.tokensWithin(limit - ledger.estimate({ items: head, tools }).bound);
    return { free, largest: most - Math.min(minimalSummary, Math.floor(most / 10)) };
  }

  /** What the policy decides about a request as it is now. */
  decide(request: RequestInProgress): EvaluatedDecision {
    const policy = this.#policy;
    const budget = this.budgetFor(request);
    const situation = this.#situation({ request, budget });
    const decision = decide({ policy, situation, random: this.#random });
    const ratio = shareOf({ policy, situation });
    this.#emit('decision', { decision: decision.act, why: decision.why, ratio, preset: policy.name });
    return { budget, situation, decision };
  }

  /** Applies a decision. After one that is not final, the request is decided again. */
  async apply(input: DecisionInput): Promise<AppliedDecision> {
    const { request, decision, situation } = input;
    switch (decision.act) {
      case 'nothing':
        return { isFinal: true };
      case 'start':
        // Pruning may make the summary unnecessary; but within a turn the cache is worth more.
        if (this.#mayPrune(situation) && (await this.#prune(input))) return { isFinal: true };
        return { isFinal: true, startBackground: () => this.#startBackground(input) };
      case 'drop':
        this.#background.drop(decision.why);
        return { isFinal: false };
      case 'install': {
        // What is still too large afterwards is compacted without a model (editor.md 2.2).
        this.#waited = request;
        const compaction = await this.#background.install();
        if (compaction?.installed) request.recordEpoch('compaction', this.#session.context.epoch ?? undefined);
        return { isFinal: false, ...(compaction && { compaction }) };
      }
      case 'wait':
        await this.#wait({ atMost: decision.atMost, request });
        return { isFinal: false };
      case 'compact':
        return await this.#compact({ ...input, decision });
    }
  }

  /**
   * Cuts what still does not fit. A cut voids what the provider confirmed, so the bound can be looser afterwards: then it
   * cuts again.
   */
  async guard(request: RequestInProgress): Promise<void> {
    const { ledger, tools, recordEpoch } = request;
    const budget = this.budgetFor(request);
    let snapshot = this.#count(request);
    const before = this.#size(request);
    let cuts = 0;
    for (; snapshot.bound > budget.limit; cuts += 1) {
      if (cuts === maxCuts) throw tooLarge({ snapshot, budget });
      const [session, secrets, emit] = [this.#session, this.#secrets, this.#emit];
      recordEpoch('guard', await guardWindow({ session, ledger, budget, tools, snapshot, secrets, emit }));
      snapshot = this.#count(request);
    }
    if (cuts > 0) this.#truncated({ by: 'guard', request, limit: budget.limit, before });
  }

  /** The request as it would be sent now, for a summary that appends to it. */
  liveFor({
    model,
    ledger,
    tools,
    options,
  }: Pick<RequestInProgress, 'ledger' | 'tools' | 'options'> & { readonly model: TargetModel }): Omit<
    LiveRequest,
    'covers'
  > {
    const { head, items } = validRequestFor({ context: this.#session.context, model });
    const { used: tokens } = this.#count({ ledger, tools });
    return { head, items, tools, model, tokens, ...(options && { options }) };
  }

  #startBackground(input: DecisionInput): void {
    const request = this.#compactionRequest({ ...input, trigger: 'background', isForced: false, usesModel: true });
    this.#background.start({ request, why: input.decision.why });
  }

  async #compact(
    input: DecisionInput & { readonly decision: Extract<PolicyDecision, { act: 'compact' }> },
  ): Promise<AppliedDecision> {
    const { request, decision } = input;
    const { trigger, isForced, asks: usesModel } = decision;
    if (this.#policy.prune.outputs && (await this.#prune(input))) return { isFinal: true };
    const wanted = this.#compactionRequest({ ...input, trigger, isForced, usesModel });
    if (usesModel) {
      const { mode } = this.#policy.summarize;
      const { foreground } = overridesOf(this.#policy);
      this.#background.start({ request: { ...wanted, mode: mode === 'full' ? mode : foreground }, why: decision.why });
      await this.#wait({ atMost: this.#policy.when.mayWait, request });
      return { isFinal: false };
    }
    this.#background.leave();
    const compaction = await this.#compactor.compact(wanted);
    if (compaction.installed) {
      request.recordEpoch('compaction', this.#session.context.epoch ?? undefined);
      this.#declined.clear();
    } else this.#declined.record({ tokens: this.#count(request).used });
    return { isFinal: true, compaction };
  }

  async #wait({ atMost, request }: { readonly atMost: number; readonly request: RequestInProgress }): Promise<void> {
    const { signal } = request;
    this.#waited = request;
    await this.#background.wait({ atMost, signal, sleep: this.#sleep });
    signal?.throwIfAborted();
    if (this.#background.view.state !== 'ready') this.#hasWaitedInVain = true;
  }

  #mayPrune({ boundary, isCached }: Situation): boolean {
    return this.#policy.prune.outputs && (boundary !== 'round' || !isCached);
  }

  /** Prunes old tool outputs where that alone is enough for some time. */
  async #prune({ request, budget, situation }: DecisionInput): Promise<boolean> {
    const { ledger, tools, recordEpoch } = request;
    const [session, policy, random] = [this.#session, this.#policy, this.#random];
    // With a margin of the minimum, or it would be due again at once.
    const isEnough = ({ used, bound }: Snapshot) => {
      const { reported: _, ...rest } = situation;
      const after: Situation = {
        ...rest,
        tokens: used + budget.minimum,
        bound: bound + budget.minimum,
        isRefused: false,
        job: { state: 'idle' },
      };
      return decide({ policy, situation: after, random }).act === 'nothing';
    };
    const prices = this.#models.cachePrices(this.#now());
    const before = this.#size(request);
    const epoch = await elideOutputs({ session, ledger, emit: this.#emit, policy, budget, tools, prices, isEnough });
    recordEpoch('prune', epoch);
    if (epoch !== undefined) this.#truncated({ by: 'prune', request, limit: budget.limit, before });
    return epoch !== undefined;
  }

  #compactionRequest({
    request,
    budget,
    trigger,
    isForced,
    usesModel,
  }: Pick<DecisionInput, 'request' | 'budget'> &
    Pick<CompactionRequest, 'trigger' | 'isForced' | 'usesModel'>): CompactionRequest {
    const { ledger, tools, state, switchedFrom } = request;
    return {
      ledger,
      tools,
      budget,
      trigger,
      isForced,
      usesModel,
      mode: this.#policy.summarize.mode,
      state: state.workingState,
      ...(usesModel && { live: this.liveFor({ ...request, model: switchedFrom ?? ledger.model }) }),
      ...(state.previous && { previous: state.previous }),
    };
  }

  #situation({ request, budget }: { readonly request: RequestInProgress; readonly budget: Budget }): Situation {
    const { state, switchedFrom } = request;
    const { context } = this.#session;
    const { used: tokens, bound } = this.#count(request);
    const now = this.#now();
    const { reported, overflows } = this.#models;
    return {
      ...countsOf(context),
      budget,
      tokens,
      bound,
      now,
      isCached: this.#models.isCached(now),
      isModelFree: this.#isModelFree,
      boundary: boundaryOf({ added: this.#added() }),
      job: this.#background.view,
      isSuspended: state.isSuspended,
      isDeclined: this.#declined.holdsFor({ tokens, minimum: budget.minimum }),
      isRefused: bound > budget.limit && overflows.isPending,
      isSwitched: switchedFrom !== undefined,
      hasWaitedInVain: this.#hasWaitedInVain || this.#waited === request,
      ...(reported !== undefined && { reported }),
      ...this.#price({ prices: this.#models.cachePrices(now), tokens, budget }),
    };
  }

  /** What installing the summary that is ready costs and saves; without a model, one that leaves the target. */
  #price({
    prices,
    tokens,
    budget,
  }: {
    readonly prices: ReturnType<ModelState['cachePrices']>;
    readonly tokens: number;
    readonly budget: Budget;
  }): Pick<Situation, 'price'> {
    const immediate = { tokensBefore: tokens, tokensAfter: budget.target };
    const result = this.#isModelFree ? immediate : this.#background.candidate?.result;
    if (!prices || !result) return {};
    const once = result.tokensAfter * Math.max(0, prices.write - prices.read);
    return { price: { once, perRequest: (result.tokensBefore - result.tokensAfter) * prices.read } };
  }

  /** The messages since the last request; all of them where none was sent yet. */
  #added(): readonly Message[] {
    const { context } = this.#session;
    const { lastRequest: sent } = this.#models;
    const length = sent && isSentPrefix({ sent, context }) ? sent.length : 0;
    return context.items.slice(headLength(context) + length).map(({ message }) => message);
  }

  #count({ ledger, tools }: Pick<RequestInProgress, 'ledger' | 'tools'>): Snapshot {
    return ledger.count({ context: this.#session.context, tools });
  }

  #size(request: Pick<RequestInProgress, 'ledger' | 'tools'>): ContextSize {
    return sizeOf({ snapshot: this.#count(request), context: this.#session.context });
  }

  #truncated({
    request,
    ...about
  }: {
    readonly by: 'guard' | 'prune';
    readonly request: RequestInProgress;
    readonly limit: number;
    readonly before: ContextSize;
  }): void {
    this.#emit('truncation', truncationOf({ ...about, after: this.#size(request) }));
  }
}

function tooLarge({ snapshot, budget }: { readonly snapshot: Snapshot; readonly budget: Budget }): BudgetExceededError {
  const { limit } = budget;
  return new BudgetExceededError({ part: 'The latest message', excess: snapshot.bound - limit, limit });
}
