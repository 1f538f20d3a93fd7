/** What to do when what should go is protected by a cache breakpoint. */
export type BreakpointPolicy =
  /** Only what stands after the last breakpoint goes; if that is not enough, an error says so. */
  | 'prune-after'
  /** The same; if that is not enough, the last breakpoint is given up, then the one before it. */
  | 'drop-breakpoint'
  /** As soon as the next to go is protected, an error says so: the caller compacts instead. */
  | 'escalate';

/** Where the two entries differ. Everything else is the same code. */
export interface Rules {
  /** `null` is nothing; in prompt-tsx it is a TypeError. */
  readonly allowsNull: boolean;
  /** Props are copied before children are written to them. */
  readonly copiesProps: boolean;
  /** Layout counts line breaks, images, documents, opaque parts, tool messages and embedded JSON. */
  readonly countsAll: boolean;
  /** What opaque parts say they use is what they count, in layout, messages and bounds alike. */
  readonly countsOpaqueOnce: boolean;
  /** When a message with calls goes, so do the results that are kept with them; not only the other way round. */
  readonly tiesResultsToCalls: boolean;
  /** A message from which a call went is counted again. */
  readonly recountsCalls: boolean;
  /** The alternative of `IfEmpty` comes in when what it stands for is pruned. */
  readonly revivesAlternatives: boolean;
  /** An element that grew keeps its name and priority. */
  readonly grownKeepsPlace: boolean;
  /** If nothing is left, that is an error. */
  readonly refusesEmpty: boolean;
  /** Messages that are not sent, as nothing is in them, count nothing. */
  readonly countsOnlySent: boolean;
  /** A breakpoint that went protects nothing any more, and what was passed over for it may go. */
  readonly protectionEnds: boolean;
  /** `as-original` throws where prompt-tsx does. */
  readonly breakpoints: BreakpointPolicy | 'as-original';
  /** JSON keeps calls, ids, limits, breakpoints, scopes and metadata. */
  readonly losslessJSON: boolean;
}

/** Those of prompt-tsx, to the last tie. */
export const compatRules: Rules = {
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

/** Ours. */
export function ownRules({ breakpoints = 'prune-after' }: { readonly breakpoints?: BreakpointPolicy } = {}): Rules {
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
