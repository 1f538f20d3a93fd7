import type { Counter } from '../count/counter.ts';
import { TreeCounts } from '../count/message-counts.ts';
import { Tally } from '../count/tally.ts';
import { BudgetExceededError, blockedAsOriginal } from '../errors.ts';
import type { Layout } from '../layout/layout.ts';
import { isPending, type Maybe } from '../layout/maybe.ts';
import { type MetadataMap as Metadata, MetadataMap, type PromptMetadata } from '../results/metadata.ts';
import type { ITracePruning } from '../trace.ts';
import { contentOf, forEachMessage, messagesOf } from '../tree/messages.ts';
import type { Branch, TreeNode } from '../tree/node.ts';
import { pathIn } from '../tree/path.ts';
import { type Pruning, removeNode } from '../tree/remove.ts';
import { Tree } from '../tree/tree.ts';
import { isBlocked, nextVictim, strictVictim, type Victim } from '../tree/victim.ts';
import { dropLastBreakpoint } from './breakpoint.ts';
import { grow } from './grow.ts';
import type { FitReport, FitStep } from './report.ts';

/** A tree that fits, and what became of the rest. */
export interface Fitted {
  readonly tree: Tree;
  /** The metadata before anything went. */
  readonly allMetadata: readonly PromptMetadata[];
  /** What the tree counts. */
  readonly tokens: number;
  /** How many nodes went. */
  readonly removed: number;
  /** Which ones and why, if somebody traces. */
  readonly pruned: readonly ITracePruning[];
  readonly report: FitReport;
}

/** What a removed node is taken for: a quarter more than its bound, so that counting again is seldom (editor.md 1.9). */
const margin = 1.25;

/** Grows and prunes what was laid out, for any budget, any number of times. */
export class Fitter {
  readonly #layout: Layout;
  readonly #counts: TreeCounts;
  #stamp = 1;

  constructor({ layout, counter }: { readonly layout: Layout; readonly counter: Counter }) {
    this.#layout = layout;
    this.#counts = new TreeCounts({ counter, rules: layout.input.rules });
  }

  get counts(): TreeCounts {
    return this.#counts;
  }

