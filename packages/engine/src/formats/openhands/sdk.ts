import { isArray, isObject, type JsonObject, without } from '../../json.ts';
import { type ContentPart, codecs, type Origin, type Part } from '../../message/index.ts';
import { thinkingParts } from '../thinking-parts.ts';
import { callPart, contentParts, idOf, textOf } from './content.ts';
import type { Acted, Condensed, Happening, Observed } from './event.ts';
import { framed } from './frame.ts';

/** Events between the parts of the program, never sent to a model. */
const signals: ReadonlySet<string> = new Set([
  'ConversationStateUpdateEvent',
  'HookExecutionEvent',
  'InterruptEvent',
  'LLMCompletionLogEvent',
  'PauseEvent',
  'StreamingDeltaEvent',
  'TokenEvent',
]);

/** What an event of the software-agent-sdk of OpenHands (1.x) is; its class is told by `kind`. */
export function readSdkEvent(event: JsonObject): Happening {
  const kind = textOf(event.kind);
  if (signals.has(kind)) return { kind: 'left-out', what: 'signals between parts of the program' };
  switch (kind) {
    case 'SystemPromptEvent':
      return instructed(event);
    case 'MessageEvent':
      return said(event);
    case 'ActionEvent':
      return acted(event);
    case 'ObservationEvent':
      return observed(event);
    case 'UserRejectObservation':
      return { ...answered(event), content: rejection(event), isError: true };
    case 'AgentErrorEvent':
      return { ...answered(event), content: contentParts({ content: event.error, origin: 'engine' }), isError: true };
    case 'Condensation':
      return condensed(event);
    case 'CondensationSummaryEvent':
      return {
        kind: 'said',
        message: { role: 'user', parts: contentParts({ content: event.summary, origin: 'engine' }) },
      };
    case 'CondensationRequest':
    case 'ConversationErrorEvent':
      return {
        kind: 'noted',
        name: kind,
        data: without(event, ['kind', 'id', 'timestamp', 'source', 'parent_id']) ?? {},
      };
    default:
      return { kind: 'unknown', name: kind };
  }
}

function instructed(event: JsonObject): Happening {
  const blocks = [event.system_prompt, event.dynamic_context].filter((block) => isObject(block));
  return { kind: 'said', message: { role: 'system', parts: contentParts({ content: blocks, origin: 'engine' }) } };
}

function said(event: JsonObject): Happening {
  const sent = isObject(event.llm_message) ? event.llm_message : {};
  const isAnswer = sent.role === 'assistant';
  const origin: Origin = isAnswer ? 'model' : event.source === 'user' ? 'human' : 'engine';
  const parts = [
    ...(isAnswer ? reasoning(sent) : []),
    ...contentParts({ content: sent.content, origin }),
    // Skills and the like, which the words of the user called up.
    ...contentParts({ content: event.extended_content, origin: 'engine' }),
  ];
  const message = { role: isAnswer ? 'assistant' : 'user', parts } as const;
  return { kind: 'said', message, response: idOf(event.llm_response_id) };
}

function acted(event: JsonObject): Acted {
  const call = isObject(event.tool_call) ? event.tool_call : {};
  const id = idOf(call.id) ?? idOf(event.tool_call_id) ?? '';
  const name = textOf(call.name) || textOf(event.tool_name);
  const input = call.arguments ?? (isObject(event.action) ? (without(event.action, ['kind']) ?? {}) : {});
  const parts = [
    ...reasoning(event),
    ...contentParts({ content: event.thought, origin: 'model' }),
    callPart({ id, name, input }),
  ];
  return { kind: 'acted', response: idOf(event.llm_response_id), parts, isWhole: false, call: id };
}

/** Reasoning in whatever form the provider gave it. */
function reasoning(said: JsonObject): Part[] {
  const item = said.responses_reasoning_item;
  const parts = thinkingParts({ blocks: said.thinking_blocks, text: said.reasoning_content });
  if (!isObject(item)) return parts;
  const summary = (isArray(item.summary) ? item.summary : []).map((text) => ({ type: 'summary_text', text }));
  const { id, encrypted_content: encrypted } = item;
  const sealed = { type: 'reasoning', id, summary, ...(encrypted !== undefined && { encrypted_content: encrypted }) };
  return [...(codecs['openai-responses'].decode([sealed])[0]?.parts ?? [])];
}

function answered(event: JsonObject): Omit<Observed, 'content'> {
  const name = textOf(event.tool_name);
  const [call, cause] = [idOf(event.tool_call_id), idOf(event.action_id)];
  return { kind: 'observed', call, cause, ...(name !== '' && { name }) };
}

function observed(event: JsonObject): Observed {
  const { content, output, metadata, is_error: isError } = isObject(event.observation) ? event.observation : {};
  const returned = contentParts({ content: content ?? output, origin: 'tool' });
  const added = contentParts({ content: event.extended_content, origin: 'engine' });
  return {
    ...answered(event),
    content: [...framed({ content: returned, metadata }), ...added],
    ...(isError === true && { isError: true }),
  };
}

/** The reason is the user's own words, unless a hook said no or nobody gave one. */
function rejection(event: JsonObject): ContentPart[] {
  const reason = textOf(event.rejection_reason);
  const isTyped = event.rejection_source !== 'hook' && reason !== 'User rejected the action';
  return [
    { type: 'text', origin: 'engine', text: 'Action rejected: ' },
    ...contentParts({ content: reason, origin: isTyped ? 'human' : 'engine' }),
  ];
}

function condensed(event: JsonObject): Condensed {
  const { forgotten_event_ids: ids, summary, summary_offset: offset } = event;
  const forgotten = new Set((isArray(ids) ? ids : []).map((id) => idOf(id) ?? ''));
  return {
    kind: 'condensed',
    forgets: (id) => forgotten.has(id),
    summary: typeof summary === 'string' ? summary : undefined,
    offset: typeof offset === 'number' ? offset : undefined,
    replaces: false,
    details: { openhands: { forgotten_event_ids: [...forgotten], summary_offset: offset ?? null } },
  };
}
