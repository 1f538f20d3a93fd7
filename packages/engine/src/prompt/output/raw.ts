/** The messages a render makes, before they take the form of an API. Numbers are those of prompt-tsx. */
import type { OutputMode } from './mode.ts';

export type ChatMessage = AssistantChatMessage | SystemChatMessage | UserChatMessage | ToolChatMessage;

/** Who speaks. */
export const ChatRole = {
  System: 0,
  User: 1,
  Assistant: 2,
  Tool: 3,

  /** The role's name in small letters. */
  display(role: ChatRole): string {
    const name = ['system', 'user', 'assistant', 'tool'][role];
    if (name === undefined) throw new Error(`unknown chat role ${role}}`);
    return name;
  },
} as const;
export type ChatRole = 0 | 1 | 2 | 3;

/** The kinds of content. */
export const ChatCompletionContentPartKind = {
  Image: 0,
  Text: 1,
  Opaque: 2,
  CacheBreakpoint: 3,
  Document: 4,
} as const;
export type ChatCompletionContentPartKind = 0 | 1 | 2 | 3 | 4;

export interface BaseChatMessage {
  role: ChatRole;
  content: ChatCompletionContentPart[];
  name?: string;
}

export interface SystemChatMessage extends BaseChatMessage {
  role: 0;
}

export interface UserChatMessage extends BaseChatMessage {
  role: 1;
}

export interface AssistantChatMessage extends BaseChatMessage {
  role: 2;
  toolCalls?: ChatMessageToolCall[];
}

export interface ToolChatMessage extends BaseChatMessage {
  role: 3;
  toolCallId: string;
}

export type ChatCompletionContentPart =
  | ChatCompletionContentPartImage
  | ChatCompletionContentPartText
  | ChatCompletionContentPartOpaque
  | ChatCompletionContentPartCacheBreakpoint
  | ChatCompletionContentPartDocument;

export interface ChatCompletionContentPartImage {
  type: 0;
  imageUrl: ImageURLReference;
}

export interface ImageURLReference {
  /** An address, or the image itself as a data URL. */
  url: string;
  mediaType?: string;
  detail?: 'low' | 'high' | 'auto' | undefined;
}

export interface ChatCompletionContentPartText {
  type: 1;
  text: string;
}

export interface ChatCompletionContentPartOpaque {
  type: 2;
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
  type: 3;
  cacheType?: string | undefined;
}

export interface ChatCompletionContentPartDocument {
  type: 4;
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
