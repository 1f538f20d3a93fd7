import type { Json, JsonObject, ToolDefinition } from '../../message/index.ts';
import { type EntryId, headLength, type Session } from '../../session/index.ts';
import { BudgetExceededError, noSuchEntry } from '../errors.ts';
import { choosePins, pinLine } from '../pins/choose.ts';
import { rulesOn } from '../pins/pins.ts';
import { type Budget, keepRecentFor, smallestRoom } from '../plan/budget.ts';
import { type HeldItem, type Proposal, propose } from '../propose.ts';
import { type SourceItem, sourceItems } from '../source.ts';
import type { PinnedRule, Summariser } from '../summarise/summariser.ts';
import type { EngineEvents } from './events.ts';
import type { CompactionResult } from './result.ts';
import type { Scale, TargetModel } from './scale.ts';

/** What somebody asks for who compacts by hand. */
export interface CompactInput {
  readonly model: TargetModel;
  readonly tools?: readonly ToolDefinition[];
  /** What is to be kept in view. */
  readonly focus?: string;
  /** The first and the last entry to be replaced, by id; by default everything but what is recent. */
  readonly from?: EntryId;
  readonly to?: EntryId;
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

interface Order {
  readonly scale: Scale;
  readonly tools: readonly ToolDefinition[];
  readonly budget: Budget;
  readonly trigger: string;
  /** The request does not fit: whatever frees something is worth it. */
  readonly isForced: boolean;
  readonly dryRun?: boolean;
  readonly state?: JsonObject;
  readonly focus?: string;
  readonly from?: EntryId;
  readonly to?: EntryId;
  readonly signal?: AbortSignal;
}

/** Rules may take so much of the window; those set by hand have a bound of their own, and are always carried. */
const mostRules = 0.02;

/** Where the first is not enough, each further attempt leaves less. */
const attempts = [1, 0.5, 0.25, 0.1];

/** Plans compactions and installs those that are worth it. */
export class Compactor {
  readonly #session: Session;
  readonly #summariser: Summariser;
  readonly #emit: <Name extends keyof EngineEvents>(name: Name, event: EngineEvents[Name]) => void;

  constructor(of: {
    readonly session: Session;
    readonly summariser: Summariser;
    readonly emit: <Name extends keyof EngineEvents>(name: Name, event: EngineEvents[Name]) => void;
  }) {
    this.#session = of.session;
    this.#summariser = of.summariser;
    this.#emit = of.emit;
  }

  async compact(order: Order): Promise<CompactionResult> {
    const { scale, tools, budget, trigger } = order;
    const { context } = this.#session;
    const snapshot = scale.weigh({ context, tools });
    if (!order.dryRun) this.#emit('compactionStart', { trigger, tokens: snapshot.used });
    const tokensBefore = snapshot.used;
    const { held, source, pins, left } = await this.#gather(scale);
    const overhead = scale.toolTokens(tools);
    this.#checkHead({ held, overhead, bound: snapshot.bound, limit: budget.limit });
    const slack = snapshot.used === 0 ? 1 : Math.max(1, snapshot.bound / snapshot.used);
    // Whoever asks for it has no loop to fear, and a large window that is hardly filled is worth clearing.
    const minimum = trigger === 'manual' ? Math.min(budget.minimum, Math.ceil(tokensBefore / 10)) : budget.minimum;
    let answer: CompactionResult = {
      installed: false,
      worthwhile: false,
      reason: 'There is nothing to compact.',
      tokensBefore,
      tokensAfter: tokensBefore,
    };
    for (const share of order.isForced ? attempts : attempts.slice(0, 1)) {
      const proposal = await this.#propose({ order, held, source, pins, left, overhead, slack, share });
      if (!('summary' in proposal)) {
        answer = { ...answer, reason: proposal.why };
        break;
      }
      const tokensAfter = this.#after({ proposal, held, snapshot: snapshot.used, overhead });
      const freed = tokensBefore - tokensAfter;
      answer = describe({ proposal, held, tokensBefore, tokensAfter });
      const isEnough = order.isForced ? tokensAfter * slack <= budget.limit : freed >= minimum;
      const isLast = share === attempts.at(-1);
      if (!isEnough && !(order.isForced && isLast && freed > 0)) {
        answer = {
          ...answer,
          reason: `It would free ${Math.max(0, freed)} tokens, and ${minimum} are the least that is worth it.`,
        };
        continue;
      }
      answer = { ...answer, worthwhile: true };
      if (order.dryRun) return { ...answer, reason: `It would be done: ${proposal.plan.why}` };
      order.signal?.throwIfAborted();
      await this.#install({ order, proposal, held, tokensBefore });
      answer = { ...answer, installed: true, reason: proposal.plan.why };
      break;
    }
    if (!order.dryRun) this.#emit('compactionComplete', { ...answer, trigger });
    return answer;
  }

