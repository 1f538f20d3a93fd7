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
