/**
 * A drop-in replacement for `@vscode/prompt-tsx`: an existing prompt renders to the same messages after changing the
 * import. Bugs of that package are reproduced; `longhaul/prompt` fixes them.
 *
 * @module
 */
import * as factory from './compat/factory.ts';

export { PrioritizedList, TextChunk } from './compat/elements.ts';
export { vscpp, vscppf } from './compat/factory.ts';
export type { PromptElementCtor, PromptPiece } from './compat/piece.ts';
export { PromptRenderer, type QueueItem } from './compat/prompt-renderer.ts';
export { type CountingModel, contentType, renderElementJSON, renderPrompt } from './compat/render.ts';
export { CountMemory } from './count/memory.ts';
export type * from './element.ts';
export { PromptElement } from './element.ts';
export { AbstractKeepWith, type KeepWithCtor, useKeepWith } from './elements/keep-with.ts';
export { Document, type DocumentProps, Image, type ImageProps } from './elements/media.ts';
export {
  AssistantMessage,
  type AssistantMessageProps,
  BaseChatMessage,
  type ChatMessagePromptElement,
  type ChatMessageProps,
  isChatMessagePromptElement,
  SystemMessage,
  type ToolCall,
  type ToolFunction,
  ToolMessage,
  type ToolMessageProps,
  UserMessage,
} from './elements/messages.ts';
export type { PrioritizedListProps } from './elements/prioritized-list.ts';
export type { TextChunkProps } from './elements/text-chunk.ts';
export { type IToolResultProps, ToolResult } from './elements/tool-result.ts';
export {
  Chunk,
  Expandable,
  type ExpandableProps,
  IfEmpty,
  type IfEmptyProps,
  LegacyPrioritization,
  LogicalWrapper,
  TokenLimit,
  type TokenLimitProps,
} from './elements/wrappers.ts';
export { BudgetExceededError } from './errors.ts';
/**
 * The JSON form of elements.
 *
 * @example
 * JSONTree.forEachNode(json.node, (node) => node.type === JSONTree.PromptNodeType.Text && console.log(node.text));
 */
export * as JSONTree from './json-tree.ts';
export type { JSX } from './jsx.ts';
export { type ModeToChatMessageType, OutputMode, toMode, toOpenAI, toVSCode } from './output/mode.ts';
/**
 * Messages of OpenAI's chat completions.
 *
 * @example
 * const message: OpenAI.ChatMessage = { role: OpenAI.ChatRole.User, content: 'Hi' };
 */
export * as OpenAI from './output/openai.ts';
/**
 * Provider-independent messages of a render.
 *
 * @example
 * const message: Raw.ChatMessage = { role: Raw.ChatRole.User, content: [{ type: 1, text: 'Hi' }] };
 */
export * as Raw from './output/raw.ts';
export type { RenderPromptResult } from './renderer.ts';
export { MetadataMap, PromptMetadata } from './results/metadata.ts';
export type { ChatDocumentContext } from './results/reference.ts';
export { ChatResponseReferencePartStatusKind, PromptReference } from './results/reference.ts';
export type { ITokenizer } from './tokenizer.ts';
export type * from './trace.ts';
export { HTMLTracer, type IHTMLRouter, type IHTMLServer } from './tracer/html-tracer.ts';
export type * from './tracer/tracer.ts';

declare global {
  /** The factory of classic JSX in prompt-tsx. */
  var vscpp: factory.PieceFactory;
  /** The types of classic JSX, merged with the factory, where TypeScript looks for them. */
  namespace vscpp {
    namespace JSX {
      type Element = factory.PieceElement;
      type ElementType = factory.PieceElementType;
      type IntrinsicElements = factory.PieceIntrinsics;
      type ElementChildrenAttribute = factory.PieceChildrenAttribute;
      type LibraryManagedAttributes<C, P> = factory.PieceAttributes<C, P>;
    }
  }
  /** The fragment of classic JSX in prompt-tsx. */
  var vscppf: factory.PieceFragment;
}

Object.assign(globalThis, { vscpp: factory.vscpp, vscppf: factory.vscppf });
