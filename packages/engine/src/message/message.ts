import type { Json, JsonObject } from '../json.ts';

/** The four ways providers write a conversation. A dialect is also the name of its rules (see `check`). */
export type Dialect = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini';

/** All dialects, in the order in which they are listed to people. */
export const dialects: readonly Dialect[] = ['anthropic', 'openai-chat', 'openai-responses', 'gemini'];

export type Role = 'system' | 'user' | 'assistant' | 'tool';

/**
 * Who wrote a part. It decides authority: only what a human wrote can become a rule, an approval or a quotation of the user.
 * `engine` is everything that software put in without a human or a model writing it: system prompts, reminders,
 * environment blocks, results made up for calls that have none. `data` is what a human handed over without writing it: piped
 * input, mentioned files, attachments. It belongs to the human's message and has no authority of its own.
 */
export type Origin = 'human' | 'model' | 'tool' | 'engine' | 'data';

/**
 * One entry of a conversation, in no provider's words. Rounds and turns are derived from a list of messages
 * (see `turns`), never stored.
 */
export interface Message {
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly wire?: Wire;
}

export type Part = TextPart | ImagePart | DocumentPart | ThinkingPart | ToolCallPart | ToolResultPart | OpaquePart;

/** What may stand inside a tool result. */
export type ContentPart = TextPart | ImagePart | DocumentPart | OpaquePart;

/**
 * What the dialect a value came from said beyond the neutral model. It is given back when encoding to that dialect and
 * ignored otherwise. Code that changes a part's content must drop its `wire`.
 */
export interface Wire {
  readonly dialect: Dialect;
  /** Members the neutral model has no name for. */
  readonly fields?: JsonObject;
  /** Which of several equivalent ways of writing it was used, e.g. `string` for content that is not a list. */
  readonly form?: string;
  /** Metadata of a framework that carried the part (AI SDK's `providerMetadata`). Never encoded. */
  readonly metadata?: Readonly<Record<string, JsonObject>>;
}

interface PartBase {
  readonly origin: Origin;
  /** A cache breakpoint after this part. It moves from request to request and is no part of the content. */
  readonly cache?: CacheMark;
  readonly wire?: Wire;
}

export interface CacheMark {
  /** How long the provider is asked to keep the prefix, in its own words (`5m`, `1h`); absent means its default. */
  readonly ttl?: string;
}

export interface TextPart extends PartBase {
  readonly type: 'text';
  readonly text: string;
  /** The provider's proof that its model wrote this (Gemini signs text as well as calls). */
  readonly signature?: string;
}

export interface ImagePart extends PartBase {
  readonly type: 'image';
  readonly source: MediaSource;
  /** OpenAI's `low | high | auto`; it changes how many tokens the image costs. */
  readonly detail?: string;
}

export interface DocumentPart extends PartBase {
  readonly type: 'document';
  readonly source: MediaSource;
  readonly name?: string;
}

export type MediaSource =
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'url'; readonly url: string; readonly mediaType?: string }
  | { readonly kind: 'file'; readonly id: string }
  | { readonly kind: 'text'; readonly text: string };

/**
 * A model's reasoning. Signed or encrypted reasoning is bound to the provider that made it, so it is sent back only to
 * the dialect named in `wire`.
 */
export interface ThinkingPart extends PartBase {
  readonly type: 'thinking';
  readonly text: string;
  readonly signature?: string;
  /** Reasoning that only its provider can read. */
  readonly encrypted?: string;
}

export interface ToolCallPart extends PartBase {
  readonly type: 'tool_call';
  readonly id: string;
  readonly name: string;
  /** JSON text exactly as the model wrote it where the dialect keeps it; free text when `freeform`. */
  readonly arguments: string;
  /** The tool takes plain text, not JSON (OpenAI's custom tools). */
  readonly freeform?: true;
  readonly signature?: string;
}

export interface ToolResultPart extends PartBase {
  readonly type: 'tool_result';
  readonly callId: string;
  /** The tool's name where the dialect repeats it on the result. */
  readonly name?: string;
  readonly content: readonly ContentPart[];
  readonly isError?: true;
  /** The exit code of a command, where the log records it apart from the text. No provider is sent it. */
  readonly exit?: number;
}

/** Something the neutral model does not know. It survives untouched and is sent back to its own dialect only. */
export interface OpaquePart extends PartBase {
  readonly type: 'opaque';
  readonly dialect: Dialect;
  /** The provider's name for it, e.g. `server_tool_use`, `item_reference`, `compaction`. */
  readonly kind: string;
  readonly value: Json;
  /** The provider that made it, where only that one can read it: a compaction. */
  readonly by?: string;
}

/** A tool the model may call. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. The order of its members is kept: models write arguments in that order. */
  readonly inputSchema: JsonObject;
  /** A cache breakpoint after this tool; only for dialects that have them. */
  readonly cache?: CacheMark;
}

/** What one request says: the head (system and instructions), the messages after it, the tools on offer. */
export interface Conversation {
  readonly head: readonly Message[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
}
