/**
 * Elements as JSON: what a tool renders in one process and a prompt embeds in another. The numbers are those of prompt-tsx
 * and stay; readers skip kinds of nodes that they do not know.
 */
import type {
  ChatDocumentContext,
  ReferenceAnchor,
  PromptReferenceJSON as ReferenceJSON,
} from './results/reference.ts';
import type { UriComponents } from './results/uri.ts';

/** The kinds of nodes. */
export const PromptNodeType = { Piece: 1, Text: 2, Opaque: 3, Breakpoint: 4 } as const;
export type PromptNodeType = PromptNodeJSON['type'];
export declare namespace PromptNodeType {
  type Piece = 1;
  type Text = 2;
  type Opaque = 3;
  type Breakpoint = 4;
}

/** The kinds of elements that are told apart. */
export const PieceCtorKind = { BaseChatMessage: 1, Other: 2, ImageChatMessage: 3, DocumentChatMessage: 4 } as const;
export type PieceCtorKind = PieceJSON['ctor'];
export declare namespace PieceCtorKind {
  type BaseChatMessage = 1;
  type Other = 2;
  type ImageChatMessage = 3;
  type DocumentChatMessage = 4;
}

/** A reference as JSON. */
export type PromptReferenceJSON = ReferenceJSON;
/** An address, or a place in a file, as JSON. */
export type UriOrLocationJSON = Exclude<ReferenceAnchor, { variableName: string }>;

/** The props that are kept of every element. */
export const jsonRetainedProps = ['flexBasis', 'flexGrow', 'flexReserve', 'passPriority', 'priority'] as const;

/** A text, with the line break before it. */
export interface TextJSON {
  type: PromptNodeType.Text;
  text: string;
  priority: number | undefined;
  references: PromptReferenceJSON[] | undefined;
  lineBreakBefore: boolean | undefined;
}

/** A value for the output as it is. */
export interface OpaqueJSON {
  type: PromptNodeType.Opaque;
  tokenUsage?: number | undefined;
  value: unknown;
  priority?: number | undefined;
  scope?: number | undefined;
}

/** Ours: prompt-tsx leaves breakpoints out, and skips them when it reads. */
export interface BreakpointJSON {
  type: PromptNodeType.Breakpoint;
  cacheType?: string | undefined;
}

interface CommonPieceJSON {
  type: PromptNodeType.Piece;
  children: PromptNodeJSON[];
  references: PromptReferenceJSON[] | undefined;
  ctorName?: string | undefined;
  flags?: number;
  /** Ours: what a `TokenLimit` allows. */
  max?: number;
  /** Ours: metadata that says how it is written, with the place it survives with. */
  metadata?: MetadataJSON[];
}

/** A message, or an element that is neither an image nor a document. */
export interface BasePieceJSON extends CommonPieceJSON {
  ctor: PieceCtorKind.BaseChatMessage | PieceCtorKind.Other;
  props: Record<string, unknown>;
  keepWithId?: number;
  /** Ours: there is no element around the children; they are read as children of where they are embedded. */
  isFragment?: true;
}

/** An image. */
export interface ImageChatMessagePieceJSON extends CommonPieceJSON {
  ctor: PieceCtorKind.ImageChatMessage;
  props: { src: string; detail?: 'low' | 'high' | 'auto'; mimeType?: string };
}

/** A document. */
export interface DocumentChatMessagePieceJSON extends CommonPieceJSON {
  ctor: PieceCtorKind.DocumentChatMessage;
  props: { data: string; mediaType: string };
}

/** Metadata by the name of its class, with what its `toJSON` or its members say. */
export interface MetadataJSON {
  name: string;
  value: unknown;
}

/** An element with what stands in it. */
export type PieceJSON = BasePieceJSON | ImageChatMessagePieceJSON | DocumentChatMessagePieceJSON;
/** Anything that stands in the JSON of an element. */
export type PromptNodeJSON = PieceJSON | TextJSON | OpaqueJSON | BreakpointJSON;

/** An element that was rendered to JSON, to be embedded with `elementJSON`. */
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
