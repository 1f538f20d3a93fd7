import type { ITokenizer } from '../tokenizer.ts';
import type { IElementEpochData, ITraceEpoch, ITracePruning } from '../trace.ts';
import type { Branch } from '../tree/node.ts';

/** The tree after pruning to a budget. */
export interface ITraceRenderData {
  budget: number;
  container: Branch;
  removed: number;
  /** Extension: every pruned node with its reason, in order. */
  pruned: readonly ITracePruning[];
}

/** Data of a fitted prompt. */
export interface ITraceData {
  budget: number;
  renderedTree: ITraceRenderData;
  tokenizer: ITokenizer;
  /** Grows and prunes for another budget. Elements are not rendered again. */
  renderTree(tokenBudget: number): Promise<ITraceRenderData>;
  /** Extension: the tree before growing and pruning. Node keys are the same in all trees of a render. */
  fullTree(): Branch;
  /** Extension: counts the content of a container; its messages have their counts afterwards. */
  count(container: Branch): PromiseLike<number> | number;
}

/** A prompt that does not fit its budget. Other budgets can still be rendered. */
export type ITraceFailure = Omit<ITraceData, 'renderedTree'> & { readonly error: unknown };

/** Observes a render. */
export interface ITracer {
  /** A flex group renders. */
  addRenderEpoch?(epoch: ITraceEpoch): void;
  /** Elements in JSON form join the current group. */
  includeInEpoch?(data: IElementEpochData): void;
  /** The tree was fitted. */
  didMaterializeTree?(traceData: ITraceData): void;
  /** Extension: the tree could not be fitted. The render throws the error afterwards. */
  didNotFit?(failure: ITraceFailure): void;
}
