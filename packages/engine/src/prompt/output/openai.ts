/** Messages of OpenAI's chat completions. */

/** A message of any role. */
export type ChatMessage =
  | AssistantChatMessage
  | SystemChatMessage
  | UserChatMessage
  | ToolChatMessage
  | FunctionChatMessage;

/** Roles. */
export const ChatRole = {
  System: 'system',
  User: 'user',
  Assistant: 'assistant',
  Function: 'function',
  Tool: 'tool',
} as const;
export type ChatRole = ChatMessage['role'];
export declare namespace ChatRole {
  type System = 'system';
  type User = 'user';
  type Assistant = 'assistant';
  type Function = 'function';
  type Tool = 'tool';
}

/** A system message. */
export interface SystemChatMessage {
  role: ChatRole.System;
  content: string;
  name?: string | undefined;
}

/** A user message. */
export interface UserChatMessage {
  role: ChatRole.User;
  content: string | ChatCompletionContentPart[];
  name?: string | undefined;
}

/** An assistant message, with its tool calls. */
export interface AssistantChatMessage {
  role: ChatRole.Assistant;
  content: string;
  name?: string | undefined;
  tool_calls?: ChatMessageToolCall[] | undefined;
}

/** A tool result. */
export interface ToolChatMessage {
  role: ChatRole.Tool;
  tool_call_id?: string | undefined;
  content: string | ChatCompletionContentPart[];
}

/** A function result, the predecessor of tools. */
export interface FunctionChatMessage {
  role: ChatRole.Function;
  content: string;
  name: string;
}

/** A content part. */
export type ChatCompletionContentPart = ChatCompletionContentPartImage | ChatCompletionContentPartText;

/** An image by URL. */
export interface ChatCompletionContentPartImage {
  type: 'image_url';
  image_url: ChatCompletionContentPartImage.ImageURL;
}

export declare namespace ChatCompletionContentPartImage {
  interface ImageURL {
    /** A URL, or the image as a data URL. */
    url: string;
    detail?: 'low' | 'high' | 'auto' | undefined;
  }
}

/** A text. */
export interface ChatCompletionContentPartText {
  type: 'text';
  text: string;
}

/** A tool call. */
export interface ChatMessageToolCall {
  id: string;
  function: ChatMessageFunction;
  type: 'function';
}

/** The called tool and its arguments: JSON as the model wrote it. */
export interface ChatMessageFunction {
  arguments: string;
  name: string;
}

/** Fixed cost of a completion request, in tokens. */
export const BaseTokensPerCompletion = 3;
/** Fixed cost of a message, in tokens. */
export const BaseTokensPerMessage = 3;
/** Cost of a speaker's name, in tokens. */
export const BaseTokensPerName = 1;
