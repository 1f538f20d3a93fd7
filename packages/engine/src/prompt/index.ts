/**
 * Prompts as trees of elements that share a token budget: written in JSX, laid out by shares, pruned by priority to
 * fit.
 *
 * @module
 */

export type { CacheLimits } from '../message/index.ts';
export { ConversationHistory, type ConversationHistoryProps } from './agent/conversation-history.ts';
export { Environment, type EnvironmentProps } from './agent/environment.ts';
export { FileLines, type FileLinesProps } from './agent/file-lines.ts';
export { Instructions, type InstructionsProps } from './agent/instructions.ts';
export { ToolOutput, type ToolOutputProps } from './agent/tool-output.ts';
export { placeBreakpoints } from './breakpoints/place.ts';
export { commonPrefix, fingerprints } from './conversation/fingerprint.ts';
export { createPromptTokenizer } from './conversation/prompt-tokenizer.ts';
export type * from './element.ts';
export { PromptElement } from './element.ts';
export { type KeepWithCtor, useKeepWith } from './elements/keep-with.ts';
export { Document, type DocumentProps, Image, type ImageProps } from './elements/media.ts';
export {
  AssistantMessage,
  type AssistantMessageProps,
  type ChatMessagePromptElement,
  type ChatMessageProps,
  SystemMessage,
  type ToolCall,
  type ToolFunction,
  ToolMessage,
  type ToolMessageProps,
  UserMessage,
} from './elements/messages.ts';
export { PrioritizedList, type PrioritizedListProps } from './elements/prioritized-list.ts';
export { TextChunk, type TextChunkProps } from './elements/text-chunk.ts';
export { type IToolResultProps, ToolResult } from './elements/tool-result.ts';
export {
  Chunk,
  Expandable,
  type ExpandableProps,
  IfEmpty,
  type IfEmptyProps,
  TokenLimit,
  type TokenLimitProps,
} from './elements/wrappers.ts';
export { BudgetExceededError } from './errors.ts';
export type { FitReport, FitStep } from './fit-report.ts';
/**
 * The JSON form of elements.
 *
 * @example
 * JSONTree.forEachNode(json.node, (node) => node.type === JSONTree.PromptNodeType.Text && console.log(node.text));
 */
export * as JSONTree from './json-tree.ts';
export { Fragment, h, type JSX } from './jsx.ts';
export type { ModeToChatMessageType } from './output/mode.ts';
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
export { type RenderInput, type RenderResult, render, renderJSON } from './render.ts';
export type { RenderPromptResult } from './renderer.ts';
export { PromptMetadata } from './results/metadata.ts';
export type { ChatDocumentContext } from './results/reference.ts';
export type { UriComponents } from './results/uri.ts';
export type { BreakpointPolicy } from './rules.ts';
export type { ITokenizer } from './tokenizer.ts';
export type * from './trace.ts';
export { HTMLTracer, type IHTMLRouter, type IHTMLServer, type TraceServer } from './tracer/html-tracer.ts';
export type * from './tracer/tracer.ts';
export type { Branch, Leaf, TreeNode } from './tree/node.ts';
