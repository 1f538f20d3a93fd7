// What stands in the page beside its code. Both sides share these types and nothing else.

/** A render of a prompt, as the page shows it. */
export interface PagePrompt {
  readonly title: string;
  /** What the prompt was laid out for; the shares are those of this budget. */
  readonly budget: number;
  /** What everything counts before anything goes. */
  readonly whole: number;
  /** Whether a server answers for any budget; otherwise the page has the renders that are in it. */
  readonly isLive: boolean;
  readonly epochs: readonly PageEpoch[];
}

/** A node of the tree, parents before children. */
export interface PageNode {
  readonly key: number;
  readonly parent: number | null;
  readonly kind: NodeKind;
  /** The id of the element, by which epochs and limits name it. */
  readonly id?: number;
  /** What to call it: the class of an element, the role of a message. */
  readonly name: string;
  /** Absent where none was set: then nothing is more important. */
  readonly priority?: number;
  /** What a message counts as it is sent, what a leaf counts by itself, and the sum of either. */
  readonly tokens: number;
  /** The beginning of a text, and how long all of it is. */
  readonly text?: string;
  readonly length?: number;
  /** What else was said of it: `chunk`, `limit 500`, `flexGrow 1`. */
  readonly marks?: readonly string[];
}

export type NodeKind = 'element' | 'message' | 'text' | 'image' | 'document' | 'opaque' | 'breakpoint';

/** A flex group that rendered. */
export interface PageEpoch {
  /** The id of the container. */
  readonly in?: number;
  readonly flexGrow: number;
  readonly budget: number;
  readonly reserved: number;
  /** The ids of the elements, and what each was told it has. */
  readonly shares: readonly (readonly [id: number, budget: number])[];
}

/** Why a node went. */
export const reasons = ['priority', 'keep-with', 'emptied'] as const;

/** The tree at a budget, as far as it differs from the whole. */
export interface PageRender {
  readonly budget: number;
  readonly tokens: number;
  /** What went, in order: its key, the place of the reason in `reasons`, the id of the container that was too large. */
  readonly gone: readonly (readonly [key: number, reason: number, limit: number])[];
  /** What is not there because something else is in its place. */
  readonly replaced: readonly number[];
  /** What is there only at this budget: what grew, or stands in for what went. `after` is the sibling before it. */
  readonly added: readonly (PageNode & { readonly after: number | null })[];
  /** Why there is no prompt at this budget. */
  readonly failure?: string;
}
