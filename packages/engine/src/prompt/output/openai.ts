/** Messages as OpenAI's chat completions take them. */

/** A message of any role. */
export type ChatMessage =
  | AssistantChatMessage
  | SystemChatMessage
  | UserChatMessage
  | ToolChatMessage
  | FunctionChatMessage;

/** Who speaks. */
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

/** What the model is told before anyone speaks. */
export interface SystemChatMessage {
  role: ChatRole.System;
  content: string;
  name?: string | undefined;
}

/** What the user says. */
export interface UserChatMessage {
  role: ChatRole.User;
  content: string | ChatCompletionContentPart[];
  name?: string | undefined;
}

/** What the model said, and which tools it called. */
export interface AssistantChatMessage {
  role: ChatRole.Assistant;
  content: string;
  name?: string | undefined;
  tool_calls?: ChatMessageToolCall[] | undefined;
}

/** What a tool answered. */
export interface ToolChatMessage {
  role: ChatRole.Tool;
  tool_call_id?: string | undefined;
  content: string | ChatCompletionContentPart[];
}

/** What a function answered, before there were tools. */
export interface FunctionChatMessage {
  role: ChatRole.Function;
  content: string;
  name: string;
}

/** A piece of a message's content. */
export type ChatCompletionContentPart = ChatCompletionContentPartImage | ChatCompletionContentPartText;

/** An image by its address. */
export interface ChatCompletionContentPartImage {
  type: 'image_url';
  image_url: ChatCompletionContentPartImage.ImageURL;
}

export declare namespace ChatCompletionContentPartImage {
  interface ImageURL {
    /** An address, or the image itself as a data URL. */
    url: string;
    detail?: 'low' | 'high' | 'auto' | undefined;
  }
}

/** A text. */
export interface ChatCompletionContentPartText {
  type: 'text';
  text: string;
}

/** A call of a tool. */
export interface ChatMessageToolCall {
  id: string;
  function: ChatMessageFunction;
  type: 'function';
}

/** Which tool is called, and with what: the arguments are JSON, as the model wrote them. */
export interface ChatMessageFunction {
  arguments: string;
  name: string;
}

/** What a completion request costs before anything stands in it. */
export const BaseTokensPerCompletion = 3;
/** What a message costs before anything stands in it. */
export const BaseTokensPerMessage = 3;
/** What the name of a speaker costs. */
export const BaseTokensPerName = 1;
