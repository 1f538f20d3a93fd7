/** What to do when a cache breakpoint protects what should be pruned. */
export type BreakpointPolicy =
  /** Only content after the last breakpoint is pruned; if that is not enough, an error is thrown. */
  | 'prune-after'
  /** The same; if that is not enough, the last breakpoint is given up, then the one before it. */
  | 'drop-breakpoint'
  /** As soon as the next to go is protected, an error says so: the caller compacts instead. */
  | 'escalate';

/** Differences between the two entries. Everything else is the same code. */
export interface RenderRules {
  /** `null` is ignored; in prompt-tsx it is a TypeError. */
  readonly allowsNull: boolean;
  /** Props are copied before children are added to them. */
  readonly copiesProps: boolean;
  /** Layout counts line breaks, images, documents, opaque parts, tool messages and embedded JSON. */
  readonly countsAll: boolean;
  /** Opaque parts count their declared usage in layout, messages and bounds alike. */
  readonly countsOpaqueOnce: boolean;
  /** When a message with calls is pruned, so are the results kept with them; not only the other way round. */
  readonly tiesResultsToCalls: boolean;
  /** A message is counted again after one of its calls was removed. */
  readonly recountsCalls: boolean;
  /** The alternative of `IfEmpty` is inserted when the content is pruned. */
  readonly revivesAlternatives: boolean;
  /** A grown element keeps its name and priority. */
  readonly grownKeepsPlace: boolean;
  /** An empty prompt is an error. */
  readonly refusesEmpty: boolean;
  /** Empty messages, which are not sent, count nothing. */
  readonly countsOnlySent: boolean;
  /** A removed breakpoint no longer protects anything, and skipped candidates may be pruned. */
  readonly protectionEnds: boolean;
  /** `as-original` throws like prompt-tsx. */
  readonly breakpoints: BreakpointPolicy | 'as-original';
  /** JSON keeps calls, ids, limits, breakpoints, scopes and metadata. */
  readonly losslessJSON: boolean;
}

/** The behavior of prompt-tsx, down to ties. */
export const compatRules: RenderRules = {
  allowsNull: false,
  copiesProps: false,
  countsAll: false,
  countsOpaqueOnce: false,
  tiesResultsToCalls: false,
  recountsCalls: false,
  revivesAlternatives: false,
  grownKeepsPlace: false,
  refusesEmpty: false,
  countsOnlySent: false,
  protectionEnds: false,
  breakpoints: 'as-original',
  losslessJSON: false,
};

/** Our behavior. */
export function ownRules({
  breakpoints = 'prune-after',
}: {
  readonly breakpoints?: BreakpointPolicy;
} = {}): RenderRules {
  return {
    allowsNull: true,
    copiesProps: true,
    countsAll: true,
    countsOpaqueOnce: true,
    tiesResultsToCalls: true,
    recountsCalls: true,
    revivesAlternatives: true,
    grownKeepsPlace: true,
    refusesEmpty: true,
    countsOnlySent: true,
    protectionEnds: true,
    breakpoints,
    losslessJSON: true,
  };
}
