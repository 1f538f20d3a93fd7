/** The budget of one element when its flex group rendered. */
export interface IElementEpochData {
  id: number;
  tokenBudget: number;
}

/** A flex group that renders: its container, its `flexGrow` (default 0), the shared budget, the reserved tokens. */
export interface ITraceEpoch {
  inNode: number | undefined;
  flexValue: number;
  tokenBudget: number;
  reservedTokens: number;
  elements: IElementEpochData[];
}

/** Why a node was pruned: lowest priority, a keep-with, or left empty. */
export type PruneReason = 'priority' | 'keep-with' | 'emptied';

/** A pruned node, in order; `limit` is the id of the container whose limit required it. */
export interface ITracePruning {
  key: number;
  reason: PruneReason;
  limit: number;
  tokens: number;
}
