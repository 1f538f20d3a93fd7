import { isArray, isObject, type Json, type JsonObject, without } from '../../json.ts';
import { codecs, type Message, type Part } from '../../message/index.ts';
import { isRedacted } from '../sanitize-text.ts';
import { attributed, type Witness } from './authors.ts';

/** What an item of the model's history is here. */
export type ReadItem =
  | { readonly message: Message; readonly details?: JsonObject }
  /** Something the model is not sent. */
  | 'note'
  /** Encrypted and then redacted by a filter, so it can no longer be decrypted. */
  | 'spoilt';

/**
 * An item of the Responses API as Codex logs it; `undefined` for a kind that is newer than this, and for items that lack
 * what their kind must have.
 *
 * @example
 * readItem({ item: { type: 'function_call', call_id: 'c1', name: 'shell', arguments: '{}' }, witness });
 */
export function readItem({
  item,
  witness,
}: {
  readonly item: JsonObject;
  readonly witness: Witness;
}): ReadItem | undefined {
  switch (item.type) {
    case 'message':
      return assistantItem({ item, witness });
    case 'reasoning':
      return reasoningItem(item);
    case 'function_call':
    case 'custom_tool_call':
      return known(decoded(item));
    case 'function_call_output':
    case 'custom_tool_call_output':
      return known(decoded({ ...item, output: outputOf(item.output) }));
    case 'local_shell_call':
      return shellItem(item);
    case 'agent_message':
      return userItem(item);
    case 'compaction':
    case 'compaction_summary':
      return isRedactedItem(item) ? 'spoilt' : { message: decoded({ ...item, type: 'compaction' }) };
    case 'web_search_call':
    case 'image_generation_call':
    case 'tool_search_call':
    case 'tool_search_output':
    case 'additional_tools':
      return { message: decoded(item) };
    case 'ghost_snapshot':
    case 'context_compaction':
    case 'compaction_trigger':
      return 'note';
    default:
      return undefined;
  }
}

/** Whom another agent's words come from, and the words: they are a model's, in the user's role. */
export function userItem(item: JsonObject): ReadItem | undefined {
  const { content, author } = item;
  const texts = typeof content === 'string' ? [content] : textsOf(content);
  if (texts.length === 0) return typeof item.encrypted_content === 'string' || isArray(content) ? 'note' : undefined;
  const parts = texts.map((text) => ({ type: 'text', origin: 'model', text }) as const);
  const from = typeof author === 'string' ? { details: { author } } : {};
  return { message: { role: 'user', parts }, ...from };
}

function assistantItem({
  item,
  witness,
}: {
  readonly item: JsonObject;
  readonly witness: Witness;
}): ReadItem | undefined {
  const message = decoded(item);
  if (message.wire?.form === 'item') return undefined;
  const { parts } = item.role === 'user' ? attributed({ message, witness }) : message;
  return { message: { ...message, parts } };
}

/** Reasoning goes back to its provider encrypted; where that is missing or spoilt, it is thinking that can only be read. */
function reasoningItem(item: JsonObject): ReadItem | undefined {
  const message = decoded(item);
  const [part] = message.parts;
  if (part?.type !== 'thinking') return undefined;
  const { type, origin, text, encrypted } = part;
  if (encrypted !== undefined && !isRedacted(encrypted)) return { message };
  if (text !== '') return { message: { role: 'assistant', parts: [{ type, origin, text }] } };
  return encrypted === undefined ? 'note' : 'spoilt';
}

/** Answered by a `function_call_output`, so a call like others; the API's own kind would ask for its own answer. */
function shellItem({ call_id: callId, id, action }: JsonObject): ReadItem | undefined {
  const name = typeof callId === 'string' ? callId : id;
  if (typeof name !== 'string') return undefined;
  const call: Part = {
    type: 'tool_call',
    origin: 'model',
    id: name,
    name: 'local_shell',
    arguments: JSON.stringify(action ?? {}),
  };
  return { message: { role: 'assistant', parts: [call] } };
}

function decoded(item: JsonObject): Message {
  // Members without a value, and what only the servers of Codex take.
  const empty = Object.keys(item).filter((key) => item[key] === null);
  const sent = without(item, [...empty, ...internal]) ?? {};
  const [message] = codecs['openai-responses'].decode([sent]);
  return message ?? { role: 'assistant', parts: [] };
}

const internal = ['internal_chat_message_metadata_passthrough', 'end_turn'];

/** A call or result that the codec did not take for one lacks its id or its name. */
function known(message: Message): ReadItem | undefined {
  const [part] = message.parts;
  return part?.type === 'tool_call' || part?.type === 'tool_result' ? { message } : undefined;
}

/** The first versions logged `{ content, success }`. */
function outputOf(output: Json | undefined): Json {
  if (typeof output === 'string' || isArray(output)) return output;
  if (isObject(output) && typeof output.content === 'string') return output.content;
  return output === undefined ? '' : JSON.stringify(output);
}

function isRedactedItem({ encrypted_content: encrypted }: JsonObject): boolean {
  return typeof encrypted !== 'string' || isRedacted(encrypted);
}

function textsOf(content: Json | undefined): string[] {
  if (!isArray(content)) return [];
  return content.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []));
}
