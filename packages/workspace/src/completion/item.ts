/** A piece of context for a completion. */
export interface CompletionItem {
  readonly kind:
    | 'expression'
    | 'local'
    | 'inherited'
    | 'trait'
    | 'blueprint'
    | 'property'
    | 'import'
    | 'neighbor'
    | 'similar'
    | 'global';
  /** From 0 to 1; 0.7 and higher is mandatory. */
  readonly priority: number;
  /** From the root; absent where the piece is of no file. */
  readonly path?: string;
  readonly text: string;
  /** Why it is there, for people. */
  readonly reason: string;
}

/** How much each kind counts. */
export const priorities: Readonly<Record<CompletionItem['kind'], number>> = {
  expression: 1,
  local: 0.9,
  inherited: 0.8,
  trait: 0.7,
  blueprint: 0.6,
  property: 0.5,
  import: 0.4,
  neighbor: 0.3,
  similar: 0.25,
  global: 0.2,
};
