/** The messages of a render, before conversion to the format of an API. Numbers are those of prompt-tsx. */
import { enumeration } from './enumeration.ts';
import type { OutputMode } from './mode.ts';

/** A message of any role. */
export type ChatMessage = AssistantChatMessage | SystemChatMessage | UserChatMessage | ToolChatMessage;

/** Roles. */
export const ChatRole = Object.assign(enumeration({ System: 0, User: 1, Assistant: 2, Tool: 3 }), {
  /** The role's name in lower case. */
  display(role: ChatRole): string {
    const name = ['system', 'user', 'assistant', 'tool'][role];
    if (name === undefined) throw new Error(`unknown chat role ${role}}`);
    return name;
  },
});
export type ChatRole = ChatRole.System | ChatRole.User | ChatRole.Assistant | ChatRole.Tool;
export declare namespace ChatRole {
  type System = 0;
  type User = 1;
  type Assistant = 2;
  type Tool = 3;
}

/** Kinds of content. */
export const ChatCompletionContentPartKind = enumeration({
  Image: 0,
  Text: 1,
  Opaque: 2,
  CacheBreakpoint: 3,
  Document: 4,
});
export type ChatCompletionContentPartKind = ChatCompletionContentPart['type'];
export declare namespace ChatCompletionContentPartKind {
  type Image = 0;
  type Text = 1;
  type Opaque = 2;
  type CacheBreakpoint = 3;
  type Document = 4;
}

/** Common fields of messages. */
export interface BaseChatMessage {
  role: ChatRole;
  content: ChatCompletionContentPart[];
  name?: string;
}

/** A system message. */
export interface SystemChatMessage extends BaseChatMessage {
  role: ChatRole.System;
}

/** A user message. */
export interface UserChatMessage extends BaseChatMessage {
  role: ChatRole.User;
}

/** An assistant message, with its tool calls. */
export interface AssistantChatMessage extends BaseChatMessage {
  role: ChatRole.Assistant;
  toolCalls?: ChatMessageToolCall[];
}

/** A tool result, with the id of its call. */
export interface ToolChatMessage extends BaseChatMessage {
  role: ChatRole.Tool;
  toolCallId: string;
}

/** A content part. */
export type ChatCompletionContentPart =
  | ChatCompletionContentPartImage
  | ChatCompletionContentPartText
  | ChatCompletionContentPartOpaque
  | ChatCompletionContentPartCacheBreakpoint
  | ChatCompletionContentPartDocument;

/** An image. */
export interface ChatCompletionContentPartImage {
  type: ChatCompletionContentPartKind.Image;
  imageUrl: ImageURLReference;
}

/** The URL of an image, and the level of detail. */
export interface ImageURLReference {
  /** A URL, or the image as a data URL. */
  url: string;
  mediaType?: string;
  detail?: 'low' | 'high' | 'auto' | undefined;
}

/** A text. */
export interface ChatCompletionContentPartText {
  type: ChatCompletionContentPartKind.Text;
  text: string;
}

/** An opaque value. */
export interface ChatCompletionContentPartOpaque {
  type: ChatCompletionContentPartKind.Opaque;
  value: unknown;
  /** Declared token usage; default: 0. */
  tokenUsage?: number | undefined;
  /** Output modes, as bits, in which the value is used; default: all. */
  scope?: number | undefined;
}

/** Helpers for opaque parts. */
export const ChatCompletionContentPartOpaque = {
  usableIn(part: ChatCompletionContentPartOpaque, mode: OutputMode): boolean {
    return !part.scope || (part.scope & mode) !== 0;
  },
} as const;

/** Marks where a provider may cache the prefix. */
export interface ChatCompletionContentPartCacheBreakpoint {
  type: ChatCompletionContentPartKind.CacheBreakpoint;
  cacheType?: string | undefined;
}

/** A document, such as a PDF. */
export interface ChatCompletionContentPartDocument {
  type: ChatCompletionContentPartKind.Document;
  documentData: DocumentDataReference;
}

/** A document and its type. */
export interface DocumentDataReference {
  /** The document in base64. */
  data: string;
  mediaType: string;
}

/** A tool call. */
export interface ChatMessageToolCall {
  id: string;
  function: ChatMessageFunction;
  type: 'function';
}

/** The called tool and its arguments. */
export interface ChatMessageFunction {
  /** JSON as the model wrote it. */
  arguments: string;
  name: string;
}
