import { describe, expect, it } from 'vitest';
import { expected, type Rule, verdicts } from './fixtures/rules.ts';

const user = (...parts: unknown[]) => ({ role: 'user', parts });
const model = (...parts: unknown[]) => ({ role: 'model', parts });
const text = (value: string, more = {}) => ({ text: value, ...more });
const call = (name: string, more = {}) => ({ functionCall: { name, args: {} }, ...more });
const callId = (name: string, id: string) => ({ functionCall: { name, args: {}, id } });
const reply = (name: string, id?: string) => ({
  functionResponse: { name, response: { output: 'ok' }, ...(id === undefined ? {} : { id }) },
});
const body = (contents: unknown, more = {}) => ({ contents, ...more });
const hi = user(text('hi'));
const loop = [hi, model(call('read')), user(reply('read'))];
const signed = { thoughtSignature: 'ours' };

const rules: Rule[] = [
  {
    rule: 'needs contents',
    legal: body([hi]),
    illegal: body([]),
    message: 'GenerateContentRequest.contents: contents is not specified',
    path: 'contents',
  },
  {
    rule: 'refuses half a surrogate pair',
    legal: body([user(text('😀'))]),
    illegal: body([user(text('\ud83d'))]),
    message: 'Invalid JSON payload received.',
    path: 'contents[0].parts[0].text',
  },
  {
    rule: 'knows two roles, and none for the user',
    legal: body([{ parts: [text('hi')] }]),
    illegal: body([{ role: 'assistant', parts: [text('hi')] }]),
    message: 'Please use a valid role: user, model.',
    path: 'contents[0]',
  },
  {
    rule: 'takes the role function for the user',
    legal: body([hi, model(call('read')), { role: 'function', parts: [reply('read')] }]),
    illegal: body([hi, model(call('read')), { role: 'tool', parts: [reply('read')] }]),
    message: 'Please use a valid role',
    path: 'contents[2]',
  },
  {
    rule: 'needs parts',
    legal: body([hi]),
    illegal: body([user()]),
    message: 'contents.parts must not be empty',
    path: 'contents[0].parts',
  },
  {
    rule: 'wants data in a part',
    legal: body([hi]),
    illegal: body([user({ thought: true })]),
    message: "contents[0].parts[0].data: required oneof field 'data' must have one initialized field",
    path: 'contents[0].parts[0]',
  },
  {
    rule: 'wants one kind of data in a part',
    legal: body(loop),
    illegal: body([hi, model({ ...call('read'), text: 'x' }), user(reply('read'))]),
    message: "oneof field 'data' is already set. Cannot set 'functionCall'",
    path: 'contents[1].parts[0]',
  },
  {
    rule: 'refuses empty text without a signature',
    legal: body([hi, model(text('', signed)), hi]),
    illegal: body([hi, model(text('')), hi]),
    message: "required oneof field 'data'",
    path: 'contents[1].parts[0]',
  },
  {
    rule: 'refuses unknown fields of a part',
    legal: body([user({ inline_data: { mime_type: 'image/png', data: 'AAAA' } })]),
    illegal: body([user({ type: 'text', text: 'hi' })]),
    message: 'Unknown name "type" at \'contents[0].parts[0]\': Cannot find field.',
    path: 'contents[0].parts[0]',
  },
  {
    rule: 'refuses unknown fields of a content',
    legal: body([hi]),
    illegal: body([{ ...hi, id: '1' }]),
    message: 'Unknown name "id"',
    path: 'contents[0]',
  },
  {
    rule: 'takes neighbors of one role for one turn',
    legal: body([hi, model(text('so')), model(call('a')), model(call('b')), user(reply('a')), user(reply('b'))]),
    illegal: body([hi, model(call('a')), model(call('b')), user(reply('a'))]),
    message:
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    path: 'contents[3]',
  },
  {
    rule: 'wants responses for calls',
    legal: body(loop),
    illegal: body([hi, model(call('read')), hi]),
    message: 'number of function response parts is equal',
    path: 'contents[2]',
  },
  {
    rule: 'refuses more responses than calls',
    legal: body(loop),
    illegal: body([hi, model(call('read')), user(reply('read'), reply('read'))]),
    message: 'number of function response parts is equal',
    path: 'contents[2]',
  },
  {
    rule: 'refuses responses without calls',
    legal: body(loop),
    illegal: body([hi, model(text('ok')), user(reply('read'))]),
    message: 'Please ensure that function response turn comes immediately after a function call turn.',
    path: 'contents[2]',
  },
  {
    rule: 'refuses a response at the front',
    legal: body(loop),
    illegal: body([user(reply('read'))]),
    message: 'function response turn comes immediately after',
    path: 'contents[0]',
  },
  {
    rule: 'wants responses before other parts',
    legal: body([hi, model(call('read')), user(reply('read'), text('go'))]),
    illegal: body([hi, model(call('read')), user(text('go'), reply('read'))]),
    message: 'function response turn comes immediately after',
    path: 'contents[2]',
  },
  {
    rule: 'wants response names that were called',
    legal: body([hi, model(call('a'), call('b')), user(reply('b'), reply('a'))]),
    illegal: body([hi, model(call('a'), call('b')), user(reply('a'), reply('a'))]),
    message: 'no function call `a`',
    path: 'contents[2].parts[1]',
  },
  {
    rule: 'wants response ids that were called',
    legal: body([hi, model(callId('a', '1')), user(reply('a', '1'))]),
    illegal: body([hi, model(callId('a', '1')), user(reply('a', '2'))]),
    message: 'with id 2',
    path: 'contents[2].parts[0]',
  },
  {
    rule: 'begins with the user',
    legal: body([hi]),
    illegal: body([model(text('hi')), hi]),
    message: "First content should be with role 'user'",
    path: 'contents[0]',
  },
  {
    rule: 'has calls only behind a user turn',
    legal: body(loop),
    illegal: body([model(call('read')), user(reply('read'))]),
    message:
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    path: 'contents[0]',
  },
  {
    rule: 'ends with the user',
    legal: body([hi, model(text('ok')), hi]),
    illegal: body([hi, model(text('ok'))]),
    message: 'Please ensure that multiturn requests ends with a user role or a function response.',
    path: 'contents[1]',
  },
  {
    rule: 'wants args to be an object',
    legal: body(loop),
    illegal: body([hi, model({ functionCall: { name: 'read', args: '{}' } }), user(reply('read'))]),
    message: "Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct)",
    path: 'contents[1].parts[0]',
  },
  {
    rule: 'wants a response to be an object',
    legal: body(loop),
    illegal: body([hi, model(call('read')), user({ functionResponse: { name: 'read', response: 'ok' } })]),
    message: 'function_response.response',
    path: 'contents[2].parts[0]',
  },
  {
    rule: 'wants a name on a response',
    legal: body(loop),
    illegal: body([hi, model(call('read')), user({ functionResponse: { response: {} } })]),
    message: 'function_response.name: Name cannot be empty.',
    path: 'contents[2].parts[0]',
  },
  {
    rule: 'knows the pattern of function names',
    legal: body([hi], { tools: [{ functionDeclarations: [{ name: 'fs.read-1' }] }] }),
    illegal: body([hi], { tools: [{ functionDeclarations: [{ name: '1read' }] }] }),
    message: 'tools[0].function_declarations[0].name: Invalid function name.',
    path: 'tools[0].functionDeclarations[0]',
  },
  {
    rule: 'wants declared names unique',
    legal: body([hi], { tools: [{ functionDeclarations: [{ name: 'a' }, { name: 'b' }] }] }),
    illegal: body([hi], { tools: [{ functionDeclarations: [{ name: 'a' }, { name: 'a' }] }] }),
    message: 'Duplicate function declaration found: a',
    path: 'tools[0].functionDeclarations[1]',
  },
  {
    rule: 'wants a system instruction with parts',
    legal: body([hi], { systemInstruction: { parts: [text('be brief')] } }),
    illegal: body([hi], { systemInstruction: { parts: [] } }),
    message: 'parts must not be empty',
    path: 'systemInstruction.parts',
  },
  {
    rule: 'wants the current calls signed',
    legal: body([hi, model(call('a', signed), call('b')), user(reply('a'), reply('b'))]),
    illegal: body([hi, model(call('a'), call('b', signed)), user(reply('a'), reply('b'))]),
    options: { signedCalls: true },
    message: 'Function call is missing a thought_signature in functionCall parts.',
    path: 'contents[1].parts[0]',
  },
  {
    rule: 'wants each step of the current turn signed',
    legal: body([hi, model(call('a', signed)), user(reply('a')), model(call('b', signed)), user(reply('b'))]),
    illegal: body([hi, model(call('a', signed)), user(reply('a')), model(call('b')), user(reply('b'))]),
    options: { signedCalls: true },
    message: 'function call `default_api:b` , position 4',
    path: 'contents[3].parts[0]',
  },
  {
    rule: 'leaves earlier turns unsigned',
    legal: body([...loop, model(text('ok')), hi]),
    illegal: body(loop),
    options: { signedCalls: true },
    message: 'missing a thought_signature',
    path: 'contents[1].parts[0]',
  },
  {
    rule: 'accepts the documented dummy and no other stranger',
    legal: body([hi, model(call('a', { thoughtSignature: 'skip_thought_signature_validator' })), user(reply('a'))]),
    illegal: body([hi, model(call('a', { thoughtSignature: 'invented' })), user(reply('a'))]),
    options: { signedCalls: true, verify: ({ signature }) => signature === 'ours' },
    message: 'Corrupted thought signature.',
    path: 'contents[1].parts[0]',
  },
  {
    rule: 'holds a signature against the call it signed',
    legal: body([hi, model(call('a', { thoughtSignature: '{"args":{},"name":"a"}' })), user(reply('a'))]),
    illegal: body([hi, model(call('b', { thoughtSignature: '{"args":{},"name":"a"}' })), user(reply('b'))]),
    options: { verify: ({ signature, text: said }) => signature === said },
    message: 'Corrupted thought signature.',
    path: 'contents[1].parts[0]',
  },
  {
    rule: 'accepts on request all responses twice, but not some of them',
    legal: body([
      hi,
      model(callId('a', '1'), callId('b', '2')),
      user(reply('a', '1'), reply('b', '2'), reply('a', '1'), reply('b', '2')),
    ]),
    illegal: body([
      hi,
      model(callId('a', '1'), callId('b', '2')),
      user(reply('a', '1'), reply('b', '2'), reply('a', '1')),
    ]),
    options: { repeatedResponses: true },
    message: 'the number of function response parts is equal',
    path: 'contents[2]',
  },
];

describe('the Gemini judge', () => {
  it.each(rules)('$rule', (rule) => {
    expect(verdicts({ dialect: 'gemini', rule })).toEqual(expected(rule));
  });
});
