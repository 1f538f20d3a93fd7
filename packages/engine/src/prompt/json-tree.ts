/**
 * Elements as JSON: rendered by a tool in one process and embedded by a prompt in another. The numbers are those of
 * prompt-tsx and are stable; readers skip unknown node types.
 */
import type {
  ChatDocumentContext,
  ReferenceAnchor,
  PromptReferenceJSON as ReferenceJSON,
} from './results/reference.ts';
import type { UriComponents } from './results/uri.ts';

/** Node types. */
export const PromptNodeType = { Piece: 1, Text: 2, Opaque: 3, Breakpoint: 4 } as const;
export type PromptNodeType = PromptNodeJSON['type'];
export declare namespace PromptNodeType {
  type Piece = 1;
  type Text = 2;
  type Opaque = 3;
  type Breakpoint = 4;
}

/** Element types that are distinguished. */
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
/** A URI, or a location in a file, as JSON. */
export type UriOrLocationJSON = Exclude<ReferenceAnchor, { variableName: string }>;

/** Props that are kept for every element. */
export const jsonRetainedProps = ['flexBasis', 'flexGrow', 'flexReserve', 'passPriority', 'priority'] as const;

/** A text, with the line break before it. */
export interface TextJSON {
  type: PromptNodeType.Text;
  text: string;
  priority: number | undefined;
  references: PromptReferenceJSON[] | undefined;
  lineBreakBefore: boolean | undefined;
}

/** A value that is passed to the output unchanged. */
export interface OpaqueJSON {
  type: PromptNodeType.Opaque;
  tokenUsage?: number | undefined;
  value: unknown;
  priority?: number | undefined;
  scope?: number | undefined;
}

/** Extension: prompt-tsx omits breakpoints, and skips them when reading. */
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
  /** Extension: the `max` of a `TokenLimit`. */
  max?: number;
  /** Extension: serializable metadata of this node. */
  metadata?: MetadataJSON[];
}

/** A message, or an element that is neither an image nor a document. */
export interface BasePieceJSON extends CommonPieceJSON {
  ctor: PieceCtorKind.BaseChatMessage | PieceCtorKind.Other;
  props: Record<string, unknown>;
  keepWithId?: number;
  /** Extension: there is no element around the children; they become children of the embedding node. */
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

/** Metadata by class name, with the value of its `toJSON` or its members. */
export interface MetadataJSON {
  name: string;
  value: unknown;
}

/** An element with its children. */
export type PieceJSON = BasePieceJSON | ImageChatMessagePieceJSON | DocumentChatMessagePieceJSON;
/** Any node in the JSON of an element. */
export type PromptNodeJSON = PieceJSON | TextJSON | OpaqueJSON | BreakpointJSON;

/** An element rendered to JSON, to be embedded with `elementJSON`. */
export interface PromptElementJSON {
  node: PieceJSON;
  /** Extension: metadata of the prompt as a whole, which is kept when the element is pruned. */
  metadata?: MetadataJSON[];
  /** Extension: the sources of the element. */
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
