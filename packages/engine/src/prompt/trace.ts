import type { ITokenizer } from './tokenizer.ts';
import type { Branch } from './tree/node.ts';

/** What one element was given when its flex group rendered. */
export interface IElementEpochData {
  id: number;
  tokenBudget: number;
}

/** A flex group that renders: its container, its `flexGrow` (0 if unset), what there is to share, what is held back. */
export interface ITraceEpoch {
  inNode: number | undefined;
  flexValue: number;
  tokenBudget: number;
  reservedTokens: number;
  elements: IElementEpochData[];
}

/** Why a node went: it was the lowest, went with one of its keep-with, or was left empty. */
export type PruneReason = 'priority' | 'keep-with' | 'emptied';

/** A node that went, in order; `limit` is the id of the container whose limit asked for it. */
export interface ITracePruning {
  key: number;
  reason: PruneReason;
  limit: number;
  tokens: number;
}

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
