import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, type Json } from '../json.ts';
import { runs } from '../testing/runs.ts';
import { itemsOf } from './codecs/items.arbitrary.ts';
import { readConversation, writeRequest } from './document.ts';
import { dialects } from './message.ts';

const bodies = {
  anthropic: {
    model: 'claude-opus-5',
    max_tokens: 10,
    system: [{ type: 'text', text: 'You help.', cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: 'hi' }],
    tools: [
      { name: 'ls', description: 'Lists.', input_schema: { type: 'object', properties: { path: { type: 'string' } } } },
    ],
  },
  'openai-chat': {
    model: 'gpt-5',
    messages: [
      { role: 'developer', content: 'You help.' },
      { role: 'user', content: 'hi' },
    ],
    tools: [{ type: 'function', function: { name: 'ls', description: 'Lists.', parameters: { type: 'object' } } }],
  },
  'openai-responses': {
    model: 'gpt-5',
    instructions: 'You help.',
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
    store: false,
    tools: [{ type: 'function', name: 'ls', description: 'Lists.', parameters: { type: 'object' } }],
  },
  gemini: {
    systemInstruction: { role: 'user', parts: [{ text: 'You help.' }] },
    contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    tools: [
      { functionDeclarations: [{ name: 'ls', description: 'Lists.', parametersJsonSchema: { type: 'object' } }] },
    ],
  },
} as const;

describe.each(dialects)('a request body of %s', (dialect) => {
  const body: Json = bodies[dialect];

  it('is recognized, read and written back unchanged', () => {
    const document = readConversation({ value: body });
    expect(document.dialect).toBe(dialect);
    expect(document.conversation.head).toMatchObject([{ role: 'system', parts: [{ text: 'You help.' }] }]);
    expect(document.conversation.tools).toMatchObject([{ name: 'ls', description: 'Lists.' }]);
    expect(document.write({ conversation: document.conversation })).toEqual(body);
  });

  it('becomes a request of every other dialect that reads back as the same conversation', () => {
    const { conversation } = readConversation({ value: body });
    for (const other of dialects) {
      const again = readConversation({ value: writeRequest({ dialect: other, conversation }), dialect: other });
      expect(again.conversation.messages).toMatchObject([{ role: 'user', parts: [{ text: 'hi' }] }]);
      expect(again.conversation.head).toMatchObject([{ role: 'system', parts: [{ text: 'You help.' }] }]);
      expect(again.conversation.tools).toMatchObject([{ name: 'ls', description: 'Lists.' }]);
    }
  });

  it('is never failed on, whatever its items are', () => {
    fc.assert(
      fc.property(itemsOf[dialect], (items) => {
        const document = readConversation({ value: items, dialect });
        const again = document.write({ conversation: document.conversation });
        expect(JSON.stringify(canonical(again))).toBe(JSON.stringify(canonical(items)));
      }),
      runs(500),
    );
  });
});

describe('writing a changed conversation back', () => {
  it.each(dialects)('%s: another head and other tools replace the old ones', (dialect) => {
    const document = readConversation({ value: bodies[dialect] });
    const tools = [{ name: 'cat', inputSchema: { type: 'object' } }];
    const bare = document.write({ conversation: { ...document.conversation, head: [], tools } });
    const again = readConversation({ value: bare, dialect }).conversation;
    expect(again.head).toEqual([]);
    expect(again.tools).toMatchObject(tools);
    expect(again.messages).toEqual(document.conversation.messages);
  });
});

describe('readConversation', () => {
  it('reads a plain text as input of the Responses API and gives it back as one', () => {
    const body = { model: 'gpt-5', input: 'hi' };
    const document = readConversation({ value: body });
    expect(document.conversation.messages).toMatchObject([{ role: 'user', parts: [{ text: 'hi' }] }]);
    expect(document.write({ conversation: document.conversation })).toEqual(body);
  });

  it.each([
    ['anthropic', [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: {} }] }]],
    ['openai-chat', [{ role: 'user', content: 'hi' }]],
    ['openai-chat', [{ role: 'tool', tool_call_id: 'a', content: 'x' }]],
    ['openai-responses', [{ type: 'function_call', call_id: 'a', name: 'b', arguments: '{}' }]],
    ['gemini', [{ role: 'user', parts: [] }]],
  ] as const)('tells %s from a bare list', (dialect, items) => {
    expect(readConversation({ value: items }).dialect).toBe(dialect);
  });

  it.each([
    [
      'openai-chat',
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] },
          { role: 'tool', tool_call_id: 'c', content: 'x' },
        ],
      },
    ],
    [
      'openai-chat',
      {
        messages: [
          { role: 'user', content: 'a' },
          { type: 'message', role: 'assistant', content: 'b' },
        ],
      },
    ],
    ['anthropic', { anthropic_version: 'bedrock-2023-05-31', messages: [{ role: 'user', content: 'a' }] }],
    ['anthropic', { thinking: { type: 'adaptive' }, messages: [{ role: 'user', content: 'a' }] }],
    [
      'anthropic',
      { messages: [{ role: 'user', content: 'a' }], tools: [{ name: 'ls', input_schema: { type: 'object' } }] },
    ],
  ] as const)('tells %s from the whole of a body', (dialect, value) => {
    expect(readConversation({ value }).dialect).toBe(dialect);
  });

  it.each([
    [{ messages: [{ role: 'user', parts: [{ type: 'text', text: 'a' }] }] }],
    [
      {
        messages: [{ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'ls', input: {} }] }],
      },
    ],
  ])("refuses the messages of a framework that are no provider's: %j", (value) => {
    expect(() => readConversation({ value })).toThrowError(expect.objectContaining({ code: 'not-a-conversation' }));
  });

  it.each([[null], [42], ['text'], [{}], [{ messages: 'no' }], [[1, 2]], [[{ a: 1 }]]])(
    'refuses %j in one sentence',
    (value) => {
      expect(() => readConversation({ value })).toThrowError(
        expect.objectContaining({ code: 'not-a-conversation', hint: expect.stringContaining('list of messages') }),
      );
    },
  );

  it('refuses a body of another dialect than the one asked for', () => {
    expect(() => readConversation({ value: bodies.gemini, dialect: 'anthropic' })).toThrowError(
      expect.objectContaining({ code: 'wrong-dialect' }),
    );
  });
});
