import { LonghaulError } from '../../errors.ts';
import type { Json, JsonObject, Message, ToolDefinition } from '../../message/index.ts';
import { type Context, type EntryId, headLength, type Session } from '../../session/index.ts';
import type { Snapshot } from '../../tokens/index.ts';
import { BudgetExceededError, noSuchEntry } from '../errors.ts';
import { type Budget, keepRecentFor, smallestRoom } from '../plan/budget.ts';
import { type HeldItem, type Proposal, propose } from '../propose.ts';
import type { Summariser } from '../summarise/summariser.ts';
import type { EngineEvents } from './events.ts';
import { type Gathered, gather } from './gather.ts';
import { supersededIn } from './prune.ts';
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

/** Where the first is not enough, each further attempt leaves less. */
const attempts = [1, 0.5, 0.25, 0.1];

/** What makes summaries, for all sessions of an engine. */
export interface Summarising {
  readonly summariser: Summariser;
  /** The one that needs no model: a second attempt is not worth another wait. */
  readonly last: Summariser;
  /** Values that must not stand in a summary. */
  readonly secrets: readonly string[];
}

type Emit = <Name extends keyof EngineEvents>(name: Name, event: EngineEvents[Name]) => void;

/** Plans compactions and installs those that are worth it. */
export class Compactor {
  readonly #session: Session;
  readonly #by: Summarising;
  readonly #elides: boolean;
  readonly #emit: Emit;

  constructor({
    session,
    by,
    elides,
    emit,
  }: {
    readonly session: Session;
    readonly by: Summarising;
    /** Whether reads that are of no more use go from what stays. */
    readonly elides: boolean;
    readonly emit: Emit;
  }) {
    this.#session = session;
    this.#elides = elides;
    this.#by = by;
    this.#emit = emit;
  }

  /** Whoever hears of its beginning hears of its end, however it ends. A dry run is nobody's business. */
  async compact(order: Order): Promise<CompactionResult> {
    const { scale, tools, trigger } = order;
    const snapshot = scale.weigh({ context: this.#session.context, tools });
    if (order.dryRun) return await this.#attempt({ order, snapshot });
    this.#emit('compactionStart', { trigger, tokens: snapshot.used });
    try {
      const result = await this.#attempt({ order, snapshot });
      this.#emit('compactionComplete', { ...result, trigger });
      return result;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#emit('compactionComplete', { ...nothing({ reason: `It was broken off: ${why}`, snapshot }), trigger });
      throw error;
    }
  }

  async #attempt({ order, snapshot }: { order: Order; snapshot: Snapshot }): Promise<CompactionResult> {
    const { scale, tools, budget } = order;
    const { context } = this.#session;
    const gathered = await gather({ session: this.#session, scale });
    // Whoever chooses a part means that nothing else changes.
    const isWhole = order.from === undefined && order.to === undefined;
    const elided = this.#elides && isWhole ? await supersededIn({ session: this.#session, scale }) : new Map();
    const { held } = gathered;
    const overhead = scale.toolTokens(tools);
    this.#checkHead({ held, overhead, bound: snapshot.bound, limit: budget.limit });
    const slack = snapshot.used === 0 ? 1 : Math.max(1, snapshot.bound / snapshot.used);
    // Budgets are in the provider's measure, sizes in ours: by what it reported of them.
    const ours = held.reduce((sum, { tokens }) => sum + tokens, overhead);
    const ratio = ours === 0 ? 1 : snapshot.used / ours;
    const tokensBefore = snapshot.used;
    // Whoever asks for it has no loop to fear, and a large window that is hardly filled is worth clearing.
    const isByHand = order.trigger === 'manual';
    const minimum = isByHand ? Math.min(budget.minimum, Math.ceil(tokensBefore / 10)) : budget.minimum;
    let answer = nothing({ reason: 'There is nothing to compact.', snapshot });
    for (const share of order.isForced ? attempts : attempts.slice(0, 1)) {
      const proposal = await this.#propose({
        order,
        gathered,
        elided,
        overhead,
        slack,
        ratio: Math.max(1, ratio),
        share,
      });
      if (!('summary' in proposal)) return { ...answer, reason: proposal.why };
      const tokensAfter = Math.ceil((proposal.tokensAfter + overhead) * ratio);
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
      return await this.#install({ order, proposal, held, context, answer });
    }
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
    readonly gathered: Gathered;
    readonly elided: ReadonlyMap<EntryId, Message>;
    readonly overhead: number;
    readonly slack: number;
    readonly ratio: number;
    readonly share: number;
  }) {
    const { order, elided, overhead, slack, ratio, share } = of;
    const { held, source, rules } = of.gathered;
    const { scale, budget, focus, signal, state } = order;
    const headCount = headLength(this.#session.context);
    const head = held.slice(0, headCount).reduce((sum, { tokens }) => sum + tokens, 0);
    // What must fit has to fit by its bound: the looser that is, the more room it takes, or the next request would be too
    // large again. Where nothing forces, the target is a wish, and it is used whole.
    const target = order.isForced ? budget.target / slack : budget.target;
    const room = Math.max(0, Math.floor((target / ratio - head - overhead) * share));
    return propose({
      ...{ held, elided, source, headCount, room, pins: rules.kept, left: rules.left },
      ...rangeOf({ held, from: order.from, to: order.to }),
      keepRecent: Math.floor((keepRecentFor({ window: budget.window }) / ratio) * share),
      scales: scale.scales,
      summariser: share === 1 ? this.#by.summariser : this.#by.last,
      secrets: this.#by.secrets,
      salt: this.#session.id,
      ...(this.#session.header.cwd !== undefined && { root: this.#session.header.cwd }),
      ...(focus !== undefined && { focus }),
      ...(signal && { signal }),
      ...(state && Object.keys(state).length > 0 && { state }),
    });
  }

  /** What was said meanwhile stays. Where somebody went elsewhere meanwhile, the summary is of no use. */
  async #install(of: {
    readonly order: Order;
    readonly proposal: Proposal;
    readonly held: readonly HeldItem[];
    /** What it was planned on. */
    readonly context: Context;
    readonly answer: CompactionResult;
  }): Promise<CompactionResult> {
    const { order, proposal, held, answer } = of;
    const { plan, summary, rung, loss } = proposal;
    const details = { rung, why: plan.why, cut: cutOf({ proposal, held }), loss, made: summary.details ?? null };
    try {
      await this.#session.compact({
        summary: summary.text,
        shortSummary: summary.short,
        firstKeptId: proposal.firstKeptId,
        tokensBefore: answer.tokensBefore,
        trigger: order.trigger,
        details: details as unknown as Json,
        planned: { on: of.context, cut: plan.cut },
        made: [proposal.made],
        keepFirst: plan.start,
        replaced: proposal.replaced,
        price: { tokens: proposal.tokensAfter },
        model: order.scale.model.id,
      });
    } catch (error) {
      if (!LonghaulError.is(error) || error.code !== 'context-moved') throw error;
      return { ...answer, worthwhile: false, reason: 'The conversation went on elsewhere while the summary was made.' };
    }
    return { ...answer, installed: true, reason: plan.why };
  }
}

function nothing({ reason, snapshot }: { readonly reason: string; readonly snapshot: Snapshot }): CompactionResult {
  const { used: tokens } = snapshot;
  return { installed: false, worthwhile: false, reason, tokensBefore: tokens, tokensAfter: tokens };
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
