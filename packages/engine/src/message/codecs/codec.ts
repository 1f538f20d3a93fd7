import type { Json, JsonObject } from '../../json.ts';
import type { Dialect, Message, ToolDefinition } from '../message.ts';

/**
 * One provider's way of writing a conversation, both ways, without effects.
 *
 * - `encode(decode(items))` is deep-equal to `items`, whatever they hold: unknown members and kinds ride along.
 * - Equal messages have equal bytes: `JSON.stringify(encode(a)) === JSON.stringify(encode(b))`.
 * - What was encoded stays when more is appended: the items of a prefix are a prefix of the items, as long as a batch
 *   of tool results is not cut in two.
 */
export interface Codec {
  readonly dialect: Dialect;
  /** The member of a request body that holds the items. */
  readonly itemsKey: 'messages' | 'input' | 'contents';
  /** Takes whatever JSON a client sent, so also the types of the official SDKs. */
  decode(items: readonly unknown[]): Message[];
  encode(messages: readonly Message[]): Json[];
  /** The head as members of the request body (`system`, `instructions`, …), or as leading items where it lives there. */
  readHead(body: JsonObject): Message[];
  writeHead(head: readonly Message[]): { readonly members: JsonObject; readonly items: Json[] };
  readTools(body: JsonObject): ToolDefinition[];
  writeTools(tools: readonly ToolDefinition[]): JsonObject;
}