  /** What may not be cut has to leave room for a conversation, or no compaction would help. */
  #checkHead(of: {
    readonly held: readonly HeldItem[];
    readonly overhead: number;
    readonly bound: number;
    readonly limit: number;
  }): void {
    const headCount = headLength(this.#session.context);
    const sum = (items: readonly HeldItem[]) => items.reduce((tokens, item) => tokens + item.tokens, of.overhead);
    const fixed = sum(of.held.slice(0, headCount));
    const excess = Math.ceil((fixed * of.bound) / Math.max(1, sum(of.held)) + smallestRoom - of.limit);
    if (excess <= 0) return;
    throw new BudgetExceededError({ part: 'The head and the tools', excess, limit: of.limit });
  }

  #propose(of: {
    readonly order: Order;
    readonly held: readonly HeldItem[];
    readonly source: readonly SourceItem[];
    readonly pins: readonly PinnedRule[];
    readonly left: readonly PinnedRule[];
    readonly overhead: number;
    readonly slack: number;
    readonly share: number;
  }) {
    const { order, held, source, pins, left, overhead, slack, share } = of;
    const { scale, budget, focus, signal, state } = order;
    const headCount = headLength(this.#session.context);
    const head = held.slice(0, headCount).reduce((sum, { tokens }) => sum + tokens, 0);
    // The looser the bound, the more room it takes: without this the next request would be too large again.
    const room = Math.max(0, Math.floor((budget.target / slack - head - overhead) * share));
    const keepRecent = Math.floor(keepRecentFor({ window: budget.window }) * share);
    const range = rangeOf({ held, from: order.from, to: order.to });
    return propose({
      ...{
        held,
        source,
        headCount,
        room,
        keepRecent,
        pins,
        left,
        ...range,
        scales: scale.scales,
        summariser: this.#summariser,
      },
      ...(focus !== undefined && { focus }),
      ...(signal && { signal }),
      ...(state && Object.keys(state).length > 0 && { state }),
    });
  }

  /** In the provider's measure: our counts are scaled by what it reported of them. */
  #after(of: {
    readonly proposal: Proposal;
    readonly held: readonly HeldItem[];
    readonly snapshot: number;
    readonly overhead: number;
  }): number {
    const ours = of.held.reduce((sum, { tokens }) => sum + tokens, of.overhead);
    const ratio = ours === 0 ? 1 : of.snapshot / ours;
    return Math.ceil((of.proposal.tokensAfter + of.overhead) * ratio);
  }

  async #install(of: {
    readonly order: Order;
    readonly proposal: Proposal;
    readonly held: readonly HeldItem[];
    readonly tokensBefore: number;
  }): Promise<void> {
    const { order, proposal, held, tokensBefore } = of;
    const { plan, summary, rung, loss } = proposal;
    const details = { rung, why: plan.why, cut: cutOf({ proposal, held }), loss, made: summary.details ?? null };
    await this.#session.compact({
      summary: summary.text,
      shortSummary: summary.short,
      firstKeptId: proposal.firstKeptId,
      tokensBefore,
      trigger: order.trigger,
      details: details as unknown as Json,
      made: [proposal.made],
      keepFirst: plan.start,
      replaced: proposal.replaced,
      price: { tokens: proposal.tokensAfter },
      model: order.scale.model.id,
    });
  }

  /** What is sent with addresses and sizes, everything that was said on the way here, and the rules that hold. */
  async #gather(scale: Scale) {
    const path = await this.#session.path();
    const handles = new Map(path.map(({ id, handle }) => [id, handle]));
    const held = this.#session.context.items.map(
      (item): HeldItem => ({
        item,
        handle: item.entry === null ? undefined : handles.get(item.entry),
        tokens: scale.scales.weigh(item.message),
      }),
    );
    const { count } = scale.scales;
    const rules = rulesOn(path);
    const byHand = rules.filter(({ by }) => by === 'hand').reduce((sum, rule) => sum + count(pinLine(rule)), 0);
    const budget = Math.max(byHand, Math.floor(scale.window * mostRules));
    const { kept, left } = choosePins({ pins: rules, budget, count });
    return { held, source: sourceItems(path), pins: kept, left };
  }
}

function rangeOf(of: {
  readonly held: readonly HeldItem[];
  readonly from: EntryId | undefined;
  readonly to: EntryId | undefined;
}): { readonly from?: number; readonly to?: number } {
  const place = (id: EntryId) => {
    const index = of.held.findIndex(({ item }) => item.entry === id);
    if (index < 0) throw noSuchEntry(id);
    return index;
  };
  return {
    ...(of.from !== undefined && { from: place(of.from) }),
    ...(of.to !== undefined && { to: place(of.to) + 1 }),
  };
}

function describe(of: {
  readonly proposal: Proposal;
  readonly held: readonly HeldItem[];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}): CompactionResult {
  const { proposal, held, tokensBefore, tokensAfter } = of;
  return {
    installed: false,
    worthwhile: false,
    reason: proposal.plan.why,
    rung: proposal.rung,
    tokensBefore,
    tokensAfter,
    cut: cutOf({ proposal, held }),
    summary: proposal.summary.text,
    loss: proposal.loss,
  };
}

function cutOf({ proposal, held }: { readonly proposal: Proposal; readonly held: readonly HeldItem[] }) {
  const { start, cut } = proposal.plan;
  return {
    replacedTo: held.slice(start, cut).findLast(({ handle }) => handle !== undefined)?.handle ?? null,
    keptFrom: held.slice(cut).find(({ handle }) => handle !== undefined)?.handle ?? null,
  };
}
