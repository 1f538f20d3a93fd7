/** The messages a render makes, before they take the form of an API. Numbers are those of prompt-tsx. */
import { enumeration } from './enumeration.ts';
import type { OutputMode } from './mode.ts';

export type ChatMessage = AssistantChatMessage | SystemChatMessage | UserChatMessage | ToolChatMessage;

/** Who speaks. */
export const ChatRole = Object.assign(enumeration({ System: 0, User: 1, Assistant: 2, Tool: 3 }), {
  /** The role's name in small letters. */
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

/** The kinds of content. */
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

export interface BaseChatMessage {
  role: ChatRole;
  content: ChatCompletionContentPart[];
  name?: string;
}

export interface SystemChatMessage extends BaseChatMessage {
  role: ChatRole.System;
}

export interface UserChatMessage extends BaseChatMessage {
  role: ChatRole.User;
}

export interface AssistantChatMessage extends BaseChatMessage {
  role: ChatRole.Assistant;
  toolCalls?: ChatMessageToolCall[];
}

export interface ToolChatMessage extends BaseChatMessage {
  role: ChatRole.Tool;
  toolCallId: string;
}

export type ChatCompletionContentPart =
  | ChatCompletionContentPartImage
  | ChatCompletionContentPartText
  | ChatCompletionContentPartOpaque
  | ChatCompletionContentPartCacheBreakpoint
  | ChatCompletionContentPartDocument;

export interface ChatCompletionContentPartImage {
  type: ChatCompletionContentPartKind.Image;
  imageUrl: ImageURLReference;
}

export interface ImageURLReference {
  /** An address, or the image itself as a data URL. */
  url: string;
  mediaType?: string;
  detail?: 'low' | 'high' | 'auto' | undefined;
}

export interface ChatCompletionContentPartText {
  type: ChatCompletionContentPartKind.Text;
  text: string;
}

export interface ChatCompletionContentPartOpaque {
  type: ChatCompletionContentPartKind.Opaque;
  value: unknown;
  /** What the value counts for; 0 if unset. */
  tokenUsage?: number | undefined;
  /** The output modes, as bits, in which the value can be used; all of them if unset. */
  scope?: number | undefined;
}

/** What an opaque part can be asked. */
export const ChatCompletionContentPartOpaque = {
  usableIn(part: ChatCompletionContentPartOpaque, mode: OutputMode): boolean {
    return !part.scope || (part.scope & mode) !== 0;
  },
} as const;

export interface ChatCompletionContentPartCacheBreakpoint {
  type: ChatCompletionContentPartKind.CacheBreakpoint;
  cacheType?: string | undefined;
}

export interface ChatCompletionContentPartDocument {
  type: ChatCompletionContentPartKind.Document;
  documentData: DocumentDataReference;
}

export interface DocumentDataReference {
  /** The document in base64. */
  data: string;
  mediaType: string;
}

export interface ChatMessageToolCall {
  id: string;
  function: ChatMessageFunction;
  type: 'function';
}

export interface ChatMessageFunction {
  /** JSON, as the model wrote it. */
  arguments: string;
  name: string;
}
