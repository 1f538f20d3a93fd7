import { describe, expect, it } from 'vitest';
import { expected, type Rule, verdicts } from './fixtures/rules.ts';

const user = { role: 'user', content: 'hi' };
const call = (id: string, more = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'read',
  arguments: '{}',
  ...more,
});
const output = (id: string, more = {}) => ({ type: 'function_call_output', call_id: id, output: 'ok', ...more });
const answer = (more = {}) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'ok' }],
  ...more,
});
const reason = (id: string, more = {}) => ({
  type: 'reasoning',
  id,
  summary: [],
  encrypted_content: 'sealed',
  ...more,
});
const custom = (id: string) => ({ type: 'custom_tool_call', call_id: id, name: 'patch', input: '***' });
const customOutput = (id: string) => ({ type: 'custom_tool_call_output', call_id: id, output: 'ok' });
const body = (input: unknown, more = {}) => ({ model: 'gpt-5.6', input, ...more });
const loop = [user, call('a'), output('a')];

const rules: Rule[] = [
  {
    rule: 'needs a model',
    legal: body('hi'),
    illegal: { input: 'hi' },
    message: "Missing required parameter: 'model'.",
    path: 'model',
  },
  {
    rule: 'needs an input or something that stands for it',
    legal: { model: 'm', previous_response_id: 'resp_1' },
    illegal: { model: 'm' },
    message: "Missing required parameter: 'input'.",
    path: 'input',
  },
  {
    rule: 'refuses an empty input',
    legal: body([user]),
    illegal: body([]),
    message: "Invalid 'input': empty array.",
    path: 'input',
  },
  {
    rule: 'refuses half a surrogate pair',
    legal: body('😀'),
    illegal: body('\ude00'),
    message: 'We could not parse the JSON body',
    path: 'input',
  },
  {
    rule: 'refuses unknown item types',
    legal: body(loop),
    illegal: body([user, { type: 'tool_result', call_id: 'a' }]),
    message: "Invalid value: 'tool_result'. Supported values are: 'message'",
    path: 'input[1].type',
  },
  {
    rule: 'wants every call answered',
    legal: body(loop),
    illegal: body([user, call('a'), user]),
    message: 'No tool output found for function call a.',
    path: 'input[1]',
  },
  {
    rule: 'wants every output to have a call',
    legal: body(loop),
    illegal: body([user, output('a')]),
    message: 'No tool call found for function call output with call_id a.',
    path: 'input[1]',
  },
  {
    rule: 'wants the output behind its call',
    legal: body([user, call('a'), answer(), output('a')]),
    illegal: body([user, output('a'), call('a')]),
    message: 'No tool call found for function call output with call_id a.',
    path: 'input[1]',
  },
  {
    rule: 'leaves calls of an earlier response to the server',
    legal: body([output('a')], { previous_response_id: 'resp_1' }),
    illegal: body([output('a')]),
    message: 'No tool call found',
    path: 'input[0]',
  },
  {
    rule: 'wants one call a call_id',
    legal: body([...loop, call('b'), output('b')]),
    illegal: body([...loop, call('a'), output('a')]),
    message: 'Duplicate function call found with call_id a.',
    path: 'input[3]',
  },
  {
    rule: 'wants one output a call',
    legal: body(loop),
    illegal: body([...loop, output('a')]),
    message: 'Duplicate function call output found with call_id a.',
    path: 'input[3]',
  },
  {
    rule: 'pairs custom calls with custom outputs',
    legal: body([user, custom('a'), customOutput('a')]),
    illegal: body([user, custom('a'), output('a')]),
    message: 'No tool call found for function call output with call_id a.',
    path: 'input[2]',
  },
  {
    rule: 'names an unanswered custom call',
    legal: body([user, custom('a'), customOutput('a')]),
    illegal: body([user, custom('a')]),
    message: 'No tool output found for custom tool call a.',
    path: 'input[1]',
  },
  {
    rule: 'wants something behind reasoning',
    legal: body([user, reason('rs_1'), answer()]),
    illegal: body([user, answer(), reason('rs_1')]),
    message: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    path: 'input[2]',
  },
  {
    rule: 'wants an item of the assistant behind reasoning',
    legal: body([user, reason('rs_1'), call('a'), output('a')]),
    illegal: body([user, reason('rs_1'), user]),
    message: 'without its required following item',
    path: 'input[1]',
  },
  {
    rule: 'refuses the first of two reasoning items',
    legal: body([user, reason('rs_1'), answer(), reason('rs_2'), answer()]),
    illegal: body([user, reason('rs_1'), reason('rs_2'), answer()]),
    message: "Item 'rs_1' of type 'reasoning'",
    path: 'input[1]',
  },
  {
    rule: 'finds unsealed reasoning only where it is stored',
    legal: body([user, reason('rs_1', { encrypted_content: null }), answer()]),
    illegal: body([user, reason('rs_1', { encrypted_content: null }), answer()], { store: false }),
    message: "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.",
    path: 'input[1]',
    status: 404,
  },
  {
    rule: 'finds stored reasoning only if it knows it',
    legal: body([user, reason('rs_1', { encrypted_content: null }), answer()]),
    illegal: body([user, reason('rs_2', { encrypted_content: null }), answer()]),
    options: { knownItems: new Set(['rs_1']) },
    message: "Item with id 'rs_2' not found.",
    path: 'input[1]',
    status: 404,
  },
  {
    rule: 'asks whether sealed reasoning is ours',
    legal: body([user, reason('rs_1', { encrypted_content: 'ours' }), answer()]),
    illegal: body([user, reason('rs_1', { encrypted_content: 'theirs' }), answer()]),
    options: { verify: ({ signature }) => signature === 'ours' },
    message: 'The encrypted content for item rs_1 could not be verified.',
    path: 'input[1]',
    code: 'invalid_encrypted_content',
  },
  {
    rule: 'wants stored items with the reasoning they were made with',
    legal: body([user, reason('rs_1'), answer({ id: 'msg_1' })]),
    illegal: body([user, answer({ id: 'msg_1' })]),
    options: { requiredReasoning: new Map([['msg_1', 'rs_1']]) },
    message: "Item 'msg_1' of type 'message' was provided without its required 'reasoning' item: 'rs_1'.",
    path: 'input[1]',
  },
  {
    rule: 'resolves references where items are stored',
    legal: body([user, { type: 'item_reference', id: 'msg_1' }]),
    illegal: body([user, { type: 'item_reference', id: 'msg_1' }], { store: false }),
    message: "Item with id 'msg_1' not found.",
    path: 'input[1]',
    status: 404,
  },
  {
    rule: 'resolves references it knows',
    legal: body([user, { id: 'msg_1' }]),
    illegal: body([user, { id: 'msg_2' }]),
    options: { knownItems: new Set(['msg_1']) },
    message: "Item with id 'msg_2' not found.",
    path: 'input[1]',
    status: 404,
  },
  {
    rule: 'knows the prefix of message ids',
    legal: body([user, answer({ id: 'msg_1' })]),
    illegal: body([user, answer({ id: '019f629b' })]),
    message: "Invalid 'input[1].id': '019f629b'. Expected an ID that begins with 'msg'.",
    path: 'input[1].id',
  },
  {
    rule: 'knows the prefix of call ids',
    legal: body([user, call('a', { id: 'fc_1' }), output('a')]),
    illegal: body([user, call('a', { id: 'call_1' }), output('a')]),
    message: "begins with 'fc'",
    path: 'input[1].id',
  },
  {
    rule: 'knows the prefix of reasoning ids',
    legal: body([user, reason('rs_1'), answer()]),
    illegal: body([user, reason('msg_1'), answer()]),
    message: "begins with 'rs'",
    path: 'input[1].id',
  },
  {
    rule: 'limits ids to 64 characters',
    legal: body([user, answer({ id: `msg_${'x'.repeat(60)}` })]),
    illegal: body([user, answer({ id: `msg_${'x'.repeat(61)}` })]),
    message: 'Expected a string with maximum length 64, but got a string with length 65 instead.',
    path: 'input[1].id',
    code: 'string_above_max_length',
  },
  {
    rule: 'limits call_ids to 64 characters',
    legal: body([user, call('x'.repeat(64)), output('x'.repeat(64))]),
    illegal: body([user, call('x'.repeat(65)), output('x'.repeat(65))]),
    message: "Invalid 'input[1].call_id': string too long.",
    path: 'input[1].call_id',
  },
  {
    rule: 'wants ids unique',
    legal: body([user, answer({ id: 'msg_1' }), answer({ id: 'msg_2' })]),
    illegal: body([user, answer({ id: 'msg_1' }), answer({ id: 'msg_1' })]),
    message: 'Duplicate item found with id msg_1.',
    path: 'input[2]',
  },
  {
    rule: 'wants output_text of the assistant',
    legal: body([user, answer()]),
    illegal: body([user, answer({ content: [{ type: 'input_text', text: 'ok' }] })]),
    message: "Invalid value: 'input_text'. Supported values are: 'output_text', and 'refusal'.",
    path: 'input[1].content[0]',
  },
  {
    rule: 'wants input_text of the user',
    legal: body([{ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }]),
    illegal: body([{ role: 'user', content: [{ type: 'output_text', text: 'hi' }] }]),
    message: "Invalid value: 'output_text'. Supported values are: 'input_text'",
    path: 'input[0].content[0]',
  },
  {
    rule: 'wants arguments as a string',
    legal: body(loop),
    illegal: body([user, call('a', { arguments: {} }), output('a')]),
    message: "Invalid type for 'input[1].arguments': expected a string",
    path: 'input[1].arguments',
  },
  {
    rule: 'wants output text or input parts',
    legal: body([user, call('a'), output('a', { output: [{ type: 'input_text', text: 'ok' }] })]),
    illegal: body([user, call('a'), output('a', { output: [{ type: 'text', text: 'ok' }] })]),
    message: "Invalid value: 'text'.",
    path: 'input[2].output[0]',
  },
  {
    rule: 'wants compaction sealed',
    legal: body([{ type: 'compaction', encrypted_content: 'x' }, user]),
    illegal: body([{ type: 'compaction' }, user]),
    message: "Missing required parameter: 'input[0].encrypted_content'.",
    path: 'input[0].encrypted_content',
  },
  {
    rule: 'asks whether a compaction is ours',
    legal: body([{ type: 'compaction', encrypted_content: 'ours' }, user]),
    illegal: body([{ type: 'compaction', encrypted_content: 'text' }, user]),
    options: { verify: ({ signature }) => signature === 'ours' },
    message: 'could not be verified',
    path: 'input[0]',
  },
  {
    rule: 'wants the compaction trigger last',
    legal: body([user, { type: 'compaction_trigger' }]),
    illegal: body([{ type: 'compaction_trigger' }, user]),
    message: 'must be the final input item',
    path: 'input[0]',
  },
];

describe('the Responses judge', () => {
  it.each(rules)('$rule', (rule) => {
    expect(verdicts({ dialect: 'openai-responses', rule })).toEqual(expected(rule));
  });
});
