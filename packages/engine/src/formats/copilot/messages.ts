import { isArray, isObject, type Json, type JsonObject, without } from '../../json.ts';
import type { Origin, Part, TextPart, ToolCallPart } from '../../message/index.ts';
import type { Draft, MessageEntry } from '../../session/index.ts';
import { detailsUnder } from '../details.ts';
import { userText } from '../user-text.ts';
import type { Assets } from './assets.ts';
import { callIdOf } from './event.ts';
import { wrapped } from './words.ts';

/**
 * A message in the user's role: the words that were typed are their author's, what Copilot put around them its own.
 * `undefined` where nothing was said.
 *
 * @example
 * readUser({ data: { content: 'Go on.', transformedContent: '…Go on.…' }, author: 'human', assets });
 */
export function readUser({
  data,
  author,
  assets,
}: {
  readonly data: JsonObject;
  /** Who speaks where the event names no source. */
  readonly author: Origin;
  readonly assets: Assets;
}): Draft<MessageEntry> | undefined {
  const typed = typeof data.content === 'string' ? data.content : '';
  const sent = typeof data.transformedContent === 'string' ? data.transformedContent : typed;
  const by = writerOf({ data, typed, author });
  const images = assets.images({ list: listOf(data.attachments), origin: by });
  const parts = [...wrapped({ typed, sent, author: by }), ...images];
  if (parts.length === 0) return undefined;
  // What was typed stands in the log even where it was sent in other words.
  const isAltered = typed !== '' && !sent.includes(typed);
  const rest = without(data, [...(isAltered ? [] : ['content']), 'transformedContent', 'attachments']);
  const attached = listOf(data.attachments).map((item) => (isObject(item) ? (without(item, ['data']) ?? {}) : item));
  const about = { ...rest, ...(attached.length > 0 && { attachments: attached }) };
  return { type: 'message', message: { role: 'user', parts }, ...detailsOf(about) };
}

/** Who wrote the words of a message in the user's role. */
function writerOf(of: { readonly data: JsonObject; readonly typed: string; readonly author: Origin }): Origin {
  const { source, isAutopilotContinuation, inputOrigin } = of.data;
  if (isAutopilotContinuation === true || inputOrigin !== undefined) return 'engine';
  if (typeof source === 'string' && source !== '' && source !== 'user') {
    return source.startsWith('agent-') ? 'model' : 'engine';
  }
  const { origin } = userText(of.typed);
  return origin === 'human' ? of.author : origin;
}

/** A notice of the runtime, which the model reads in the user's role. */
export function readNotice({ content, ...rest }: JsonObject): Draft<MessageEntry> | undefined {
  if (typeof content !== 'string' || content === '') return undefined;
  const part: TextPart = { type: 'text', origin: 'engine', text: content };
  return { type: 'message', message: { role: 'user', parts: [part] }, ...detailsOf(rest) };
}

/**
 * An answer; `undefined` where it is empty. Opaque reasoning is bound to the session that it was made in (Copilot itself
 * leaves it out when it resumes one), so it stays beside the message.
 *
 * @example
 * readAnswer({ data: { messageId: 'm', content: 'Done.' } });
 */
export function readAnswer({
  data,
  reasoning,
}: {
  readonly data: JsonObject;
  /** Thinking that an event before it told, for versions whose messages do not repeat it. */
  readonly reasoning?: string;
}): Draft<MessageEntry> | undefined {
  const thought = typeof data.reasoningText === 'string' && data.reasoningText !== '' ? data.reasoningText : reasoning;
  const requests = listOf(data.toolRequests).filter(isObject);
  const parts: Part[] = [
    ...(thought ? [{ type: 'thinking', origin: 'model', text: thought } as const] : []),
    ...(typeof data.content === 'string' && data.content !== ''
      ? [{ type: 'text', origin: 'model', text: data.content } as const]
      : []),
    ...requests.flatMap(callOf),
  ];
  if (parts.length === 0) return undefined;
  const told = ['content', 'reasoningText', 'toolRequests', 'model', 'outputTokens', 'parentToolCallId'];
  return { type: 'message', message: { role: 'assistant', parts }, ...detailsOf(without(data, told) ?? {}) };
}

function callOf({ toolCallId, name, arguments: input, type }: JsonObject): readonly ToolCallPart[] {
  const id = callIdOf(toolCallId);
  if (id === undefined || typeof name !== 'string') return [];
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? {});
  const freeform = type === 'custom' && typeof input === 'string' ? ({ freeform: true } as const) : {};
  return [{ type: 'tool_call', origin: 'model', id, name, arguments: text, ...freeform }];
}

/**
 * A result as the model got it; `undefined` where the event does not hold it, as in transcripts of VS Code.
 *
 * @example
 * readResult({ data: { toolCallId: 'c1', success: true, result: { content: 'ok' } }, name: 'shell', assets });
 */
export function readResult({
  data,
  name,
  assets,
}: {
  readonly data: JsonObject;
  readonly name: string | undefined;
  readonly assets: Assets;
}): Draft<MessageEntry> | undefined {
  const callId = callIdOf(data.toolCallId);
  const { result, error, success } = data;
  const text = isObject(result) ? result.content : isObject(error) ? error.message : undefined;
  if (callId === undefined || typeof text !== 'string') return undefined;
  const binary = isObject(result) ? listOf(result.binaryResultsForLlm) : [];
  const part: Part = {
    type: 'tool_result',
    origin: 'tool',
    callId,
    ...(name !== undefined && { name }),
    content: [{ type: 'text', origin: 'tool', text }, ...assets.images({ list: binary, origin: 'tool' })],
    ...(success === false && { isError: true }),
  };
  return { type: 'message', message: { role: 'tool', parts: [part] }, ...failureOf(error) };
}

function failureOf(error: Json | undefined): { readonly details?: JsonObject } {
  return isObject(error) ? detailsOf(without(error, ['message']) ?? {}) : {};
}

const detailsOf = detailsUnder('copilot');

function listOf(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}
