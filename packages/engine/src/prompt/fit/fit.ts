import type { PromptCounter } from '../count/counter.ts';
import { flattenAll } from '../elements/flatten.ts';
import { partsOf, TextChunk } from '../elements/text-chunk.ts';
import type { TokenLimit } from '../elements/wrappers.ts';
import { BudgetExceededError, blockedAsOriginal } from '../errors.ts';
import type { FitReport, FitStep } from '../fit-report.ts';
import type { PromptLayout } from '../layout/layout.ts';
import type { LayoutNode } from '../layout/node.ts';
import { isPending, type Maybe } from '../maybe-promise.ts';
import { type MetadataMap as Metadata, MetadataMap, type PromptMetadata } from '../results/metadata.ts';
import type { ITracePruning } from '../trace.ts';
import { materialize } from '../tree/materialize.ts';
import { TreeCounts } from '../tree/message-counts.ts';
import { contentOf, forEachMessage, messagesOf } from '../tree/messages.ts';
import { Branch, isBranch, isWithin, type Leaf, type TreeNode } from '../tree/node.ts';
import { isBlocked, nextVictim, type RemovalContext, removeNode, strictVictim, type Victim } from '../tree/prune.ts';
import { RunningCount } from '../tree/running-count.ts';
import { forgetCounts, PromptTree } from '../tree/tree.ts';

/** A tree that fits, and what was pruned. */
export interface FittedPrompt {
  readonly tree: PromptTree;
  /** The metadata before pruning. */
  readonly allMetadata: readonly PromptMetadata[];
  /** Token count of the tree. */
  readonly tokens: number;
  /** Number of pruned nodes. */
  readonly removed: number;
  /** The pruned nodes with reasons, if a tracer is set. */
  readonly pruned: readonly ITracePruning[];
  readonly report: FitReport;
}

/** Safety factor for removed nodes: a quarter more than their bound, so that recounts are rare (editor.md 1.9). */
const margin = 1.25;

/** Grows and prunes a layout for any budget, any number of times. */
export class Fitter {
  readonly #layout: PromptLayout;
  readonly #counter: PromptCounter;
  readonly #counts: TreeCounts;
  #stamp = 1;

  constructor({ layout, counter }: { readonly layout: PromptLayout; readonly counter: PromptCounter }) {
    this.#layout = layout;
    this.#counter = counter;
    this.#counts = new TreeCounts({ counter, rules: layout.input.rules });
  }

