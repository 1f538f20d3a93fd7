import { BudgetExceededError } from '../errors.ts';
import type { Message, ToolDefinition } from '../message/index.ts';
import type { ModelOptions, TargetModel } from '../models/index.ts';
import { type EntryId, headLength, type Session } from '../session/index.ts';
import type { LiveRequest } from '../summarize/index.ts';
import type { Clock } from '../time.ts';
import type { Snapshot } from '../tokens/index.ts';
import type { BackgroundCompaction } from './background/background-compaction.ts';
import type { ContextSize, Emit } from './events/event.ts';
import { sizeOf, truncationOf } from './events/truncation.ts';
import { guardWindow } from './guard/guard-window.ts';
import type { Compactor } from './install/compactor.ts';
import type { ModelState } from './model-state.ts';
import { budgetOf } from './plan/budget.ts';
import { decide, type PolicyDecision, shareOf } from './policy/decide.ts';
import type { Policy } from './policy/policy.ts';
import { boundaryOf, countsOf, type Situation } from './policy/situation.ts';
import { elideOutputs } from './prune/elide.ts';
import { validRequestFor } from './repair-request.ts';
import type { SessionLedger } from './session-ledger.ts';
import { isSentPrefix, type SessionState } from './state.ts';
import type { Budget, CompactionRequest, CompactionResult } from './types.ts';

/** A request that is to fit. */
export interface RequestInProgress {
  readonly scale: SessionLedger;
  readonly tools: readonly ToolDefinition[];
  readonly standing: SessionState;
  /** Tool choice and thinking, as the request has them. */
  readonly options?: ModelOptions | undefined;
  /** The model of the request before, where it was another one: whoever summarizes asks that one, whose cache is warm. */
  readonly switchedFrom?: TargetModel | undefined;
  readonly note: (reason: string, epoch: EntryId | undefined) => void;
  readonly signal?: AbortSignal | undefined;
}

/** What came of it. */
export interface AppliedDecisions {
  readonly budget: Budget;
  readonly compaction?: CompactionResult;
  /** Begins a summary beside the work: when the request is made, not before, since it may still change what is sent. */
  readonly begin?: () => void;
}

type DecisionStep = Omit<AppliedDecisions, 'budget'> & { readonly isOver: boolean };

/** More decisions than this in one request mean that they lead nowhere; the guard makes it fit all the same. */
const mostSteps = 8;

/** What a summary takes at most where pending input needs the rest. */
const minimalSummary = 1_000;

/** More cuts than this do not help. */
const mostCuts = 3;

/** Makes what is sent fit: does what the policy decides, and as a last resort cuts. */
export class BudgetEnforcer {
  readonly #session: Session;
  readonly #policy: Policy;
  readonly #compactor: Compactor;
  readonly #beside: BackgroundCompaction;
  readonly #knowledge: ModelState;
  readonly #emit: Emit;
  readonly #random: () => number;
  readonly #now: () => number;
  readonly #isSure: boolean;
  readonly #secrets: readonly string[];
  readonly #sleep: Clock['sleep'];
  /** Where a compaction was not worth it: it is not tried again until there is more to gain. */
  #declined: { readonly epoch: EntryId | null; readonly tokens: number } | undefined;
  #hasWaitedInVain = false;
  /** The request that has waited already. It does not wait twice, whatever came of it (editor.md 2.2). */
  #waited: RequestInProgress | undefined;

  constructor(of: {
    readonly session: Session;
    readonly policy: Policy;
    readonly compactor: Compactor;
    readonly beside: BackgroundCompaction;
    readonly knowledge: ModelState;
    readonly emit: Emit;
    readonly random: () => number;
    readonly now: () => number;
    /** Summaries need no model. */
    readonly isSure: boolean;
    /** Values that no event may name. */
    readonly secrets: readonly string[];
    readonly sleep: Clock['sleep'];
  }) {
    this.#session = of.session;
    this.#policy = of.policy;
    this.#compactor = of.compactor;
    this.#beside = of.beside;
    this.#knowledge = of.knowledge;
    this.#emit = of.emit;
    this.#random = of.random;
    this.#now = of.now;
    this.#isSure = of.isSure;
    this.#secrets = of.secrets;
    this.#sleep = of.sleep;
  }

