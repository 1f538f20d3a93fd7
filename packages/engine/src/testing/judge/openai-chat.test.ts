import { describe, expect, it } from 'vitest';
import { expected, type Rule, verdicts } from './fixtures/rules.ts';

const user = (content: unknown) => ({ role: 'user', content });
const call = (id: string, more = {}) => ({
  id,
  type: 'function',
  function: { name: 'read', arguments: '{}' },
  ...more,
});
const calls = (...list: unknown[]) => ({ role: 'assistant', content: null, tool_calls: list });
const tool = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });
const body = (messages: unknown, more = {}) => ({ model: 'gpt-5.6', messages, ...more });
const fn = { type: 'function', function: { name: 'read', parameters: { type: 'object' } } };
const hello = [user('hi')];
const loop = [user('hi'), calls(call('a')), tool('a')];

const rules: Rule[] = [
  {
    rule: 'needs a model',
    legal: body(hello),
    illegal: { messages: hello },
    message: 'you must provide a model parameter',
    path: 'model',
  },
  {
    rule: 'needs messages',
    legal: body(hello),
    illegal: { model: 'm' },
    message: "Missing required parameter: 'messages'.",
    path: 'messages',
    code: 'missing_required_parameter',
  },
  {
    rule: 'needs at least one message',
    legal: body(hello),
    illegal: body([]),
    message: "Invalid 'messages': empty array.",
    path: 'messages',
    code: 'empty_array',
  },
  {
    rule: 'refuses half a surrogate pair',
    legal: body([user('😀')]),
    illegal: body([user('\ud83d')]),
    message: 'We could not parse the JSON body of your request',
    path: 'messages[0].content',
  },
  {
    rule: 'knows six roles',
    legal: body([{ role: 'developer', content: 'x' }, ...hello]),
    illegal: body([{ role: 'model', content: 'x' }]),
    message:
      "Invalid value: 'model'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
    path: 'messages[0].role',
  },
  {
    rule: 'wants calls answered by the end',
    legal: body(loop),
    illegal: body([user('hi'), calls(call('a'))]),
    message:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a",
    path: 'messages[1]',
  },
  {
    rule: 'wants calls answered directly',
    legal: body([...loop, user('go')]),
    illegal: body([user('hi'), calls(call('a')), user('go'), tool('a')]),
    message: 'did not have response messages: a',
    path: 'messages[1]',
  },
  {
    rule: 'wants every parallel call answered',
    legal: body([user('hi'), calls(call('a'), call('b')), tool('b'), tool('a')]),
    illegal: body([user('hi'), calls(call('a'), call('b')), tool('b')]),
    message: 'did not have response messages: a',
    path: 'messages[1]',
  },
  {
    rule: 'refuses tool messages without calls',
    legal: body(loop),
    illegal: body([user('hi'), tool('a')]),
    message:
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    path: 'messages[1]',
  },
  {
    rule: 'refuses tool messages behind another turn',
    legal: body([...loop, { role: 'assistant', content: 'ok' }]),
    illegal: body([...loop, { role: 'assistant', content: 'ok' }, tool('a')]),
    message: "messages with role 'tool' must be a response",
    path: 'messages[4]',
  },
  {
    rule: 'refuses tool messages of another id',
    legal: body(loop),
    illegal: body([user('hi'), calls(call('a')), tool('b')]),
    message: "'tool_call_id' of 'b' not found in 'tool_calls' of previous message.",
    path: 'messages[2]',
  },
  {
    rule: 'wants one tool message a call',
    legal: body(loop),
    illegal: body([...loop, tool('a')]),
    message: "Duplicate value for 'tool_call_id' of a",
    path: 'messages[3]',
  },
  {
    rule: 'wants ids unique in a batch',
    legal: body([...loop, calls(call('a')), tool('a')]),
    illegal: body([user('hi'), calls(call('a'), call('a')), tool('a')]),
    message: "Duplicate value for 'tool_call_id' of a",
    path: 'messages[1]',
  },
  {
    rule: 'wants assistant content or calls',
    legal: body([user('hi'), calls(call('a')), tool('a')]),
    illegal: body([user('hi'), { role: 'assistant', content: null }]),
    message: "Invalid value for 'content': expected a string, got null.",
    path: 'messages[1].content',
  },
  {
    rule: 'takes a refusal for content',
    legal: body([user('hi'), { role: 'assistant', content: null, refusal: 'no' }]),
    illegal: body([user('hi'), { role: 'assistant', refusal: null }]),
    message: "Missing required parameter: 'messages[1].content'.",
    path: 'messages[1].content',
  },
  {
    rule: 'refuses empty call lists',
    legal: body(loop),
    illegal: body([user('hi'), { role: 'assistant', content: 'ok', tool_calls: [] }]),
    message: "Invalid 'messages[1].tool_calls': empty array.",
    path: 'messages[1].tool_calls',
  },
  {
    rule: 'refuses empty content lists',
    legal: body([user([{ type: 'text', text: 'hi' }])]),
    illegal: body([user([])]),
    message: "Invalid 'messages[0].content': empty array.",
    path: 'messages[0].content',
  },
  {
    rule: 'limits call ids to 40 characters',
    legal: body([user('hi'), calls(call('x'.repeat(40))), tool('x'.repeat(40))]),
    illegal: body([user('hi'), calls(call('x'.repeat(41))), tool('x'.repeat(41))]),
    message: 'Expected a string with maximum length 40, but got a string with length 41 instead.',
    path: 'messages[1].tool_calls[0].id',
    code: 'string_above_max_length',
  },
  {
    rule: 'knows the pattern of function names',
    legal: body(loop),
    illegal: body([user('hi'), calls(call('a', { function: { name: 'fs.read', arguments: '{}' } })), tool('a')]),
    message: "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    path: 'messages[1].tool_calls[0].function.name',
  },
  {
    rule: 'limits function names to 64 characters',
    legal: body(hello, { tools: [{ type: 'function', function: { name: 'x'.repeat(64) } }] }),
    illegal: body(hello, { tools: [{ type: 'function', function: { name: 'x'.repeat(65) } }] }),
    message: 'maximum length 64',
    path: 'tools[0].function.name',
  },
  {
    rule: 'wants arguments as a string',
    legal: body(loop),
    illegal: body([user('hi'), calls(call('a', { function: { name: 'read', arguments: {} } })), tool('a')]),
    message:
      "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
    path: 'messages[1].tool_calls[0].function.arguments',
    code: 'invalid_type',
  },
  {
    rule: 'wants a type on calls',
    legal: body(loop),
    illegal: body([user('hi'), calls({ id: 'a', function: { name: 'read', arguments: '{}' } }), tool('a')]),
    message: "Missing required parameter: 'messages[1].tool_calls[0].type'.",
    path: 'messages[1].tool_calls[0].type',
  },
  {
    rule: 'knows the parts of a user message',
    legal: body([user([{ type: 'image_url', image_url: { url: 'https://x' } }])]),
    illegal: body([user([{ type: 'input_text', text: 'hi' }])]),
    message: "Invalid value: 'input_text'. Supported values are: 'text'",
    path: 'messages[0].content[0].type',
  },
  {
    rule: 'keeps images out of assistant messages',
    legal: body([user('hi'), { role: 'assistant', content: [{ type: 'text', text: 'ok' }] }]),
    illegal: body([
      user('hi'),
      { role: 'assistant', content: [{ type: 'image_url', image_url: { url: 'https://x' } }] },
    ]),
    message: "Image URLs are only allowed for messages with role 'user'",
    path: 'messages[1]',
  },
  {
    rule: 'wants text in tool messages',
    legal: body([user('hi'), calls(call('a')), { ...tool('a'), content: [{ type: 'text', text: 'ok' }] }]),
    illegal: body([user('hi'), calls(call('a')), { ...tool('a'), content: [{ type: 'file', file: {} }] }]),
    message: "Invalid value: 'file'. Supported values are: 'text'.",
    path: 'messages[2].content[0].type',
  },
  {
    rule: 'wants an id on tool messages',
    legal: body(loop),
    illegal: body([user('hi'), calls(call('a')), { role: 'tool', content: 'ok' }]),
    message: "Missing required parameter: 'messages[2].tool_call_id'.",
    path: 'messages[2].tool_call_id',
  },
  {
    rule: 'refuses an empty tool list',
    legal: body(hello, { tools: [fn] }),
    illegal: body(hello, { tools: [] }),
    message: "Invalid 'tools': empty array.",
    path: 'tools',
  },
  {
    rule: 'refuses a tool choice without tools',
    legal: body(hello, { tools: [fn], tool_choice: 'auto' }),
    illegal: body(hello, { tool_choice: 'auto' }),
    message: "'tool_choice' is only allowed when 'tools' are specified.",
    path: 'tool_choice',
  },
];

describe('the Chat Completions judge', () => {
  it.each(rules)('$rule', (rule) => {
    expect(verdicts({ dialect: 'openai-chat', rule })).toEqual(expected(rule));
  });
});
