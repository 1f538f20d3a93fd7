import type { ITokenizer } from '../tokenizer.ts';
import type { IElementEpochData, ITraceEpoch, ITracePruning } from '../trace.ts';
import type { Branch } from '../tree/node.ts';

/** The tree as it stands after pruning to a budget. */
export interface ITraceRenderData {
  budget: number;
  container: Branch;
  removed: number;
  /** Ours: every node that went and why, first to last. */
  pruned: readonly ITracePruning[];
}

/** What a tracer is told of a prompt that was fitted. */
export interface ITraceData {
  budget: number;
  renderedTree: ITraceRenderData;
  tokenizer: ITokenizer;
  /** Grows and prunes anew for another budget. Elements are not rendered again. */
  renderTree(tokenBudget: number): Promise<ITraceRenderData>;
  /** Ours: the tree before anything grew or went. Keys of nodes are the same in all trees of a render. */
  fullTree(): Branch;
  /** Ours: what stands below a container of such a tree counts; its messages know their counts afterwards. */
  count(container: Branch): PromiseLike<number> | number;
}

/** A prompt that does not fit its budget. At another it may: everything but the tree that fits is there. */
export type ITraceFailure = Omit<ITraceData, 'renderedTree'> & { readonly error: unknown };

/** Watches a render. */
export interface ITracer {
  /** A flex group renders. */
  addRenderEpoch?(epoch: ITraceEpoch): void;
  /** Elements that came as JSON join the group that renders. */
  includeInEpoch?(data: IElementEpochData): void;
  /** The tree was fitted. */
  didMaterializeTree?(traceData: ITraceData): void;
  /** Ours: the tree could not be fitted. The render throws the error afterwards. */
  didNotFit?(failure: ITraceFailure): void;
}
