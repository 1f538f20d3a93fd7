import fc from 'fast-check';
import type { Json, JsonObject } from '../../json.ts';
import type { Dialect } from '../message.ts';

function listOf(item: fc.Arbitrary<Json>): fc.Arbitrary<Json[]> {
  return fc.array(fc.oneof({ weight: 12, arbitrary: item }, { weight: 1, arbitrary: json() }), { maxLength: 8 });
}

function json(): fc.Arbitrary<Json> {
  return fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
}

const text = fc.oneof(
  fc.constantFrom('', ' ', 'run the tests', '<system-reminder>be brief</system-reminder>', '日本語 👩‍👩‍👧', '\ud800'),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const id = fc.constantFrom('call_1', 'call_2', 'toolu_3', '');
const name = fc.constantFrom('read', 'bash', 'mcp.search');
const cache = fc.constantFrom<Json>({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' }, null, { type: 'other' });
const dataUrl = fc.constantFrom('data:image/png;base64,iVBORw0KGgo=', 'https://example.com/a.png', 'data:,plain');

/** An object with the given members, each sometimes absent or junk, and unknown ones beside them. */
function shape(members: Record<string, fc.Arbitrary<unknown>>, optional: Record<string, fc.Arbitrary<unknown>> = {}) {
  const noisy = Object.fromEntries(Object.entries(members).map(([key, value]) => [key, mostly(value)]));
  const extra = fc.dictionary(fc.constantFrom('id', 'status', 'x_trace', '__proto__', 'type2'), json(), { maxKeys: 2 });
  return fc
    .tuple(extra, fc.record({ ...noisy, ...optional }, { requiredKeys: Object.keys(members) }))
    .map(([unknown, known]) => JSON.parse(JSON.stringify({ ...unknown, ...known })) as JsonObject);
}

function mostly(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: value }, { weight: 1, arbitrary: fc.oneof(json(), fc.constant(undefined)) });
}

const is = (type: string) => fc.constant(type);
const list = (value: fc.Arbitrary<unknown>) => fc.array(value, { maxLength: 3 });

function anthropicItem(): fc.Arbitrary<Json> {
  const source = fc.oneof(
    shape({ type: is('base64'), media_type: is('image/png'), data: is('aGk=') }),
    fc.constantFrom<Json>({ type: 'url', url: 'https://example.com' }, { type: 'file', file_id: 'f1' }),
    fc.constant<Json>({ type: 'text', media_type: 'text/plain', data: 'x' }),
  );
  const content = fc.oneof(
    shape({ type: is('text'), text }, { cache_control: cache, citations: json() }),
    shape({ type: is('image'), source }, { cache_control: cache }),
    shape({ type: is('document'), source }, { title: text, context: text }),
    shape({ type: is('tool_reference'), tool_name: name }),
  );
  const block = fc.oneof(
    { weight: 2, arbitrary: content },
    shape({ type: is('thinking'), thinking: text }, { signature: text }),
    shape({ type: is('redacted_thinking'), data: text }),
    shape(
      { type: is('tool_use'), id, name, input: fc.oneof(fc.dictionary(name, json()), json()) },
      { cache_control: cache },
    ),
    shape(
      { type: is('tool_result'), tool_use_id: id },
      { content: fc.oneof(text, list(content)), is_error: fc.boolean(), cache_control: cache },
    ),
    shape({ type: is('server_tool_use'), id, name, input: json() }),
  );
  const role = fc.constantFrom('user', 'assistant', 'system');
  return shape({ role, content: fc.oneof(text, list(block)) });
}

function chatItem(): fc.Arbitrary<Json> {
  const part = fc.oneof(
    shape({ type: is('text'), text }, { cache_control: cache }),
    shape({ type: is('image_url'), image_url: shape({ url: dataUrl }, { detail: is('low') }) }),
    shape({ type: is('file'), file: shape({}, { file_id: id, file_data: dataUrl, filename: text }) }),
    shape({ type: is('refusal'), refusal: text }),
  );
  const content = fc.oneof(text, list(part));
  const call = fc.oneof(
    shape({ id, type: is('function'), function: shape({ name, arguments: text }) }),
    shape({ id, function: shape({ name, arguments: is('{}') }) }, { index: fc.nat(3) }),
    shape({ id, type: is('custom'), custom: shape({ name, input: text }) }),
  );
  return fc.oneof(
    shape({ role: fc.constantFrom('system', 'developer', 'user', 'function'), content }, { name }),
    shape(
      { role: is('assistant') },
      {
        content: fc.oneof(content, fc.constant(null)),
        tool_calls: list(call),
        refusal: fc.oneof(text, fc.constant(null)),
        reasoning_content: fc.oneof(text, fc.constant(null)),
        reasoning: text,
      },
    ),
    shape({ role: is('tool'), tool_call_id: id, content }, { name }),
  );
}

function responsesItem(): fc.Arbitrary<Json> {
  const part = fc.oneof(
    shape({ type: fc.constantFrom('input_text', 'output_text'), text }, { annotations: fc.constant([]) }),
    shape({ type: is('input_image') }, { image_url: dataUrl, file_id: id, detail: fc.constantFrom('low', null) }),
    shape({ type: is('input_file') }, { file_data: dataUrl, file_url: dataUrl, file_id: id, filename: text }),
    shape({ type: is('refusal'), refusal: text }),
  );
  const summary = list(shape({ type: is('summary_text'), text }));
  const output = fc.oneof(text, list(part));
  return fc.oneof(
    shape(
      { role: fc.constantFrom('user', 'assistant', 'system', 'developer'), content: fc.oneof(text, list(part)) },
      { type: is('message'), phase: text },
    ),
    shape({ type: is('function_call'), call_id: id, name, arguments: text }),
    shape({ type: is('custom_tool_call'), call_id: id, name, input: text }),
    shape({ type: fc.constantFrom('function_call_output', 'custom_tool_call_output'), call_id: id, output }),
    shape(
      { type: is('reasoning'), summary },
      {
        content: list(shape({ type: is('reasoning_text'), text })),
        encrypted_content: fc.oneof(text, fc.constant(null)),
      },
    ),
    shape({ id }, { type: is('item_reference') }),
    shape({
      type: fc.constantFrom('compaction', 'web_search_call', 'local_shell_call_output'),
      encrypted_content: text,
    }),
  );
}

function geminiItem(): fc.Arbitrary<Json> {
  const media = fc.oneof(
    shape({ inlineData: shape({ mimeType: fc.constantFrom('image/png', 'audio/wav'), data: is('aGk=') }) }),
    shape({ fileData: shape({ fileUri: is('gs://x') }, { mimeType: is('application/pdf') }) }),
  );
  const response = fc.oneof(
    shape({ output: text }),
    shape({ error: text }),
    fc.constantFrom<Json>({ output: 'done' }, { error: 'no' }, { result: 'ok' }, {}),
    fc.dictionary(name, json()),
  );
  const part = fc.oneof(
    shape({ text }, { thought: fc.boolean(), thoughtSignature: text }),
    shape({ functionCall: shape({ name }, { id, args: fc.dictionary(name, json()) }) }, { thoughtSignature: text }),
    shape({ functionResponse: shape({ name, response }, { id, parts: list(media) }) }),
    media,
    shape({ executableCode: json() }),
    shape({ function_call: shape({ name }, { args: fc.dictionary(name, json()) }) }, { thought_signature: text }),
    shape({ inline_data: shape({ mime_type: is('image/png'), data: is('aGk=') }) }, { thoughtSignature: text }),
  );
  return shape({ parts: list(part) }, { role: fc.constantFrom('user', 'model', 'function') });
}

/**
 * Items as clients put them on the wire: mostly well-formed, with unknown members anywhere, members missing or of the
 * wrong kind, and now and then something that is no item at all.
 */
export const itemsOf: { readonly [D in Dialect]: fc.Arbitrary<Json[]> } = {
  anthropic: listOf(anthropicItem()),
  'openai-chat': listOf(chatItem()),
  'openai-responses': listOf(responsesItem()),
  gemini: listOf(geminiItem()),
};
