import { describe, expect, it } from 'vitest';
import { damaged, gone } from './fixtures/damage.ts';
import { judge } from './index.ts';

type Row = [path: string, value: unknown, message: string];

const chat = {
  model: 'gpt-5.6',
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } },
        { id: 'b', type: 'custom', custom: { name: 'patch', input: '***' } },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: 'ok' },
    { role: 'tool', tool_call_id: 'b', content: 'ok' },
  ],
  tools: [{ type: 'function', function: { name: 'read' } }],
  tool_choice: 'auto',
};

const chatRows: Row[] = [
  ['messages', {}, "Invalid type for 'messages': expected an array of objects, but got an object instead."],
  ['messages[0]', 'hi', "Invalid type for 'messages[0]': expected an object, but got a string instead."],
  ['messages[0].role', gone, "Missing required parameter: 'messages[0].role'."],
  ['messages[0].content', 1, "Invalid type for 'messages[0].content'"],
  ['messages[0].content[0]', 'hi', "Invalid type for 'messages[0].content[0]'"],
  ['messages[0].content[0].type', gone, "Missing required parameter: 'messages[0].content[0].type'."],
  ['messages[0].content[0].text', gone, "Missing required parameter: 'messages[0].content[0].text'."],
  ['messages[0].tool_calls', [], "only messages with role 'assistant' can have a function call"],
  ['messages[1].tool_calls', {}, "Invalid type for 'messages[1].tool_calls'"],
  ['messages[1].tool_calls[0]', 'a', "Invalid type for 'messages[1].tool_calls[0]'"],
  ['messages[1].tool_calls[0].id', gone, "Missing required parameter: 'messages[1].tool_calls[0].id'."],
  ['messages[1].tool_calls[0].id', 1, "Invalid type for 'messages[1].tool_calls[0].id'"],
  ['messages[1].tool_calls[0].type', 'tool', "Invalid value: 'tool'. Supported values are: 'function', and 'custom'."],
  ['messages[1].tool_calls[0].function', gone, "Missing required parameter: 'messages[1].tool_calls[0].function'."],
  ['messages[1].tool_calls[0].function.arguments', gone, "'messages[1].tool_calls[0].function.arguments'."],
  ['messages[1].tool_calls[0].function.name', gone, "'messages[1].tool_calls[0].function.name'."],
  ['messages[1].tool_calls[0].function.name', 1, "Invalid type for 'messages[1].tool_calls[0].function.name'"],
  ['messages[1].tool_calls[1].custom.input', 1, "Invalid type for 'messages[1].tool_calls[1].custom.input'"],
  ['messages[2].tool_call_id', 1, "Invalid type for 'messages[2].tool_call_id'"],
  ['tools', {}, "Invalid type for 'tools'"],
  ['tools[0]', 'read', "Invalid type for 'tools[0]'"],
  ['tools[0].type', gone, "Missing required parameter: 'tools[0].type'."],
  ['tools[0].type', 'bash', "Invalid value: 'bash'."],
  ['tools[0].function', gone, "Missing required parameter: 'tools[0].function'."],
  ['tool_choice', 'any', "Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'."],
];

const responses = {
  model: 'gpt-5.6',
  input: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'read', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a', output: 'ok' },
    { type: 'custom_tool_call', call_id: 'b', name: 'patch', input: '***' },
    { type: 'custom_tool_call_output', call_id: 'b', output: 'ok' },
    { type: 'item_reference', id: 'msg_1' },
  ],
  tools: [{ type: 'function', name: 'read' }, { type: 'web_search' }],
};

const responsesRows: Row[] = [
  [
    'input',
    1,
    "Invalid type for 'input': expected one of a string or array of input items, but got an integer instead.",
  ],
  ['input[0]', 'hi', "Invalid type for 'input[0]'"],
  ['input[0].role', gone, "Missing required parameter: 'input[0].role'."],
  ['input[0].role', 'tool', "Invalid value: 'tool'."],
  ['input[0].content', gone, "Missing required parameter: 'input[0].content'."],
  ['input[0].content', 1, "Invalid type for 'input[0].content'"],
  ['input[0].content[0]', 'hi', "Invalid type for 'input[0].content[0]'"],
  ['input[0].content[0].text', gone, "Missing required parameter: 'input[0].content[0].text'."],
  ['input[1].summary', gone, "Missing required parameter: 'input[1].summary'."],
  ['input[1].id', gone, "Missing required parameter: 'input[1].id'."],
  ['input[2].id', 1, "Invalid type for 'input[2].id'"],
  ['input[2].id', 'fc 1', 'Expected an ID that contains letters, numbers, underscores, or dashes'],
  ['input[2].call_id', gone, "Missing required parameter: 'input[2].call_id'."],
  ['input[2].call_id', '', "Invalid 'input[2].call_id': empty string."],
  ['input[2].name', 'fs.read', "Invalid 'input[2].name': string does not match pattern."],
  ['input[2].arguments', gone, "Missing required parameter: 'input[2].arguments'."],
  ['input[3].output', gone, "Missing required parameter: 'input[3].output'."],
  ['input[3].output', {}, "Invalid type for 'input[3].output'"],
  ['input[4].input', gone, "Missing required parameter: 'input[4].input'."],
  ['input[6].id', gone, "Missing required parameter: 'input[6].id'."],
  ['conversation', 'conv_1', 'Mutually exclusive parameters'],
  ['tools[0].name', gone, "Missing required parameter: 'tools[0].name'."],
  ['tools[1].type', gone, "Missing required parameter: 'tools[1].type'."],
];

describe('the Chat Completions judge on shapes', () => {
  it('accepts the specimen', () => {
    expect(judge({ dialect: 'openai-chat', body: chat })).toEqual({ legal: true });
  });

  it.each(chatRows)('rejects it with %s %s', (path, value, message) => {
    const verdict = judge({ dialect: 'openai-chat', body: damaged({ body: chat, path, value }) });
    expect(verdict).toMatchObject({ legal: false, status: 400, message: expect.stringContaining(message) });
  });
});

describe('the Responses judge on shapes', () => {
  const specimen = { ...responses, previous_response_id: 'resp_1' };

  it('accepts the specimen', () => {
    expect(judge({ dialect: 'openai-responses', body: specimen })).toEqual({ legal: true });
  });

  it.each(responsesRows)('rejects it with %s %s', (path, value, message) => {
    const verdict = judge({ dialect: 'openai-responses', body: damaged({ body: specimen, path, value }) });
    expect(verdict).toMatchObject({ legal: false, status: 400, message: expect.stringContaining(message) });
  });
});
