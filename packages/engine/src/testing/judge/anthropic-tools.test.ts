import { describe, expect, it } from 'vitest';
import { assistant, body, call, hello, loop, result, text, think, tool, user } from './fixtures/anthropic.ts';
import { expected, type Rule, verdicts } from './fixtures/rules.ts';

const rules: Rule[] = [
  {
    rule: 'wants every call answered',
    legal: body(loop),
    illegal: body([user('hi'), assistant([call('a')]), user('go')]),
    message:
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    path: 'messages[1]',
  },
  {
    rule: 'wants a last call answered',
    legal: body(loop),
    illegal: body([user('hi'), assistant([call('a')])]),
    message: '`tool_use` ids were found without',
    path: 'messages[1]',
  },
  {
    rule: 'wants results before other content',
    legal: body([user('hi'), assistant([call('a')]), user([result('a'), text('go')])]),
    illegal: body([user('hi'), assistant([call('a')]), user([text('go'), result('a')])]),
    message: '`tool_use` ids were found without',
    path: 'messages[1]',
  },
  {
    rule: 'refuses results of no call',
    legal: body(loop),
    illegal: body([user('hi'), assistant('ok'), user([result('a')])]),
    message: 'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a.',
    path: 'messages[2].content[0]',
  },
  {
    rule: 'refuses results of an earlier call',
    legal: body([...loop, assistant('ok'), user('go')]),
    illegal: body([...loop, assistant('ok'), user([result('a')])]),
    message: 'unexpected `tool_use_id`',
    path: 'messages[4].content[0]',
  },
  {
    rule: 'wants one result a call',
    legal: body(loop),
    illegal: body([user('hi'), assistant([call('a')]), user([result('a'), result('a')])]),
    message:
      'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
    path: 'messages[2].content[1]',
  },
  {
    rule: 'wants call ids unique in a turn',
    legal: body([user('hi'), assistant([call('a'), call('b')]), user([result('a'), result('b')])]),
    illegal: body([user('hi'), assistant([call('a'), call('a')]), user([result('a')])]),
    message: 'messages.1.content.1: `tool_use` ids must be unique',
    path: 'messages[1].content[1]',
  },
  {
    rule: 'wants call ids unique in the conversation',
    legal: body([...loop, assistant([call('b')]), user([result('b')])]),
    illegal: body([...loop, assistant([call('a')]), user([result('a')])]),
    message: '`tool_use` ids must be unique',
    path: 'messages[3].content[0]',
  },
  {
    rule: 'knows the pattern of call ids',
    legal: body([user('hi'), assistant([call('a-B_1')]), user([result('a-B_1')])]),
    illegal: body([user('hi'), assistant([call('a.b')]), user([result('a.b')])]),
    message: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    path: 'messages[1].content[0]',
  },
  {
    rule: 'knows the pattern of tool names',
    legal: body([user('hi'), assistant([call('a', { name: 'x'.repeat(128) })]), user([result('a')])]),
    illegal: body([user('hi'), assistant([call('a', { name: 'fs.read' })]), user([result('a')])]),
    message: 'tool_use.name: String should match pattern',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'wants the input to be an object',
    legal: body(loop),
    illegal: body([user('hi'), assistant([call('a', { input: '{}' })]), user([result('a')])]),
    message: 'tool_use.input: Input should be a valid dictionary',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'keeps results out of assistant turns',
    legal: body(loop),
    illegal: body([user('hi'), assistant([result('a')]), user('go')]),
    message: 'messages.1: `tool_result` blocks can only be in `user` messages',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'keeps calls out of user turns',
    legal: body(loop),
    illegal: body([user([call('a')])]),
    message: 'messages.0: `tool_use` blocks can only be in `assistant` messages',
    path: 'messages[0].content[0]',
  },
  {
    rule: 'accepts empty text inside a result, but not unknown parts',
    legal: body([user('hi'), assistant([call('a')]), user([result('a', { content: [text('')] })])]),
    illegal: body([user('hi'), assistant([call('a')]), user([result('a', { content: [think()] })])]),
    message: "Input tag 'thinking' found",
    path: 'messages[2].content[0].content[0]',
  },
  {
    rule: 'wants tool definitions with a schema',
    legal: body(hello, { tools: [tool] }),
    illegal: body(hello, { tools: [{ name: 'read' }] }),
    message: 'tools.0.custom.input_schema: Field required',
    path: 'tools[0]',
  },
  {
    rule: 'wants a schema that describes an object',
    legal: body(hello, { tools: [tool] }),
    illegal: body(hello, { tools: [{ name: 'read', input_schema: { type: 'string' } }] }),
    message: "input_schema.type: Input should be 'object'",
    path: 'tools[0]',
  },
  {
    rule: 'wants tool names unique',
    legal: body(hello, { tools: [tool, { ...tool, name: 'b' }] }),
    illegal: body(hello, { tools: [tool, tool] }),
    message: 'tools: Tool names must be unique.',
    path: 'tools[1]',
  },
  {
    rule: 'knows four tool choices',
    legal: body(hello, { tools: [tool], tool_choice: { type: 'any' } }),
    illegal: body(hello, { tools: [tool], tool_choice: { type: 'required' } }),
    message: "Input tag 'required' found",
    path: 'tool_choice',
  },
  {
    rule: 'wants a chosen tool to exist',
    legal: body(hello, { tools: [tool], tool_choice: { type: 'tool', name: 'read' } }),
    illegal: body(hello, { tools: [tool], tool_choice: { type: 'tool', name: 'rm' } }),
    message: "Tool 'rm' not found in provided tools",
    path: 'tool_choice',
  },
  {
    rule: 'wants tools where one is forced',
    legal: body(hello, { tools: [tool], tool_choice: { type: 'auto' } }),
    illegal: body(hello, { tool_choice: { type: 'any' } }),
    message: 'tool_choice may only be specified while providing tools',
    path: 'tool_choice',
  },
];

describe('the Anthropic judge on tools', () => {
  it.each(rules)('$rule', (rule) => {
    expect(verdicts({ dialect: 'anthropic', rule })).toEqual(expected(rule));
  });
});