  /** The tree before growing and pruning. */
  full(): PromptTree {
    const { root, input } = this.#layout;
    return new PromptTree({ layout: root, rules: input.rules, ids: this.#layout.ids });
  }

  async fit(budget: number): Promise<FittedPrompt> {
    const tree = this.full();
    forEachMessage(tree.root, (message) => {
      if (!message.isEmpty && !this.#counts.isPlain(message)) contentOf(message);
    });
    const allMetadata = tree.metadata();
    const isTraced = this.#layout.input.tracer !== undefined;
    const limits = [{ limit: budget, id: this.#layout.root.id }, ...this.#layout.limits].reverse();
    const state: State = { gone: 0, tokens: 0, overrun: undefined, saidSomething: !tree.root.isEmpty };
    const run: FitRun = { tree, budget, limits, isTraced, state, pruned: [], steps: [] };
    for (let turn = 0; turn < limits.length; turn += 1) {
      const container = containerOf(run, turn);
      const pending = container && this.#fitTo(run, container, turn);
      if (pending) await pending;
    }
    if (tree.rules.refusesEmpty && tree.root.isEmpty) await this.#refuseEmpty(run);
    const report = { policy: tree.rules.breakpoints, steps: run.steps };
    // The whole prompt is fitted last, so the last count is its count.
    const { gone, tokens } = state;
    return { tree, allMetadata, tokens, removed: gone, pruned: run.pruned, report };
  }

  /** Counts a tree in its current state. */
  count(root: Branch): Maybe<number> {
    return new RunningCount({ stamp: this.#stamp++, counts: this.#counts }).start(root);
  }

  /** Small limits that already hold need no promise. */
  #fitTo(run: FitRun, container: Branch, turn: number, mayGrow = true): Promise<void> | undefined {
    const { limit } = run.limits[turn] as TokenLimitState;
    const tally = this.#tally(run.tree);
    const total = tally.start(container);
    const grows = mayGrow && this.#layout.growables.length > 0;
    if (!isPending(total) && total <= limit && (total === limit || !grows)) {
      run.state.tokens = total;
      return undefined;
    }
    return this.#fitSlowly({ ...run, container, limit, turn, grows }, tally, total);
  }

  async #fitSlowly(run: LimitRun, first: RunningCount, counted: Maybe<number>): Promise<void> {
    let tally = first;
    let total = await counted;
    run.state.tokens = total;
    if (total < run.limit) {
      const { tree, container, limit, grows } = run;
      if (!grows) return;
      await grow({ layout: this.#layout, tree, container, used: total, limit });
      if (!tree.root.isEmpty) run.state.saidSomething = true;
      tally = this.#tally(tree);
      total = await tally.start(container);
    }
    try {
      await this.#prune(run, tally, total);
    } catch (error) {
      if (error instanceof BudgetExceededError) {
        error.metadata = MetadataMap.from(run.tree.metadata()) as Metadata;
        error.messages = messagesOf(this.full().root);
      }
      throw error;
    }
  }

  async #prune(run: LimitRun, first: RunningCount, start: number): Promise<void> {
    const { limit, steps, container, tree, state } = run;
    // One shared list for everything that is removed.
    const pruning: RemovalContext = { tree, removed: [], reasons: run.isTraced ? [] : undefined };
    const { removed, reasons } = pruning;
    let tally = first;
    let total = start;
    let seen = 0;
    let reported = 0;
    let held = tree.revived.length;
    let isUnranked = false;
    const report = () => {
      if (seen === reported) return;
      const step = { action: 'pruned', at: pathIn(container), removed: seen - reported, tokens: total } as const;
      steps.push(isUnranked ? { ...step, isUnranked } : step);
      reported = seen;
    };
    if (total > limit) state.overrun = { container, limit, total };
    while (total > limit) {
      this.#layout.input.check();
      const overhead = tally.overhead();
      const base = isPending(overhead) ? await overhead : overhead;
      do {
        const victim = this.#victim(run);
        if (victim.isBlocked) {
          total = await tally.total();
          if (total <= limit && tree.rules.breakpoints !== 'as-original') break;
          report();
          const dropped = this.#unblock(run, victim, total);
          total = await tally.total();
          steps.push({ action: 'dropped-breakpoint', at: pathIn(dropped), removed: 0, tokens: total });
          break;
        }
        isUnranked ||= !isRanked(victim.node);
        removeNode(victim.node, 'priority', pruning);
        for (; seen < removed.length; seen += 1) {
          const node = removed[seen] as TreeNode;
          const upper = this.#counts.upper(node);
          const tokens = isPending(upper) ? await upper : upper;
          state.gone += 1;
          const reason = reasons?.[seen];
          if (reason) run.pruned.push({ key: node.key, reason, limit: container.id, tokens });
          total -= tokens * margin;
        }
        if (tree.revived.length > held) {
          const isChanged = run.turn > 0 && (await this.#holdToLimits(run, held));
          held = tree.revived.length;
          if (!isChanged) continue;
          tally = this.#tally(tree);
          total = await tally.start(container);
          break;
        }
      } while (total - base > limit);
      const recounted = tally.total();
      total = isPending(recounted) ? await recounted : recounted;
    }
    state.tokens = total;
    report();
  }

  /**
   * Applies the limits inside and around a revived alternative that were already processed, as if it had been there
   * from the start.
   */
  async #holdToLimits(run: LimitRun, held: number): Promise<boolean> {
    const { tree } = run;
    let isAny = false;
    for (let turn = 0; turn < run.turn; turn += 1) {
      const container = containerOf(run, turn);
      if (!container) continue;
      const revived = tree.revived.slice(held);
      const isInside = revived.some((alternative) => isWithin(container, alternative));
      if (!isInside && !revived.some((alternative) => isWithin(alternative, container))) continue;
      isAny = true;
      const pending = this.#fitTo(run, container, turn, isInside);
      if (pending) await pending;
    }
    return isAny;
  }

  /** Drops a breakpoint if the policy allows it; returns its message. */
  #unblock(run: LimitRun, victim: Victim, total: number): Branch {
    const { tree, container, steps } = run;
    const at = pathIn(victim.node as Branch);
    const dropped = tree.rules.breakpoints === 'drop-breakpoint' ? dropLastBreakpoint(tree, container) : undefined;
    if (dropped) return dropped;
    steps.push({ action: 'blocked', at, removed: 0, tokens: total });
    throw this.#exceeded(run, { at, total });
  }

  #victim({ tree, container }: LimitRun): Victim {
    const { hasBreakpoint } = tree.keys;
    switch (tree.rules.breakpoints) {
      case 'as-original':
        return strictVictim(container, hasBreakpoint);
      case 'escalate': {
        const blockedIn = isBlocked(container, hasBreakpoint);
        return blockedIn ? { node: blockedIn, isBlocked: true } : nextVictim(container, hasBreakpoint);
      }
      default:
        return nextVictim(container, hasBreakpoint);
    }
  }

  #exceeded(run: LimitRun, { at, total }: { readonly at: string; readonly total: number }): BudgetExceededError {
    const { limit, tree, steps } = run;
    const excess = Math.max(0, Math.ceil(total - limit));
    const policy = tree.rules.breakpoints;
    const error =
      policy === 'as-original'
        ? new BudgetExceededError({ part: at, excess, limit, message: blockedAsOriginal(at) })
        : new BudgetExceededError({
            part: at,
            excess,
            limit,
            message: `The prompt does not fit ${limit} tokens, and nothing more can be pruned from ${at}.`,
            hint: 'Compact the conversation, allow breakpoints to be dropped, or use a model with a larger window.',
          });
    error.report = { policy, steps };
    return error;
  }

  /** A prompt that is pruned to nothing is an error (editor.md 1.10); one that is empty at any budget is not. */
  async #refuseEmpty({ tree, budget, state, steps }: FitRun): Promise<void> {
    const { overrun, saidSomething } = state;
    const cut = await cutAway(this.#layout.root, budget, this.#counter);
    if (!saidSomething && !cut) return;
    const { container = tree.root, limit = cut?.limit ?? budget, total = cut?.tokens ?? 0 } = overrun ?? {};
    const messages = messagesOf(this.full().root);
    const why =
      messages.length > 0 ? `all ${messages.length} messages would be pruned` : 'its texts would be cut to nothing';
    const error = new BudgetExceededError({
      part: pathIn(container),
      excess: Math.max(0, Math.ceil(total - limit)),
      limit,
      message: `Nothing of the prompt fits ${limit} tokens: ${why}.`,
      hint: 'Increase the budget, or shorten the most important content.',
    });
    error.metadata = MetadataMap.from(tree.metadata());
    error.messages = messages;
    error.report = { policy: tree.rules.breakpoints, steps };
    throw error;
  }

  #tally(tree: PromptTree): RunningCount {
    const tally = new RunningCount({ stamp: this.#stamp++, counts: this.#counts });
    tree.tally = tally;
    return tally;
  }
}

/** A container and its token limit. */
interface TokenLimitState {
  readonly limit: number;
  readonly id: number;
}

interface State {
  /** Number of nodes removed so far. */
  gone: number;
  /** Token count of the last fitted container. */
  tokens: number;
  /** The last container over its limit, with its count. */
  overrun: { readonly container: Branch; readonly limit: number; readonly total: number } | undefined;
  /** Whether the tree was ever non-empty. */
  saidSomething: boolean;
}

interface FitRun {
  readonly tree: PromptTree;
  readonly budget: number;
  /** In processing order: innermost first, the whole last. */
  readonly limits: readonly TokenLimitState[];
  readonly isTraced: boolean;
  readonly state: State;
  readonly pruned: ITracePruning[];
  readonly steps: FitStep[];
}

interface LimitRun extends FitRun {
  readonly container: Branch;
  readonly limit: number;
  readonly turn: number;
  /** Whether expandable elements are rendered again. */
  readonly grows: boolean;
}

/** The container of a limit, if it is still in the tree. A limit above the budget has no effect. */
function containerOf({ tree, budget, limits }: FitRun, turn: number): Branch | undefined {
  const { limit, id } = limits[turn] as TokenLimitState;
  return limit > budget ? undefined : tree.find(id, tree.root);
}

/** Whether a node or an ancestor has a priority. */
function isRanked(node: TreeNode): boolean {
  for (let at: TreeNode | undefined = node; at; at = at.parent) {
    const isPassing = at.isBranch && (at as Branch).passesPriority;
    if (at.priority < Number.MAX_SAFE_INTEGER && !isPassing) return true;
  }
  return false;
}

/** Drops the last breakpoint below a container; returns its message. */
function dropLastBreakpoint(tree: PromptTree, container: Branch): Branch | undefined {
  const leaf = lastBreakpoint(container);
  const message = leaf?.parent;
  if (!leaf || !message) return undefined;
  tree.detach(leaf, message);
  forgetCounts(message, tree.tally);
  tree.forgetProtection(message);
  return message;
}

function lastBreakpoint(branch: Branch): Leaf | undefined {
  for (let child: TreeNode | undefined = branch.last; child; child = child.prev) {
    const found = isBranch(child) ? lastBreakpoint(child) : (child as Leaf).isBreakpoint && (child as Leaf);
    if (found) return found;
  }
  return undefined;
}

/**
 * Renders expandable elements again, in their original order, each with the remaining budget plus what it had; until
 * nothing is left (editor.md 1.9.2).
 */
async function grow(of: {
  readonly layout: PromptLayout;
  readonly tree: PromptTree;
  readonly container: Branch;
  readonly used: number;
  readonly limit: number;
}): Promise<void> {
  const { layout, tree, container, limit } = of;
  let { used } = of;
  for (const { initial, node } of layout.growables) {
    const old = tree.find(node.id, container);
    if (!old) continue;
    const grown = await layout.regrow({ node, budget: limit - used + initial });
    const fresh = materialize(grown.node, tree.keys, old.parent);
    if (!(fresh instanceof Branch)) throw new Error('unreachable: expected growable');
    tree.replace({ old, fresh, below: container });
    used = used - initial + grown.consumed;
    if (used >= limit) break;
  }
}

/**
 * Texts that were cut to their share: their full count with their messages, and the least budget that would have
 * fitted.
 */
interface CutAway {
  readonly tokens: number;
  readonly limit: number;
}

/** What was cut if nothing is left; `undefined` if there was nothing to cut. */
async function cutAway(root: LayoutNode, budget: number, counter: PromptCounter): Promise<CutAway | undefined> {
  const messages = new Set<LayoutNode>();
  let tokens = 0;
  let limit = budget;
  for (const node of root.elements()) {
    const text = textToCut(node);
    if (!/\S/.test(text)) continue;
    tokens += await counter.text(text);
    for (let at = node.parent; at; at = at.parent) {
      if (at.kind?.isMessage) messages.add(at);
      if (at.kind?.isLimit) limit = Math.min(limit, (at.element as unknown as TokenLimit).props.max);
    }
  }
  for (const { overhead = 0 } of messages) tokens += overhead;
  return tokens > 0 ? { tokens, limit } : undefined;
}

function textToCut({ element, children }: LayoutNode): string {
  const chunk: unknown = element;
  if (!(chunk instanceof TextChunk && (chunk.props.breakOn || chunk.props.breakOnWhitespace))) return '';
  return partsOf(flattenAll(children, true)).text;
}

/** Path of a branch: element classes from the root, and role numbers for messages. */
function pathIn(branch: Branch): string {
  const parts: (string | number)[] = [];
  for (let at: Branch | undefined = branch; at; at = at.parent)
    parts.unshift(at.message ? at.message.role : at.name || '(anonymous)');
  return parts.join(' -> ');
}
