import { isArray, type Json } from '../judge/json.ts';
import { wantsSealed, wantsSummary } from './asked-thinking.ts';
import type { Speech } from './reply.ts';
import { itemEvents } from './responses-events.ts';
import { event } from './sse.ts';

/** A response, and the items in it, which the server may have to remember. */
export interface Responded {
  response: Json;
  output: Json[];
}

/** What POST /v1/responses makes of a reply: reasoning, then the message, then the calls. */
export function respond(speech: Speech): Responded {
  const output = outputOf(speech);
  return { output, response: { ...shell(speech), ...endOf(speech), output, usage: usageOf(speech) } };
}

/** The answer to an input that ends in a compaction trigger: one sealed item and nothing else. */
export function respondCompacted(speech: Speech): Responded {
  const output = [compactionItem(speech)];
  return { output, response: { ...shell(speech), ...completed(speech), output, usage: usageOf(speech) } };
}

/** What POST /v1/responses/compact answers: "all user messages, followed by a single compaction item". */
export function compacted(speech: Speech): Json {
  const { sealer, created, body } = speech;
  const kept = (isArray(body.input) ? body.input : [{ role: 'user', content: String(body.input) }]) as Json[];
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
export function responsesEvents({ response, output }: Responded): string[] {
  const open = { ...response, ...begun };
  const data: Json[] = [
    { type: 'response.created', response: open },
    { type: 'response.in_progress', response: open },
    ...output.flatMap((item, output_index) => itemEvents({ item, output_index })),
    { type: `response.${response.status === 'incomplete' ? 'incomplete' : 'completed'}`, response },
  ];
  return data.map((each, sequence_number) => event({ name: String(each.type), data: { ...each, sequence_number } }));
}

/** A response that fails after it was created. */
export function responsesFailing({ response, error }: { response: Json; error: Json }): string[] {
  const open = { ...response, ...begun };
  const failed = { ...open, status: 'failed', error: { code: error.code ?? error.type, message: error.message } };
  const data: Json[] = [
    { type: 'response.created', response: open },
    { type: 'error', code: error.code ?? null, message: error.message, param: error.param ?? null },
    { type: 'response.failed', response: failed },
  ];
  return data.map((each, sequence_number) => event({ name: String(each.type), data: { ...each, sequence_number } }));
}

const begun = { status: 'in_progress', completed_at: null, output: [], usage: null, incomplete_details: null };

function completed({ created }: Speech): Json {
  return { status: 'completed', completed_at: created, incomplete_details: null };
}

function endOf(speech: Speech): Json {
  const { reply } = speech;
  if (reply.stop === 'length') return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  if (reply.stop === 'refused') return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
  return completed(speech);
}

function outputOf(speech: Speech): Json[] {
  const { reply, body, sealer } = speech;
  const items: Json[] = [];
  if (reply.thinking !== '') {
    items.push({
      id: sealer.id('rs'),
      type: 'reasoning',
      summary: wantsSummary(body) ? [{ type: 'summary_text', text: reply.thinking }] : [],
      ...(wantsSealed(body) ? { encrypted_content: sealer.seal(reply.thinking) } : {}),
    });
  }
  const status = 'completed';
  const part =
    reply.stop === 'refused'
      ? { type: 'refusal', refusal: reply.text }
      : { type: 'output_text', text: reply.text, annotations: [], logprobs: [] };
  if (reply.text !== '' || items.length + reply.calls.length === 0 || (items.length > 0 && reply.calls.length === 0))
    items.push({ id: sealer.id('msg'), type: 'message', role: 'assistant', status, content: [part] });
  for (const { id, name, json, custom } of reply.calls)
    items.push(
      custom
        ? { id: sealer.id('ctc'), type: 'custom_tool_call', status, call_id: id, name, input: json }
        : { id: sealer.id('fc'), type: 'function_call', status, call_id: id, name, arguments: json },
    );
  // It comes before what is said after it, and takes part in no rule about that.
  if (typeof reply.compaction === 'string')
    items.unshift({ ...compactionItem(speech), encrypted_content: sealer.seal(reply.compaction) });
  const last = items.at(-1);
  // What was being written when the response broke off.
  if (last && (reply.stop === 'length' || reply.stop === 'refused')) last.status = 'incomplete';
  return items;
}

function compactionItem({ reply, sealer }: Speech): Json {
  return { id: sealer.id('cmp'), type: 'compaction', encrypted_content: sealer.seal(reply.text) };
}

function shell({ body, model, sealer, created }: Speech): Json {
  return {
    id: sealer.id('resp'),
    object: 'response',
    ...{ created_at: created, completed_at: null, model, access_programs: null, error: null },
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: body.reasoning ?? { effort: null, summary: null },
    store: body.store ?? true,
    ...{ temperature: 1, top_p: 1, truncation: 'disabled', background: false, service_tier: 'default' },
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
  };
}

function usageOf({ reply: { usage } }: Speech): Json {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  };
}
