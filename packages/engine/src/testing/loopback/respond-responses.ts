import { isArray, isObject, type JsonRecord } from '../judge/json.ts';
import { pieces, type ResponseContext } from './reply.ts';
import { requestsEncrypted, wantsSummary } from './requested-thinking.ts';
import { event } from './sse.ts';

/** A response and its items, which the server may have to store. */
export interface ResponsesBody {
  response: JsonRecord;
  output: JsonRecord[];
}

/** The response of POST /v1/responses: reasoning, then the message, then the calls. */
export function responsesBody(speech: ResponseContext): ResponsesBody {
  const output = outputOf(speech);
  return { output, response: { ...shell(speech), ...endOf(speech), output, usage: usageOf(speech) } };
}

/** The response to an input that ends in a compaction trigger: one encrypted item. */
export function compactionBody(speech: ResponseContext): ResponsesBody {
  const output = [compactionItem(speech)];
  return { output, response: { ...shell(speech), ...completed(speech), output, usage: usageOf(speech) } };
}

/** The response of POST /v1/responses/compact: "all user messages, followed by a single compaction item". */
export function compacted(speech: ResponseContext): JsonRecord {
  const { sealer, created, body } = speech;
  const kept = (isArray(body.input) ? body.input : [{ role: 'user', content: String(body.input) }]) as JsonRecord[];
  const users = kept
    .filter(({ role }) => role === 'user')
    .map((item) => ({ id: sealer.id('msg'), status: 'completed', ...item, type: 'message' }));
  return {
    id: sealer.id('resp'),
    object: 'response.compaction',
    created_at: created,
    output: [...users, compactionItem(speech)],
    usage: usageOf(speech),
  };
}

/** A response as events, numbered from 0. */
export function responsesEvents({ response, output }: ResponsesBody): string[] {
  const open = { ...response, ...begun };
  const data: JsonRecord[] = [
    { type: 'response.created', response: open },
    { type: 'response.in_progress', response: open },
    ...output.flatMap((item, output_index) => itemEvents({ item, output_index })),
    { type: `response.${response.status === 'incomplete' ? 'incomplete' : 'completed'}`, response },
  ];
  return data.map((each, sequence_number) => event({ name: String(each.type), data: { ...each, sequence_number } }));
}

/** A response that fails after it was created. */
export function responsesFailing({ response, error }: { response: JsonRecord; error: JsonRecord }): string[] {
  const open = { ...response, ...begun };
  const failed = { ...open, status: 'failed', error: { code: error.code ?? error.type, message: error.message } };
  const data: JsonRecord[] = [
    { type: 'response.created', response: open },
    { type: 'error', code: error.code ?? null, message: error.message, param: error.param ?? null },
    { type: 'response.failed', response: failed },
  ];
  return data.map((each, sequence_number) => event({ name: String(each.type), data: { ...each, sequence_number } }));
}

const begun = { status: 'in_progress', completed_at: null, output: [], usage: null, incomplete_details: null };

function completed({ created }: ResponseContext): JsonRecord {
  return { status: 'completed', completed_at: created, incomplete_details: null };
}

function endOf(speech: ResponseContext): JsonRecord {
  const { reply } = speech;
  if (reply.stop === 'length') return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  if (reply.stop === 'refused') return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
  return completed(speech);
}

function outputOf(speech: ResponseContext): JsonRecord[] {
  const { reply, body, sealer } = speech;
  const items: JsonRecord[] = [];
  if (reply.thinking !== '') {
    items.push({
      id: sealer.id('rs'),
      type: 'reasoning',
      summary: wantsSummary(body) ? [{ type: 'summary_text', text: reply.thinking }] : [],
      ...(requestsEncrypted(body) ? { encrypted_content: sealer.seal(reply.thinking) } : {}),
    });
  }
  const status = 'completed';
  const part =
    reply.stop === 'refused'
      ? { type: 'refusal', refusal: reply.text }
      : { type: 'output_text', text: reply.text, annotations: [], logprobs: [] };
  if (reply.text !== '' || items.length + reply.calls.length === 0 || (items.length > 0 && reply.calls.length === 0))
    items.push({ id: sealer.id('msg'), type: 'message', role: 'assistant', status, content: [part] });
  for (const { id, name, namespace, json, custom } of reply.calls) {
    const of = { status, call_id: id, name, ...(namespace !== undefined && { namespace }) };
    items.push(
      custom
        ? { id: sealer.id('ctc'), type: 'custom_tool_call', ...of, input: json }
        : { id: sealer.id('fc'), type: 'function_call', ...of, arguments: json },
    );
  }
  // It precedes the other output and is exempt from its rules.
  if (typeof reply.compaction === 'string')
    items.unshift({ ...compactionItem(speech), encrypted_content: sealer.seal(reply.compaction) });
  const last = items.at(-1);
  // The item being written when the response was cut off.
  if (last && (reply.stop === 'length' || reply.stop === 'refused')) last.status = 'incomplete';
  return items;
}