  /** The tree before anything grew or went. */
  full(): Tree {
    const { root, input } = this.#layout;
    return new Tree({ layout: root, rules: input.rules, ids: this.#layout.ids });
  }

  async fit(budget: number): Promise<Fitted> {
    const tree = this.full();
    forEachMessage(tree.root, (message) => {
      if (!message.isEmpty && !this.#counts.isPlain(message)) contentOf(message);
    });
    const allMetadata = tree.metadata();
    const isTraced = this.#layout.input.tracer !== undefined;
    const run: Run = { tree, budget, isTraced, state: { gone: 0, tokens: 0 }, pruned: [], steps: [] };
    const limits = [{ limit: budget, id: this.#layout.root.id }, ...this.#layout.limits];
    for (const { limit, id } of limits.reverse()) {
      if (limit > budget) continue;
      const container = tree.find(id, tree.root);
      if (!container) continue;
      const pending = this.#fitTo(run, container, limit);
      if (pending) await pending;
    }
    const report = { policy: tree.rules.breakpoints, steps: run.steps };
    if (tree.rules.refusesEmpty) this.#refuseEmpty(run, report);
    // The whole is the last to be fitted, so what was counted last is what it counts.
    const { gone, tokens } = run.state;
    return { tree, allMetadata, tokens, removed: gone, pruned: run.pruned, report };
  }

  /** What a tree counts as it stands. */
  count(root: Branch): Maybe<number> {
    return new Tally({ stamp: this.#stamp++, counts: this.#counts }).start(root);
  }

  /** Small limits that hold already need no promise. */
  #fitTo(run: Run, container: Branch, limit: number): Promise<void> | undefined {
    const tally = this.#tally(run.tree);
    const total = tally.start(container);
    if (!isPending(total) && total <= limit && (total === limit || this.#layout.growables.length === 0)) {
      run.state.tokens = total;
      return undefined;
    }
    return this.#fitSlowly({ ...run, container, limit }, tally, total);
  }

  async #fitSlowly(run: LimitRun, first: Tally, counted: Maybe<number>): Promise<void> {
    let tally = first;
    let total = await counted;
    run.state.tokens = total;
    if (total < run.limit) {
      const { tree, container, limit } = run;
      if (!(await grow({ layout: this.#layout, tree, container, used: total, limit }))) return;
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

  async #prune(run: LimitRun, tally: Tally, start: number): Promise<void> {
    const { limit, steps, container, tree } = run;
    // One list for all that goes, not one for each that goes first.
    const pruning: Pruning = { tree, removed: [], reasons: run.isTraced ? [] : undefined };
    const { removed, reasons } = pruning;
    let total = start;
    let seen = 0;
    while (total > limit) {
      this.#layout.input.check();
      const overhead = tally.overhead();
      const base = isPending(overhead) ? await overhead : overhead;
      do {
        this.#removeNext(run, pruning, total);
        for (; seen < removed.length; seen += 1) {
          const node = removed[seen] as TreeNode;
          const upper = this.#counts.upper(node);
          const tokens = isPending(upper) ? await upper : upper;
          run.state.gone += 1;
          const reason = reasons?.[seen];
          if (reason) run.pruned.push({ key: node.key, reason, limit: container.id, tokens });
          total -= tokens * margin;
        }
      } while (total - base > limit);
      const recounted = tally.total();
      total = isPending(recounted) ? await recounted : recounted;
    }
    run.state.tokens = total;
    if (seen > 0) steps.push({ action: 'pruned', at: pathIn(container), removed: seen, tokens: total });
  }

  /** Removes the next to go, with what goes along. */
  #removeNext(run: LimitRun, pruning: Pruning, total: number): void {
    const { tree, container } = run;
    const victim = this.#victim(run);
    if (!victim.isBlocked) {
      removeNode(victim.node, 'priority', pruning);
      return;
    }
    const at = pathIn(victim.node as Branch);
    if (tree.rules.breakpoints === 'drop-breakpoint') {
      const dropped = dropLastBreakpoint(tree, container);
      if (dropped) {
        run.steps.push({ action: 'dropped-breakpoint', at: pathIn(dropped), removed: 0, tokens: total });
        return;
      }
    }
    run.steps.push({ action: 'blocked', at, removed: 0, tokens: total });
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
        ? new BudgetExceededError({ part: at, excess, limit, cause: blockedAsOriginal(at) })
        : new BudgetExceededError({
            part: at,
            excess,
            limit,
            cause: `The prompt does not fit ${limit} tokens, and nothing more may go from ${at}.`,
            next: 'Compact the conversation, allow breakpoints to be dropped, or use a model with a larger window.',
          });
    error.report = { policy, steps };
    return error;
  }

  /** A prompt of which nothing is left is no prompt (editor.md 1.10). */
  #refuseEmpty({ tree, budget, state }: Run, report: FitReport): void {
    if (state.gone === 0 || !tree.root.isEmpty) return;
    const messages = messagesOf(this.full().root);
    const error = new BudgetExceededError({
      part: pathIn(tree.root),
      excess: 0,
      limit: budget,
      cause: `Nothing of the prompt fits ${budget} tokens: all ${messages.length} messages would go.`,
      next: 'Give it more room, or make what matters most smaller.',
    });
    error.metadata = MetadataMap.from(tree.metadata());
    error.messages = messages;
    error.report = report;
    throw error;
  }

  #tally(tree: Tree): Tally {
    const tally = new Tally({ stamp: this.#stamp++, counts: this.#counts });
    tree.tally = tally;
    return tally;
  }
}

interface Run {
  readonly tree: Tree;
  readonly budget: number;
  readonly isTraced: boolean;
  /** How many went so far, and what the last container that was fitted counts. */
  readonly state: { gone: number; tokens: number };
  readonly pruned: ITracePruning[];
  readonly steps: FitStep[];
}

interface LimitRun extends Run {
  readonly container: Branch;
  readonly limit: number;
}