  /** Somebody spoke: what was waited for in vain may be waited for again. */
  begin(): void {
    this.#hasWaitedInVain = false;
  }

  /** A compaction would have freed too little. */
  decline(): void {
    const tokens = this.#knowledge.lastRequest?.tokens ?? 0;
    this.#declined = { epoch: this.#session.context.epoch, tokens };
  }

  budgetFor({ scale, tools }: Pick<RequestInProgress, 'scale' | 'tools'>): Budget {
    const { threshold, reserve, afterTools, fitsThreshold, fits } = this.#policy;
    const toolTokens = scale.toolTokens(tools);
    const { items } = this.#session.context;
    const headTokens = items
      .slice(0, headLength(this.#session.context))
      .reduce((sum, { message }) => sum + scale.scales.weigh(message), toolTokens);
    const policy = { threshold, reserve, afterTools, fitsThreshold, fits };
    return budgetOf({ window: scale.window, ...policy, toolTokens, headTokens });
  }

  async fit(request: RequestInProgress): Promise<AppliedDecisions> {
    const budget = this.budgetFor(request);
    let fitted: AppliedDecisions = { budget };
    for (let step = 0; step < mostSteps; step += 1) {
      const situation = this.#situation({ request, budget });
      const decision = this.#decide(situation);
      const { isOver, ...done } = await this.#act({ request, budget, situation, decision });
      fitted = { ...fitted, ...done };
      if (isOver) break;
    }
    await this.#guard({ request, budget });
    return fitted;
  }

  /** What a prompt for the next turn may count by our own count, beside everything that is there. */
  roomFor(request: Pick<RequestInProgress, 'scale' | 'tools'>): number {
    return request.scale.tokensWithin(this.budgetFor(request).limit - this.#weigh(request).bound);
  }

  /** The same where everything but the head has become a minimal summary. */
  largestRoomFor(request: Pick<RequestInProgress, 'scale' | 'tools'>): number {
    const { scale, tools } = request;
    const { context } = this.#session;
    const head = context.items.slice(0, headLength(context));
    const { limit } = this.budgetFor(request);
    const room = scale.tokensWithin(limit - scale.estimate({ items: head, tools }).bound);
    return room - Math.min(minimalSummary, Math.floor(room / 10));
  }

  #decide(situation: Situation): PolicyDecision {
    const policy = this.#policy;
    const decision = decide({ policy, situation, random: this.#random });
    const ratio = shareOf({ policy, situation });
    this.#emit('decision', { decision: decision.act, why: decision.why, ratio, preset: policy.name });
    return decision;
  }

  async #act(of: {
    readonly request: RequestInProgress;
    readonly budget: Budget;
    readonly situation: Situation;
    readonly decision: PolicyDecision;
  }): Promise<DecisionStep> {
    const { request, decision, situation } = of;
    const beside = this.#beside;
    switch (decision.act) {
      case 'nothing':
        return { isOver: true };
      case 'start':
        // What can be elided need not be summarized; but in the middle of a turn the cache is worth more.
        if (this.#mayPrune(situation) && (await this.#prune(of))) return { isOver: true };
        return { isOver: true, begin: () => this.#begin({ ...of, why: decision.why }) };
      case 'drop':
        beside.drop(decision.why);
        return { isOver: false };
      case 'install': {
        // What is still too large after it is left to the one that needs no model (editor.md 2.2).
        this.#waited = request;
        const compaction = await beside.install();
        if (compaction?.installed) request.note('compaction', this.#session.context.epoch ?? undefined);
        return { isOver: false, ...(compaction && { compaction }) };
      }
      case 'wait':
        await this.#wait({ atMost: decision.atMost, request });
        return { isOver: false };
      case 'compact':
        return await this.#compact({ ...of, decision });
    }
  }

  #begin(of: { readonly request: RequestInProgress; readonly budget: Budget; readonly why: string }): void {
    const order = this.#order({ ...of, trigger: 'background', isForced: false, asks: true });
    this.#beside.start({ order, why: of.why });
  }

  async #compact(of: {
    readonly request: RequestInProgress;
    readonly budget: Budget;
    readonly situation: Situation;
    readonly decision: Extract<PolicyDecision, { act: 'compact' }>;
  }): Promise<DecisionStep> {
    const { request, decision } = of;
    if (this.#policy.prunes && (await this.#prune(of))) return { isOver: true };
    const order = this.#order({ ...of, ...decision });
    if (decision.asks) {
      const { mode, foreground } = this.#policy;
      this.#beside.start({ order: { ...order, mode: mode === 'full' ? mode : foreground }, why: decision.why });
      await this.#wait({ atMost: this.#policy.mayWait, request });
      return { isOver: false };
    }
    this.#beside.leave();
    const compaction = await this.#compactor.compact(order);
    if (compaction.installed) request.note('compaction', this.#session.context.epoch ?? undefined);
    const { used: tokens } = this.#weigh(request);
    this.#declined = compaction.installed ? undefined : { epoch: this.#session.context.epoch, tokens };
    return { isOver: true, compaction };
  }

  async #wait({ atMost, request }: { readonly atMost: number; readonly request: RequestInProgress }): Promise<void> {
    const { signal } = request;
    this.#waited = request;
    await this.#beside.wait({ atMost, signal, sleep: this.#sleep });
    signal?.throwIfAborted();
    if (this.#beside.view.state !== 'ready') this.#hasWaitedInVain = true;
  }

  #mayPrune({ boundary, isCached }: Situation): boolean {
    return this.#policy.prunes && (boundary !== 'round' || !isCached);
  }

  /** Elides old outputs where that alone is enough for some time. */
  async #prune(of: {
    readonly request: RequestInProgress;
    readonly budget: Budget;
    readonly situation: Situation;
  }): Promise<boolean> {
    const { request, budget, situation } = of;
    const { scale, tools, note } = request;
    const [session, policy, random] = [this.#session, this.#policy, this.#random];
    // With something to spare, or it would be due again at once.
    const isEnough = ({ used, bound }: Snapshot) => {
      const [tokens, most] = [used + budget.minimum, bound + budget.minimum];
      const { reported: _, ...rest } = situation;
      const after = { ...rest, tokens, bound: most, isRefused: false, job: { state: 'idle' as const } };
      return decide({ policy, situation: after, random }).act === 'nothing';
    };
    const prices = this.#knowledge.cachePrices(this.#now());
    const before = this.#size(request);
    const pruned = await elideOutputs({ session, scale, emit: this.#emit, policy, budget, tools, prices, isEnough });
    note('prune', pruned);
    if (pruned !== undefined) this.#truncated({ by: 'prune', request, limit: budget.limit, before });
    return pruned !== undefined;
  }

  #order(of: {
    readonly request: RequestInProgress;
    readonly budget: Budget;
    readonly trigger: CompactionRequest['trigger'];
    readonly isForced: boolean;
    readonly asks: boolean;
  }): CompactionRequest {
    const { request, budget, trigger, isForced, asks } = of;
    const { scale, tools, standing, switchedFrom } = request;
    return {
      ...{
        ledger: scale,
        tools,
        budget,
        trigger,
        isForced,
        usesModel: asks,
        mode: this.#policy.mode,
        state: standing.state,
      },
      ...(asks && { live: this.liveFor({ ...request, model: switchedFrom ?? scale.model }) }),
      ...(standing.previous && { previous: standing.previous }),
    };
  }

  /** The request as it would go out now. */
  liveFor({
    model,
    scale,
    tools,
    options,
  }: Pick<RequestInProgress, 'scale' | 'tools' | 'options'> & { readonly model: TargetModel }): Omit<
    LiveRequest,
    'covers'
  > {
    const { head, items } = validRequestFor({ context: this.#session.context, model });
    const { used: tokens } = this.#weigh({ scale, tools });
    return { head, items, tools, model, tokens, ...(options && { options }) };
  }

  #situation(of: { readonly request: RequestInProgress; readonly budget: Budget }): Situation {
    const { request, budget } = of;
    const { standing, switchedFrom } = request;
    const { context } = this.#session;
    const { used: tokens, bound } = this.#weigh(request);
    const declined = this.#declined;
    const now = this.#now();
    const prices = this.#knowledge.cachePrices(now);
    const { reported, overflows: refusals } = this.#knowledge;
    const isTooLarge = bound > budget.limit;
    return {
      ...{ budget, tokens, bound, now, ...countsOf(context) },
      isCached: this.#knowledge.isCached(now),
      isModelFree: this.#isSure,
      boundary: boundaryOf({ added: this.#added() }),
      job: this.#beside.view,
      isSuspended: standing.isSuspended,
      isDeclined: declined?.epoch === context.epoch && tokens < (declined?.tokens ?? 0) + budget.minimum,
      isRefused: isTooLarge && refusals.isPending,
      isSwitched: switchedFrom !== undefined,
      hasWaitedInVain: this.#hasWaitedInVain || this.#waited === request,
      ...(reported !== undefined && { reported }),
      ...this.#price({ prices, tokens, budget }),
    };
  }

  /** What putting in what is ready costs and saves; or what is made in no time, and leaves the target. */
  #price(of: {
    readonly prices: ReturnType<ModelState['cachePrices']>;
    readonly tokens: number;
    readonly budget: Budget;
  }): Pick<Situation, 'price'> {
    const { prices, budget } = of;
    const made = { tokensBefore: of.tokens, tokensAfter: budget.target };
    const answer = this.#isSure ? made : this.#beside.candidate?.result;
    if (!prices || !answer) return {};
    const once = answer.tokensAfter * Math.max(0, prices.write - prices.read);
    return { price: { once, perRequest: (answer.tokensBefore - answer.tokensAfter) * prices.read } };
  }

  /** What came since the last request; all of it, where none of it was sent yet. */
  #added(): readonly Message[] {
    const { context } = this.#session;
    const { lastRequest: sent } = this.#knowledge;
    const length = sent && isSentPrefix({ sent, context }) ? sent.length : 0;
    return context.items.slice(headLength(context) + length).map(({ message }) => message);
  }

  #weigh({ scale, tools }: Pick<RequestInProgress, 'scale' | 'tools'>): Snapshot {
    return scale.count({ context: this.#session.context, tools });
  }

  /** What a provider confirmed is void after a cut, so that the bound can be looser than it was: then once more. */
  async #guard({ request, budget }: { readonly request: RequestInProgress; readonly budget: Budget }): Promise<void> {
    const { scale, tools, note } = request;
    let snapshot = this.#weigh(request);
    const before = this.#size(request);
    let cuts = 0;
    for (; snapshot.bound > budget.limit; cuts += 1) {
      if (cuts === mostCuts) throw tooLarge({ snapshot, budget });
      const [session, secrets, emit] = [this.#session, this.#secrets, this.#emit];
      note('guard', await guardWindow({ session, scale, budget, tools, snapshot, secrets, emit }));
      snapshot = this.#weigh(request);
    }
    if (cuts > 0) this.#truncated({ by: 'guard', request, limit: budget.limit, before });
  }

  #size(request: Pick<RequestInProgress, 'scale' | 'tools'>): ContextSize {
    return sizeOf({ snapshot: this.#weigh(request), context: this.#session.context });
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

function tooLarge(of: { readonly snapshot: Snapshot; readonly budget: Budget }): BudgetExceededError {
  const { limit } = of.budget;
  return new BudgetExceededError({ part: 'The latest message', excess: of.snapshot.bound - limit, limit });
}
