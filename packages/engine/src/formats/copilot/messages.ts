import { isArray, isObject, type Json, type JsonObject, without } from '../../json.ts';
import { type Message, type Origin, type Part, type TextPart, type ToolCallPart, user } from '../../message/index.ts';
import type { CheckpointEntry, Draft, EntryId, EpochEntry, EpochItem, MessageEntry } from '../../session/index.ts';
import { codecVersion } from '../../session/internal.ts';
import { userText } from '../content-parts.ts';
import { detailsUnder } from '../details.ts';
import { type Assets, callIdOf } from './event.ts';

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
  // The typed text is kept even if a rewritten version of it was sent.
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
 * An answer; `undefined` if it is empty. Opaque reasoning is bound to the session it was made in (Copilot itself omits
 * it when resuming), so it is kept in the details of the message.
 *
 * @example
 * readAnswer({ data: { messageId: 'm', content: 'Done.' } });
 */
export function readAnswer({
  data,
  reasoning,
}: {
  readonly data: JsonObject;
  /** Thinking from an earlier event, for versions whose messages do not repeat it. */
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
  const knownFields = ['content', 'reasoningText', 'toolRequests', 'model', 'outputTokens', 'parentToolCallId'];
  return { type: 'message', message: { role: 'assistant', parts }, ...detailsOf(without(data, knownFields) ?? {}) };
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

/**
 * What was sent for what was typed, as a part for each who speaks: Copilot wraps the time, reminders and instructions
 * around a message, and sometimes a sentence before it.
 *
 * @example
 * wrapped({ typed: 'Go on.', sent: '<current_datetime>…</current_datetime>\n\nGo on.', author: 'human' });
 * // engine: the time; human: 'Go on.'
 */
export function wrapped({
  typed,
  sent,
  author,
}: {
  readonly typed: string;
  readonly sent: string;
  readonly author: Origin;
}): TextPart[] {
  const [start, end] = placeOf({ typed, sent });
  return [
    ...around(sent.slice(0, start)),
    ...textOf({ text: sent.slice(start, end), origin: author }),
    ...around(sent.slice(end)),
  ];
}

/** What a client put around the typed text: its own words, or data that was attached. */
function around(text: string): TextPart[] {
  return textOf({ text, origin: userText(text).origin === 'data' ? 'data' : 'engine' });
}

function textOf(of: { readonly text: string; readonly origin: Origin }): TextPart[] {
  return of.text === '' ? [] : [{ type: 'text', ...of }];
}

/** The position of the typed text in what was sent; if it was rewritten, all text outside of elements. */
function placeOf({ typed, sent }: { readonly typed: string; readonly sent: string }): readonly [number, number] {
  if (typed === '') return [sent.length, sent.length];
  const [start, end] = outsideElements(sent);
  const middle = sent.slice(start, end);
  // A short text may stand by chance in the sentence before it.
  const inside = middle.trimEnd().endsWith(typed) ? middle.lastIndexOf(typed) : middle.indexOf(typed);
  const at = inside >= 0 ? start + inside : sent.indexOf(typed);
  return at >= 0 ? [at, at + typed.length] : [start, end];
}

const opening = /\s*<([A-Za-z][\w-]*)(?:\s[^<>]*)?>/y;
const closing = /<\/([A-Za-z][\w-]*)>\s*$/;
const longestTag = 200;

/** The text without the elements that it begins and ends with. */
function outsideElements(text: string): readonly [number, number] {
  let start = 0;
  for (;;) {
    opening.lastIndex = start;
    const [tag, name] = opening.exec(text) ?? [];
    const close = name === undefined ? -1 : text.indexOf(`</${name}>`, start + (tag?.length ?? 0));
    if (name === undefined || close < 0) break;
    start = close + name.length + 3;
  }
  let end = text.length;
  for (;;) {
    const [, name] = closing.exec(text.slice(Math.max(start, end - longestTag), end)) ?? [];
    // Strictly before the end: the element after it may have the same name.
    const open = name === undefined ? -1 : text.lastIndexOf(`<${name}`, end - 1);
    if (open < start) break;
    end = open;
  }
  const inner = text.slice(start, end);
  return [start + inner.length - inner.trimStart().length, end - (inner.length - inner.trimEnd().length)];
}

/**
 * The epoch of a compaction: the prompt, what the user asked for, the summary in Copilot's words, and what was said while
 * the summary was being made. Copilot quotes the user's messages in the message of the summary; here they are the entries
 * themselves.
 *
 * @example
 * compactedEpoch({ summary, items: weaver.items(), kept: weaver.keptFrom(first), isQuoted });
 */
export function compactedEpoch({
  summary,
  items,
  kept,
  isQuoted,
}: {
  readonly summary: string;
  /** What was sent before. */
  readonly items: readonly EpochItem[];
  /** What came after the summary was begun. */
  readonly kept: readonly EpochItem[];
  readonly isQuoted: (entry: EntryId) => boolean;
}): Draft<EpochEntry> {
  const later = new Set(kept.map((item) => ('entry' in item ? item.entry : undefined)));
  const quoted = items.filter((item) => 'entry' in item && isQuoted(item.entry) && !later.has(item.entry));
  const list = [...quoted, { made: summaryOf(summary) }, ...kept];
  return { type: 'epoch', reason: 'compaction', items: { list }, codec: codecVersion };
}

function summaryOf(summary: string): Message {
  const text = `Some of the conversation history has been summarized to free up context.\n\nHere is a summary of the prior context:\n<summary>\n${summary}\n</summary>`;
  return user(text, { origin: 'engine' });
}

/** The checkpoint that was written with the compaction, if any. */
export function checkpointOf({
  data,
  summary,
}: {
  readonly data: JsonObject;
  readonly summary: string;
}): Draft<CheckpointEntry> | undefined {
  const { checkpointNumber: number, checkpointPath: path } = data;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) return undefined;
  const [, after = ''] = summary.split('<checkpoint_title>');
  const [title = ''] = after.split('</');
  return {
    type: 'checkpoint',
    number,
    title: title.trim(),
    ...(typeof path === 'string' && { details: { copilot: { path } } }),
  };
}
