/**
 * Elements as JSON: what a tool renders in one process and a prompt embeds in another. The numbers are those of prompt-tsx
 * and stay; readers skip kinds of nodes that they do not know.
 */
import type { ChatDocumentContext } from '../jsx.ts';
import type { ReferenceAnchor, PromptReferenceJSON as ReferenceJSON } from '../results/reference.ts';
import type { UriComponents } from '../results/uri.ts';

export const PromptNodeType = { Piece: 1, Text: 2, Opaque: 3, Breakpoint: 4 } as const;
export const PieceCtorKind = { BaseChatMessage: 1, Other: 2, ImageChatMessage: 3, DocumentChatMessage: 4 } as const;

export type PromptReferenceJSON = ReferenceJSON;
export type UriOrLocationJSON = Exclude<ReferenceAnchor, { variableName: string }>;

/** The props that are kept of every element. */
export const jsonRetainedProps = ['flexBasis', 'flexGrow', 'flexReserve', 'passPriority', 'priority'] as const;

export interface TextJSON {
  type: 2;
  text: string;
  priority: number | undefined;
  references: PromptReferenceJSON[] | undefined;
  lineBreakBefore: boolean | undefined;
}

export interface OpaqueJSON {
  type: 3;
  tokenUsage?: number | undefined;
  value: unknown;
  priority?: number | undefined;
  scope?: number | undefined;
}

/** Ours: prompt-tsx leaves breakpoints out, and skips them when it reads. */
export interface BreakpointJSON {
  type: 4;
  cacheType?: string | undefined;
}

interface CommonPieceJSON {
  type: 1;
  children: PromptNodeJSON[];
  references: PromptReferenceJSON[] | undefined;
  ctorName?: string | undefined;
  flags?: number;
  /** Ours: what a `TokenLimit` allows. */
  max?: number;
  /** Ours: metadata that says how it is written, with the place it survives with. */
  metadata?: MetadataJSON[];
}

export interface BasePieceJSON extends CommonPieceJSON {
  ctor: 1 | 2;
  props: Record<string, unknown>;
  keepWithId?: number;
  /** Ours: there is no element around the children; they are read as children of where they are embedded. */
  isFragment?: true;
}

export interface ImageChatMessagePieceJSON extends CommonPieceJSON {
  ctor: 3;
  props: { src: string; detail?: 'low' | 'high' | 'auto'; mimeType?: string };
}

export interface DocumentChatMessagePieceJSON extends CommonPieceJSON {
  ctor: 4;
  props: { data: string; mediaType: string };
}

/** Metadata by the name of its class, with what its `toJSON` or its members say. */
export interface MetadataJSON {
  name: string;
  value: unknown;
}

export type PieceJSON = BasePieceJSON | ImageChatMessagePieceJSON | DocumentChatMessagePieceJSON;
export type PromptNodeJSON = PieceJSON | TextJSON | OpaqueJSON | BreakpointJSON;

export interface PromptElementJSON {
  node: PieceJSON;
  /** Ours: metadata of the prompt as a whole, which stays when the element is pruned. */
  metadata?: MetadataJSON[];
  /** Ours: what the element said about its sources. */
  usedContext?: readonly ChatDocumentContext[];
  ignoredFiles?: readonly UriComponents[];
}

/**
 * Calls a function for every node of an element's JSON, parents first.
 *
 * @example
 * forEachNode(json.node, (node) => console.log(node.type));
 */
export function forEachNode(node: PromptNodeJSON, visit: (node: PromptNodeJSON) => void): void {
  visit(node);
  if (node.type === PromptNodeType.Piece) for (const child of node.children) forEachNode(child, visit);
}
