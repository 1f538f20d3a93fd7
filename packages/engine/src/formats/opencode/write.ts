import { isObject, type Json, type JsonObject, parseJson, sameJson } from '../../json.ts';
import type { ContentPart, Part, ToolResultPart } from '../../message/index.ts';
import type { ModelName } from '../../session/index.ts';
import { jsonPieces } from '../export/json.ts';
import { type Resumable, type ResumableMessage, resumableOf } from '../export/resumable.ts';
import type { ExportSource } from '../export/source.ts';
import { digestOf } from '../ids.ts';
import { type Stored, summaryQuestion } from './message.ts';

/**
 * A session as `opencode export` writes it; `opencode import FILE` adds it and `opencode -s ID` opens it. A compaction is
 * one of opencode's own: its tail are the messages that are still sent.
 *
 * @example
 * for await (const piece of writeOpencode(source)) stream.write(piece);
 */
export async function* writeOpencode(source: ExportSource): AsyncGenerator<string> {
  const session = await resumableOf({ source, agent: 'opencode', dialect: 'anthropic' });
  const { name, cwd, createdAt, updatedAt, compaction, current } = session;
  const id = session.id.startsWith('ses_') ? session.id : `ses_${digestOf(session.id).slice(0, 26)}`;
  const messages = createMessages({ session, id });
  for await (const message of session.earlier) messages.take(message);
  const before = messages.list.length;
  for (const message of current) if (!isQuestion(message)) messages.take(message);
  if (compaction && compaction.summary !== '') {
    const tail = messages.list[before]?.info.id;
    const mark = { type: 'compaction', auto: false, ...(tail !== undefined && { tail_start_id: tail }) };
    messages.ask({ at: compaction.at, parts: [mark] });
    const parts = [{ type: 'text', text: compaction.summary }];
    messages.answer({ at: compaction.at, by: undefined, parts, facts: { summary: true, mode: 'compaction' } });
  }
  const info = {
    id,
    slug: id.slice(-8),
    projectID: 'global',
    directory: cwd,
    title: name === '' ? 'Imported session' : name,
    version: '1.18.0',
    time: { created: createdAt, updated: updatedAt },
  };
  yield* jsonPieces({ info, messages: messages.list as unknown as Json });
}

/** opencode asks this before every summary, and an import keeps it. */
function isQuestion({ message }: ResumableMessage): boolean {
  return sameJson(message as unknown as Json, summaryQuestion as unknown as Json);
}

interface Messages {
  readonly list: readonly Stored[];
  readonly take: (message: ResumableMessage) => void;
  readonly ask: (of: { readonly at: number; readonly parts: readonly JsonObject[] }) => void;
  readonly answer: (of: {
    readonly at: number;
    readonly by: ModelName | undefined;
    readonly parts: readonly JsonObject[];
    readonly facts?: JsonObject;
  }) => void;
}

/** The messages in opencode's order: results are inside the calls of the answer before them. */
function createMessages({ session, id }: { readonly session: Resumable; readonly id: string }): Messages {
  const list: Stored[] = [];
  const calls = new Map<string, JsonObject>();
  const { cwd } = session;
  let count = 0;
  let time = 0;
  let question = '';
  return { list, take, ask, answer };

  function take({ message, at, by }: ResumableMessage): void {
    for (const part of message.parts) if (part.type === 'tool_result') settle({ part, at });
    const others = message.parts.filter(({ type }) => type !== 'tool_result');
    if (others.length === 0) return;
    const parts = others.flatMap((part) => partOf({ part, at }));
    if (message.role === 'assistant') answer({ at, by, parts });
    else ask({ at, parts });
  }

  function ask({ at, parts }: { readonly at: number; readonly parts: readonly JsonObject[] }): void {
    const model = modelOf(session.model);
    const info = { role: 'user', time: { created: later(at) }, agent: 'build', model };
    question = put({ info, parts });
  }

  function answer({ at, by, parts, facts }: Parameters<Messages['answer']>[0]): void {
    const tokens = { total: 0, input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };
    const created = later(at);
    const finish = parts.some(({ type }) => type === 'tool') ? 'tool-calls' : 'stop';
    const info = {
      role: 'assistant',
      parentID: question,
      mode: 'build',
      agent: 'build',
      path: { cwd, root: cwd },
      cost: 0,
      tokens,
      ...modelOf(by ?? session.model),
      time: { created, completed: created },
      finish,
      ...facts,
    };
    put({ info, parts: [{ type: 'step-start' }, ...parts, { type: 'step-finish', reason: finish, tokens, cost: 0 }] });
  }

  function settle({ part, at }: { readonly part: ToolResultPart; readonly at: number }): void {
    const call = calls.get(part.callId);
    if (!call) return;
    const output = textIn(part.content);
    const state = isObject(call.state) ? call.state : {};
    const ended = { ...state, time: { start: at, end: at } };
    Object.assign(call, {
      state: part.isError
        ? { ...ended, status: 'error', error: output }
        : { ...ended, status: 'completed', output, title: '', metadata: {} },
    });
  }

  function put({ info, parts }: { readonly info: JsonObject; readonly parts: readonly JsonObject[] }): string {
    const message = nextId('msg');
    const listed = parts.map((part) => {
      const stored: JsonObject = { ...part, id: nextId('prt'), sessionID: id, messageID: message };
      if (typeof stored.callID === 'string') calls.set(stored.callID, stored);
      return stored;
    });
    list.push({ info: { ...info, id: message, sessionID: id }, parts: listed });
    return message;
  }

  /** opencode orders messages by id, and new ids begin with the time: small numbers come before all of them. */
  function nextId(prefix: string): string {
    count += 1;
    return `${prefix}_${count.toString(16).padStart(12, '0')}${digestOf(`${id} ${count}`).slice(0, 14)}`;
  }

  function later(at: number): number {
    time = Math.max(time, at);
    return time;
  }
}

function modelOf(model: ModelName | undefined): JsonObject {
  return { providerID: model?.provider ?? 'unknown', modelID: model?.name ?? 'unknown' };
}

function partOf({ part, at }: { readonly part: Part; readonly at: number }): JsonObject[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, ...(part.origin === 'engine' && { synthetic: true }) }];
    case 'thinking':
      return [{ type: 'reasoning', text: part.text, time: { start: at, end: at } }];
    case 'tool_call': {
      const parsed = parseJson(part.arguments);
      const input = isObject(parsed) ? parsed : { input: part.arguments };
      // Without a result it was interrupted; a running call would keep opencode waiting.
      const state = { status: 'error', input, error: 'Tool execution aborted', time: { start: at, end: at } };
      return [{ type: 'tool', tool: part.name, callID: part.id, state }];
    }
    case 'image': {
      if (part.source.kind !== 'base64') return [];
      const { mediaType, data } = part.source;
      return [{ type: 'file', mime: mediaType, filename: 'image', url: `data:${mediaType};base64,${data}` }];
    }
    default:
      return [];
  }
}

function textIn(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
