import { convertToModelMessages, type ToolSet, type UIMessage } from 'ai';
import { isObject, type Json, parseJson } from '../json.ts';
import type { ContentPart, Part } from '../message/index.ts';
import { argumentsOf } from '../message/internal.ts';
import type { Entry, MessageEntry } from '../session/index.ts';
import { aiSdkFormat } from './ai-sdk-messages.ts';
import { engineOf, HostHistory, type HostSession, hostModel } from './host-history.ts';

/** The conversation for a model; calls without a result are left out. */
export function modelMessages<T extends ToolSet>({
  messages,
  tools,
}: {
  messages: readonly UIMessage[];
  tools: T | undefined;
}) {
  return convertToModelMessages([...messages], { ignoreIncompleteToolCalls: true, ...(tools && { tools }) });
}

/** The note in which a session keeps messages as the page has them: with ids, metadata, data parts, typed outputs. */
const noteType = 'ai-sdk-ui';

/** Messages that follow the message `after`; the note's place in the log is the end of the last one. */
interface MessagesNote {
  readonly at: string | null;
  readonly after: string | null;
  readonly messages: readonly UIMessage[];
}

/** Records an exchange: what the model has said in the log, and the page's messages in a note. */
export async function saveMessages<T extends ToolSet>({
  session,
  messages,
  tools,
}: {
  readonly session: HostSession;
  readonly messages: readonly UIMessage[];
  readonly tools: T | undefined;
}): Promise<void> {
  const said = messages.filter(({ parts }) => parts.some(({ type }) => type !== 'step-start'));
  const known = await toUIMessages(session);
  const followed = new HostHistory({ session, format: aiSdkFormat });
  const model = hostModel({ name: 'unknown' });
  await followed.record({ history: await modelMessages({ messages: said, tools }), model });
  const same = said.findIndex((message, at) => JSON.stringify(message) !== JSON.stringify(known[at]));
  if (same < 0) return;
  const data = { after: said[same - 1]?.id ?? null, messages: said.slice(same) };
  await engineOf(session).append({ type: 'custom', customType: noteType, data: JSON.parse(JSON.stringify(data)) });
}

/**
 * The conversation of a session as messages of `useChat`: complete, whatever was compacted. What `createChatHandler` has
 * answered comes back as the page had it; what was said elsewhere (the command line, another adapter) is converted.
 *
 * @example
 * const messages = await toUIMessages(session);
 */
export async function toUIMessages(session: HostSession): Promise<UIMessage[]> {
  const log = engineOf(session).session;
  const path = await log.path();
  const notes = (await log.read({ types: ['custom'] })).flatMap(noteOf);
  const position = new Map<string | null, number>(path.map(({ id }, at) => [id, at]));
  const newest = notes.findLast(({ at }) => position.has(at));
  const rest = path.slice((newest ? (position.get(newest.at) ?? -1) : -1) + 1);
  return [...(newest ? restored({ notes, newest }) : []), ...converted(rest)];
}

function noteOf(entry: Entry): MessagesNote[] {
  if (entry.type !== 'custom' || entry.customType !== noteType || !isObject(entry.data)) return [];
  const { after, messages } = entry.data as unknown as Omit<MessagesNote, 'at'>;
  return [{ at: entry.parentId, after, messages }];
}

/** The messages that end with those of a note: each note names the message that its own follow. */
function restored({ notes, newest }: { notes: readonly MessagesNote[]; newest: MessagesNote }): UIMessage[] {
  let messages = [...newest.messages];
  let { after } = newest;
  for (const note of notes.slice(0, notes.indexOf(newest)).toReversed()) {
    const at = note.messages.findIndex(({ id }) => id === after);
    if (after === null || at < 0) continue;
    messages = [...note.messages.slice(0, at + 1), ...messages];
    after = note.after;
  }
  return messages;
}

/** Messages of the log in the page's form. The steps of an answer are one message. */
function converted(path: readonly Entry[]): UIMessage[] {
  const messages: UIMessage[] = [];
  for (const entry of path) {
    if (entry.type !== 'message' || entry.message.role === 'system') continue;
    const { role } = entry.message;
    const last = messages.at(-1);
    const answer = last?.role === 'assistant' ? last : undefined;
    if (role === 'tool') addResults({ entry, answer });
    else if (role === 'user') messages.push({ id: entry.id, role, parts: entry.message.parts.flatMap(uiParts) });
    else {
      const parts: UIMessage['parts'] = [{ type: 'step-start' }, ...entry.message.parts.flatMap(uiParts)];
      if (answer) answer.parts.push(...parts);
      else messages.push({ id: entry.id, role: 'assistant', parts });
    }
  }
  return messages.filter(({ parts }) => parts.length > 0);
}

function uiParts(part: Part): UIMessage['parts'] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text, state: 'done' }];
  if (part.type === 'thinking') return [{ type: 'reasoning', text: part.text, state: 'done' }];
  if (part.type === 'tool_call') {
    const { id: toolCallId, name } = part;
    return [{ type: `tool-${name}`, toolCallId, state: 'input-available', input: argumentsOf(part) }];
  }
  if (part.type !== 'image' && part.type !== 'document') return [];
  const { source } = part;
  const name = part.type === 'document' && part.name !== undefined ? { filename: part.name } : {};
  const mediaType =
    'mediaType' in source && source.mediaType
      ? source.mediaType
      : `${part.type === 'image' ? 'image' : 'application'}/*`;
  if (source.kind === 'url') return [{ type: 'file', mediaType, url: source.url, ...name }];
  if (source.kind === 'base64')
    return [{ type: 'file', mediaType, url: `data:${mediaType};base64,${source.data}`, ...name }];
  return source.kind === 'text' ? [{ type: 'text', text: source.text, state: 'done' }] : [];
}

function addResults({ entry, answer }: { entry: MessageEntry; answer: UIMessage | undefined }): void {
  for (const part of entry.message.parts) {
    if (part.type !== 'tool_result' || !answer) continue;
    const at = answer.parts.findLastIndex((each) => 'toolCallId' in each && each.toolCallId === part.callId);
    const call = answer.parts[at];
    if (!call || !('toolCallId' in call)) continue;
    const { type, toolCallId, input } = call as { type: `tool-${string}`; toolCallId: string; input: unknown };
    const text = textOf(part.content);
    answer.parts[at] = part.isError
      ? { type, toolCallId, input, state: 'output-error', errorText: text }
      : { type, toolCallId, input, state: 'output-available', output: outputOf(text) };
  }
}

function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** The value that a tool returned: results that are no text are in the log as JSON. */
function outputOf(text: string): Json {
  const value = /^[[{]/.test(text) ? parseJson(text) : undefined;
  return value !== undefined && JSON.stringify(value) === text ? value : text;
}
