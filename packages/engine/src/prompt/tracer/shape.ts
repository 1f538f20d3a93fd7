// Data of the page. Page and tracer share only these types.

/** A render of a prompt, for the page. */
export interface PagePrompt {
  readonly title: string;
  /** The budget of the layout, which determined the shares. */
  readonly budget: number;
  /** Token count before pruning. */
  readonly whole: number;
  /** Whether a server renders any budget; otherwise only the budgets in the page are available. */
  readonly isLive: boolean;
  readonly epochs: readonly PageEpoch[];
}

/** A node of the tree; parents come before children. */
export interface PageNode {
  readonly key: number;
  readonly parent: number | null;
  readonly kind: PageNodeKind;
  /** Id of the element, used by epochs and limits. */
  readonly id?: number;
  /** Label: class of an element, role of a message. */
  readonly name: string;
  /** Absent if unset: the highest. */
  readonly priority?: number;
  /** Count of a message as sent, of a leaf alone, or their sum. */
  readonly tokens: number;
  /** Start of a text, and its full length. */
  readonly text?: string;
  readonly length?: number;
  /** Further properties: `chunk`, `limit 500`, `flexGrow 1`. */
  readonly marks?: readonly string[];
}

export type PageNodeKind = 'element' | 'message' | 'text' | 'image' | 'document' | 'opaque' | 'breakpoint';

/** A flex group that rendered. */
export interface PageEpoch {
  /** Id of the container. */
  readonly in?: number;
  readonly flexGrow: number;
  readonly budget: number;
  readonly reserved: number;
  /** Ids of the elements with their shares. */
  readonly shares: readonly (readonly [id: number, budget: number])[];
}

/** Why a node was pruned. */
export const reasons = ['priority', 'keep-with', 'emptied'] as const;

/** The tree at a budget, as a difference to the whole. */
export interface PageRender {
  readonly budget: number;
  readonly tokens: number;
  /** Pruned nodes in order: key, index into `reasons`, id of the container that was over its limit. */
  readonly gone: readonly (readonly [key: number, reason: number, limit: number])[];
  /** Nodes that were replaced. */
  readonly replaced: readonly number[];
  /** Nodes that exist only at this budget: grown elements and alternatives. `after` is the preceding sibling. */
  readonly added: readonly (PageNode & { readonly after: number | null })[];
  /** Why the prompt does not fit this budget. */
  readonly failure?: string;
}
