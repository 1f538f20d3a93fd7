import type { PromptElement } from '../element.ts';
import { AbstractKeepWith } from '../elements/keep-with.ts';
import { Document, Image } from '../elements/media.ts';
import { BaseChatMessage, isChatMessagePromptElement, ToolMessage } from '../elements/messages.ts';
import { oneLeaf } from '../elements/text-chunk.ts';
import { Chunk, Expandable, IfEmpty, LegacyPrioritization, TokenLimit } from '../elements/wrappers.ts';

/** Pruning behavior of a container, as bits; the numbers are used in JSON and are stable. */
export const containerFlags = { legacy: 1, chunk: 2, passPriority: 4, emptyAlternate: 8 } as const;

/** What the renderer needs to know about an element class. */
export interface ElementKind {
  readonly flags: number;
  readonly isMessage: boolean;
  /** A system, user or assistant message. */
  readonly isChatMessage: boolean;
  readonly isTool: boolean;
  readonly isLimit: boolean;
  readonly isExpandable: boolean;
  readonly isImage: boolean;
  readonly isDocument: boolean;
  readonly isKeepWith: boolean;
}

/** Inspects one element per class. */
export class Kinds {
  readonly #known = new Map<unknown, ElementKind>();

  of(element: PromptElement<never, never>): ElementKind {
    const known = this.#known.get(element.constructor);
    if (known) return known;
    const kind = kindOf(element);
    this.#known.set(element.constructor, kind);
    return kind;
  }
}

function kindOf(element: unknown): ElementKind {
  const flags =
    (element instanceof LegacyPrioritization ? containerFlags.legacy : 0) |
    (element instanceof Chunk ? containerFlags.chunk : 0) |
    (element instanceof IfEmpty ? containerFlags.emptyAlternate : 0);
  return {
    flags,
    isMessage: element instanceof BaseChatMessage,
    isChatMessage: isChatMessagePromptElement(element),
    isTool: element instanceof ToolMessage,
    isLimit: element instanceof TokenLimit,
    isExpandable: element instanceof Expandable,
    isImage: element instanceof Image,
    isDocument: element instanceof Document,
    isKeepWith: element instanceof AbstractKeepWith,
  };
}

/** Whether the content of this class becomes one leaf. */
export function isOneLeaf(ctor: unknown): boolean {
  return typeof ctor === 'function' && Object.hasOwn(ctor, oneLeaf);
}
