import { isArray, isObject, type Json, type JsonObject, parseJson, without } from '../../json.ts';
import type { ContentPart, Message, Part, TextPart, ToolCallPart, ToolResultPart } from '../../message/index.ts';
import type { ModelName } from '../../session/index.ts';
import type { Tally } from '../tally.ts';
import type { TranscriptEvent } from './events.ts';

/** A message, and what belongs to it. */
export interface Told {
  readonly message: Message;
  readonly by?: ModelName | undefined;
  readonly outputTokens?: number | undefined;
  /** What its event said beyond it, where it came from one. */
  readonly rest?: JsonObject;
  /** Takes what has no place in an event. */
  readonly tally: Tally;
}

/** What a message becomes: the events of Copilot and of VS Code's chat that say the same. */
export function messageEvents(told: Told): TranscriptEvent[] {
  const { role, parts } = told.message;
  const results = parts.filter((part) => part.type === 'tool_result');
  const others = parts.filter((part) => part.type !== 'tool_result');
  const returned = results.map((result) => resultEvent({ ...told, result }));
  if (others.length === 0 && results.length > 0) return returned;
  switch (role) {
    case 'system':
      return [...returned, { type: 'system.message', data: { role: 'system', content: joined(textsIn(others)) } }];
    case 'assistant':
      return [...returned, ...answerEvents({ ...told, parts: others })];
    default:
      return [...returned, userEvent({ ...told, parts: others })];
  }
}

/** `content` is what a person typed, `transformedContent` what the model got where that is more. */
function userEvent({ parts, rest = {}, tally }: Told & { readonly parts: readonly Part[] }): TranscriptEvent {
  const texts = textsIn(parts);
  // A sub-agent is asked by a model, in the user's role.
  const author = typeof rest.source === 'string' && rest.source.startsWith('agent-') ? 'model' : 'human';
  const typed = joined(texts.filter(({ origin }) => origin === author));
  const content = typeof rest.content === 'string' ? rest.content : typed;
  const sent = joined(texts);
  const named = isArray(rest.attachments) ? rest.attachments : [];
  const attachments = [
    ...named.filter((item) => isObject(item) && item.type !== 'blob'),
    ...parts.flatMap((part) => blobOf({ part, tally })),
  ];
  const transformed = sent === content ? {} : { transformedContent: sent };
  const more = without(rest, ['content', 'attachments']);
  return { type: 'user.message', data: { content, ...transformed, attachments, ...more } };
}

function answerEvents({
  parts,
  by,
  outputTokens,
  rest,
  tally,
}: Told & { readonly parts: readonly Part[] }): TranscriptEvent[] {
  const calls = parts.filter((part) => part.type === 'tool_call');
  const thoughts = parts.flatMap((part) => (part.type === 'thinking' && part.text !== '' ? [part.text] : []));
  for (const { type } of parts) {
    if (!['text', 'thinking', 'tool_call'].includes(type)) tally.leftOut(`${type} parts`);
  }
  const data = {
    ...(by && { model: by.name }),
    content: joined(textsIn(parts)),
    toolRequests: calls.map((call) => ({
      toolCallId: call.id,
      name: call.name,
      arguments: argumentsOf(call),
      type: call.freeform ? 'custom' : 'function',
    })),
    ...(thoughts.length > 0 && { reasoningText: thoughts.join('\n\n') }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...rest,
  };
  const started = calls.map((call) => ({
    type: 'tool.execution_start',
    data: { toolCallId: call.id, toolName: call.name, arguments: argumentsOf(call) },
  }));
  return [{ type: 'assistant.message', data }, ...started];
}

function resultEvent({ result, rest, tally }: Told & { readonly result: ToolResultPart }): TranscriptEvent {
  const { callId, isError } = result;
  const content = joined(textsIn(result.content));
  const binary = result.content.flatMap((part) => (isError ? lostOf({ part, tally }) : blobOf({ part, tally })));
  const images = binary.length > 0 ? { binaryResultsForLlm: binary.map((blob) => ({ ...blob, type: 'image' })) } : {};
  const outcome = isError ? { error: { message: content, ...rest } } : { result: { content, ...images } };
  return { type: 'tool.execution_complete', data: { toolCallId: callId, success: !isError, ...outcome } };
}

/** An image as the events carry it. What else is no text has no place in them. */
function blobOf({ part, tally }: { readonly part: Part | ContentPart; readonly tally: Tally }): JsonObject[] {
  if (part.type === 'image' && part.source.kind === 'base64') {
    return [{ type: 'blob', data: part.source.data, mimeType: part.source.mediaType }];
  }
  return lostOf({ part, tally });
}

function lostOf({ part, tally }: { readonly part: Part | ContentPart; readonly tally: Tally }): [] {
  if (part.type !== 'text') tally.leftOut(`${part.type} parts`);
  return [];
}

/** An object where that says exactly what the model wrote, else the text. */
function argumentsOf(call: ToolCallPart): Json {
  const value = call.freeform ? undefined : parseJson(call.arguments);
  return isObject(value) && JSON.stringify(value) === call.arguments ? value : call.arguments;
}

function textsIn(parts: readonly Part[]): TextPart[] {
  return parts.filter((part) => part.type === 'text');
}

/** Texts that stand apart stay apart; what is apart already gets no more space each time it goes to and fro. */
function joined(texts: readonly TextPart[]): string {
  return texts.reduce((all, { text }) => {
    const isApart = all === '' || text === '' || /\s$/.test(all) || /^\s/.test(text);
    return isApart ? all + text : `${all}\n\n${text}`;
  }, '');
}
