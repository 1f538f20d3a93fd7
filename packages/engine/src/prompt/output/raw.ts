/** The messages a render makes, before they take the form of an API. Numbers are those of prompt-tsx. */
import { enumeration } from './enumeration.ts';
import type { OutputMode } from './mode.ts';

/** A message of any role. */
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

/** What every message has. */
export interface BaseChatMessage {
  role: ChatRole;
  content: ChatCompletionContentPart[];
  name?: string;
}

/** What the model is told before anyone speaks. */
export interface SystemChatMessage extends BaseChatMessage {
  role: ChatRole.System;
}

/** What the user says. */
export interface UserChatMessage extends BaseChatMessage {
  role: ChatRole.User;
}

/** What the model said, and which tools it called. */
export interface AssistantChatMessage extends BaseChatMessage {
  role: ChatRole.Assistant;
  toolCalls?: ChatMessageToolCall[];
}

/** What a tool answered, and to which call. */
export interface ToolChatMessage extends BaseChatMessage {
  role: ChatRole.Tool;
  toolCallId: string;
}

/** A piece of a message's content. */
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

/** Where an image is, and how closely to look at it. */
export interface ImageURLReference {
  /** An address, or the image itself as a data URL. */
  url: string;
  mediaType?: string;
  detail?: 'low' | 'high' | 'auto' | undefined;
}

/** A text. */
export interface ChatCompletionContentPartText {
  type: ChatCompletionContentPartKind.Text;
  text: string;
}

/** A value that no one here looks into. */
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

/** Where a provider may cache what comes before. */
export interface ChatCompletionContentPartCacheBreakpoint {
  type: ChatCompletionContentPartKind.CacheBreakpoint;
  cacheType?: string | undefined;
}

/** A document, such as a PDF. */
export interface ChatCompletionContentPartDocument {
  type: ChatCompletionContentPartKind.Document;
  documentData: DocumentDataReference;
}

/** A document and its kind. */
export interface DocumentDataReference {
  /** The document in base64. */
  data: string;
  mediaType: string;
}

/** A call of a tool. */
export interface ChatMessageToolCall {
  id: string;
  function: ChatMessageFunction;
  type: 'function';
}

/** Which tool is called, and with what. */
export interface ChatMessageFunction {
  /** JSON, as the model wrote it. */
  arguments: string;
  name: string;
}
