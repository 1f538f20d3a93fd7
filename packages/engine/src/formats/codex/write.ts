import { isObject, type Json, type JsonObject } from '../../json.ts';
import { codecs, type Message, user } from '../../message/index.ts';
import { type ResumableMessage, resumableOf } from '../export/resumable.ts';
import type { ExportSource } from '../export/source.ts';
import { isoTime } from '../time.ts';

/**
 * A session as a rollout of Codex: `codex resume ID` opens it. A compaction is one of Codex's own: the list that
 * replaces the history is what is sent.
 *
 * @example
 * for await (const line of writeCodex(source)) stream.write(`${JSON.stringify(line)}\n`);
 */
export async function* writeCodex(source: ExportSource): AsyncGenerator<JsonObject> {
  const session = await resumableOf({ source, agent: 'codex', dialect: 'openai-responses' });
  const { id, cwd, createdAt, updatedAt, model, name, compaction } = session;
  const timestamp = isoTime(createdAt);
  const meta = {
    id,
    timestamp,
    cwd,
    originator: 'longhaul',
    cli_version: '0.0.0',
    source: 'cli',
    model_provider: null,
  };
  yield line({ type: 'session_meta', at: createdAt, payload: meta });
  if (model) {
    const settings = { approval_policy: 'on-request', sandbox_policy: { type: 'read-only' }, summary: 'auto' };
    yield line({ type: 'turn_context', at: createdAt, payload: { cwd, ...settings, model: model.name } });
  }
  for await (const message of session.earlier) yield* messageLines(message);
  for (const message of session.current) yield* messageLines(message);
  if (compaction) {
    const { summary, at } = compaction;
    const summarized = summary === '' ? [] : [user(summary, { origin: 'engine' })];
    const kept = session.current.map(({ message }) => message);
    const replacement_history = [...summarized, ...kept].flatMap(itemsOf);
    yield line({ type: 'compacted', at: Math.max(at, updatedAt), payload: { message: summary, replacement_history } });
  }
  if (name !== '') {
    const payload = { type: 'thread_name_updated', thread_id: id, thread_name: name };
    yield line({ type: 'event_msg', at: updatedAt, payload });
  }
}

function line({
  type,
  at,
  payload,
}: {
  readonly type: string;
  readonly at: number;
  readonly payload: JsonObject;
}): JsonObject {
  return { timestamp: isoTime(at), type, payload };
}

function* messageLines({ message, at }: ResumableMessage): Generator<JsonObject> {
  for (const payload of itemsOf(message)) yield line({ type: 'response_item', at, payload });
  // Codex lists and shows a session by these events, and sends the items.
  const author = message.role === 'assistant' ? 'model' : 'human';
  const text = message.parts.flatMap((part) => (part.type === 'text' && part.origin === author ? [part.text] : []));
  if (text.length === 0 || message.role === 'tool') return;
  const payload =
    author === 'model'
      ? { type: 'agent_message', message: text.join('\n') }
      : { type: 'user_message', message: text.join('\n'), images: [], local_images: [], text_elements: [] };
  yield line({ type: 'event_msg', at, payload });
}

/** Items as Codex stores them: each names its type, and content is a list. */
function itemsOf(message: Message): JsonObject[] {
  return codecs['openai-responses'].encode([message]).flatMap((item) => {
    if (!isObject(item)) return [];
    if (typeof item.role !== 'string') return [item];
    return [{ ...item, type: 'message', content: contentOf({ role: item.role, content: item.content }) }];
  });
}

function contentOf({ role, content }: { readonly role: string; readonly content: Json | undefined }): Json {
  if (typeof content !== 'string') return content ?? [];
  return [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: content }];
}
