import type { JsonObject } from '../../json.ts';
import type { ContentPart, Part, ToolResultPart } from '../../message/index.ts';
import { type ResumableMessage, resumableOf } from '../export/resumable.ts';
import type { ExportSource } from '../export/source.ts';
import { hashedId } from '../ids.ts';
import { isoTime } from '../time.ts';

/** OpenHands rejects a conversation whose first event is not a system prompt. */
const defaultSystem = 'You are a software engineering agent. Continue the work of the conversation below.';

/**
 * A session as events of the OpenHands SDK, one per line. In a conversation folder each is a file of its own:
 * `events/event-00000-ID.json`.
 *
 * @example
 * for await (const event of writeOpenhands(source)) stream.write(`${JSON.stringify(event)}\n`);
 */
export async function* writeOpenhands(source: ExportSource): AsyncGenerator<JsonObject> {
  const session = await resumableOf({ source, agent: 'openhands', dialect: 'anthropic', keepsSystem: true });
  const { id, createdAt, system, compaction, current } = session;
  yield {
    kind: 'SystemPromptEvent',
    id: hashedId(`${id}\nsystem`),
    timestamp: timeOf(createdAt),
    source: 'agent',
    system_prompt: text(system === '' ? defaultSystem : system),
    tools: [],
  };
  const actions = new Map<string, string>();
  const forgotten: string[] = [];
  for await (const message of session.earlier) {
    for (const event of eventsOf({ message, actions })) {
      forgotten.push(event.id);
      yield event;
    }
  }
  for (const message of current) yield* eventsOf({ message, actions });
  if (!compaction) return;
  yield {
    kind: 'Condensation',
    id: compaction.id,
    timestamp: timeOf(compaction.at),
    source: 'environment',
    forgotten_event_ids: forgotten,
    // After the system prompt.
    ...(compaction.summary !== '' && { summary: compaction.summary, summary_offset: 1 }),
    llm_response_id: compaction.summaryId,
  };
}

type OpenhandsRecord = JsonObject & { readonly id: string };

/** `actions` has the event of each call, which the event of its result names. */
function* eventsOf({
  message: { id, message, at },
  actions,
}: {
  readonly message: ResumableMessage;
  readonly actions: Map<string, string>;
}): Generator<OpenhandsRecord> {
  const { role, parts } = message;
  const timestamp = timeOf(at);
  const results = parts.filter((part) => part.type === 'tool_result');
  const calls = parts.filter((part) => part.type === 'tool_call');
  const content = parts.flatMap(contentOf);
  for (const [index, result] of results.entries()) {
    const action_id = actions.get(result.callId) ?? '';
    const event = hashedId(`${id}\nresult ${index}`);
    yield { id: event, timestamp, source: 'environment', kind: 'ObservationEvent', ...observed(result), action_id };
  }
  // The texts of an answer with calls are the thought of its first call.
  let thought = content;
  for (const [index, { id: callId, name, arguments: input, freeform }] of calls.entries()) {
    const event = hashedId(`${id}\ncall ${index}`);
    actions.set(callId, event);
    const origin = freeform ? 'responses' : 'completion';
    yield {
      id: event,
      timestamp,
      source: 'agent',
      kind: 'ActionEvent',
      thought,
      tool_name: name,
      tool_call_id: callId,
      tool_call: { id: callId, name, arguments: input, origin },
      llm_response_id: id,
    };
    thought = [];
  }
  if (calls.length > 0 || content.length === 0) return;
  const isAnswer = role === 'assistant';
  const isTyped = parts.some(({ origin }) => origin === 'human');
  const author = isAnswer ? 'agent' : isTyped ? 'user' : 'environment';
  const llm_message = { role: isAnswer ? 'assistant' : 'user', content };
  yield { id, timestamp, source: author, kind: 'MessageEvent', llm_message };
}

/** The observation of MCP tools is the only one that is not bound to a tool of OpenHands. */
function observed({ callId, name = 'tool', content, isError }: ToolResultPart): JsonObject {
  const shown = content.flatMap(contentOf);
  const observation = { kind: 'MCPToolObservation', content: shown, is_error: isError === true, tool_name: name };
  return { tool_name: name, tool_call_id: callId, observation };
}

function contentOf(part: Part | ContentPart): JsonObject[] {
  if (part.type === 'text') return [text(part.text)];
  if (part.type !== 'image' || part.source.kind === 'file' || part.source.kind === 'text') return [];
  const { source } = part;
  const url = source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;
  return [{ type: 'image', image_urls: [url] }];
}

function text(value: string): JsonObject {
  return { type: 'text', text: value };
}

/** As Python writes it: without a zone. */
function timeOf(at: number): string {
  return isoTime(at).replace('Z', '');
}