function compactionItem({ reply, sealer }: ResponseContext): JsonRecord {
  return { id: sealer.id('cmp'), type: 'compaction', encrypted_content: sealer.seal(reply.text) };
}

function shell({ body, model, sealer, created }: ResponseContext): JsonRecord {
  return {
    id: sealer.id('resp'),
    object: 'response',
    created_at: created,
    completed_at: null,
    model,
    access_programs: null,
    error: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: body.reasoning ?? { effort: null, summary: null },
    store: body.store ?? true,
    temperature: 1,
    top_p: 1,
    truncation: 'disabled',
    background: false,
    service_tier: 'default',
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
  };
}

function usageOf({ reply: { usage } }: ResponseContext): JsonRecord {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  };
}

/** One output item as events, from `output_item.added` to `output_item.done`; the server numbers them. */
function itemEvents({ item, output_index }: { item: JsonRecord; output_index: number }): JsonRecord[] {
  const added = { type: 'response.output_item.added', output_index, item: openOf(item) };
  const done = { type: 'response.output_item.done', output_index, item };
  return [added, ...insideOf({ item, output_index }), done];
}

function openOf(item: JsonRecord): JsonRecord {
  switch (item.type) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'reasoning':
      return { ...item, summary: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' };
    default:
      return item;
  }
}

function insideOf({ item, output_index }: { item: JsonRecord; output_index: number }): JsonRecord[] {
  const at = { item_id: item.id, output_index };
  switch (item.type) {
    case 'message':
      return partsOf(item.content).flatMap((part, content_index) => partEvents({ part, at: { ...at, content_index } }));
    case 'reasoning':
      return partsOf(item.summary).flatMap((part, summary_index) =>
        summaryEvents({ part, at: { ...at, summary_index } }),
      );
    case 'function_call':
      return growing({
        text: String(item.arguments),
        size: 7,
        at,
        field: 'arguments',
        final: { name: item.name },
        type: 'response.function_call_arguments',
      });
    case 'custom_tool_call':
      return growing({
        text: String(item.input),
        size: 7,
        at,
        field: 'input',
        type: 'response.custom_tool_call_input',
      });
    default:
      return [];
  }
}

function partEvents({ part, at }: { part: JsonRecord; at: JsonRecord }): JsonRecord[] {
  const refusal = part.type === 'refusal';
  const field = refusal ? 'refusal' : 'text';
  const type = refusal ? 'response.refusal' : 'response.output_text';
  const logs = refusal ? {} : { logprobs: [] };
  return [
    { type: 'response.content_part.added', ...at, part: { ...part, [field]: '' } },
    ...growing({ text: String(part[field]), size: 16, at: { ...at, ...logs }, field, type }),
    { type: 'response.content_part.done', ...at, part },
  ];
}

function summaryEvents({ part, at }: { part: JsonRecord; at: JsonRecord }): JsonRecord[] {
  const type = 'response.reasoning_summary_text';
  return [
    { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
    ...growing({ text: String(part.text), size: 16, at, field: 'text', type }),
    { type: 'response.reasoning_summary_part.done', ...at, part },
  ];
}

/** A text in pieces (`.delta`), followed by the whole (`.done`). */
function growing({
  text,
  size,
  at,
  field,
  type,
  final = {},
}: {
  text: string;
  size: number;
  at: JsonRecord;
  field: string;
  type: string;
  final?: JsonRecord;
}): JsonRecord[] {
  return [
    ...pieces({ text, size }).map((delta) => ({ type: `${type}.delta`, ...at, delta })),
    { type: `${type}.done`, ...at, ...final, [field]: text },
  ];
}

function partsOf(value: unknown): JsonRecord[] {
  return isArray(value) ? value.filter(isObject) : [];
}
