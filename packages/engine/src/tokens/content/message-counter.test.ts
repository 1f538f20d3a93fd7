import { describe, expect, test } from 'vitest';
import type { Message, Part, ToolDefinition } from '../../message/index.ts';
import { createMessageCounter } from './message-counter.ts';
import { countingRules } from './rules.ts';
import { nothing, total } from './shares.ts';

/** One character is one token, so that expected numbers can be read. */
const counter = createMessageCounter({ count: (text) => text.length, rules: countingRules['openai-chat'] });
const anthropic = createMessageCounter({ count: (text) => text.length, rules: countingRules.anthropic });

const text = (value: string): Part => ({ type: 'text', text: value, origin: 'human' });
const user = (...parts: Part[]): Message => ({ role: 'user', parts });
/** 3 for the message, 4 for the word user. */
const frame = 7;

describe('a message', () => {
  test('costs 3 and its role and its text', () => {
    expect(counter.message(user(text('12345')))).toEqual({ ...nothing, messages: frame + 5 });
    expect(counter.message({ role: 'system', parts: [text('12345')] })).toEqual({ ...nothing, system: 3 + 6 + 5 });
  });

  test('a cache mark costs nothing', () => {
    const marked = { ...text('12345'), cache: { ttl: '1h' } } as Part;
    expect(counter.message(user(marked))).toEqual(counter.message(user(text('12345'))));
  });

  test('a call costs one and a half times what is written, by its provider’s rule', () => {
    const call: Part = { type: 'tool_call', id: 'id', name: 'name', arguments: '{"a":1}', origin: 'model' };
    const written = 2 + 'function'.length + 4 + 1 + 7;
    expect(counter.message(user(call)).messages).toBe(frame + Math.floor(written * 1.5));
    expect(anthropic.message(user(call)).messages).toBe(frame + written - 2 + 36);
  });

  test('results and files have their own shares', () => {
    const result: Part = {
      type: 'tool_result',
      callId: 'id',
      content: [{ ...text('12345'), type: 'text', text: '12345' }],
      origin: 'tool',
    };
    const source = { kind: 'url', url: 'https://example.com/cat.png' } as const;
    const split = counter.message(user(result, { type: 'image', source, origin: 'human' }));
    expect(split).toEqual({ ...nothing, messages: frame, toolResults: 7, files: 2125 });
  });

  test('a document costs an eighth of its bytes, its text, or a guess on the large side', () => {
    const document = (source: Extract<Part, { type: 'document' }>['source']): Part => ({
      type: 'document',
      source,
      name: 'ab',
      origin: 'human',
    });
    const base64 = { kind: 'base64', mediaType: 'application/pdf', data: 'A'.repeat(4_001) } as const;
    expect(counter.message(user(document(base64))).files).toBe(2 + Math.ceil(3_000 / 8));
    expect(counter.message(user(document({ kind: 'text', text: '12345' }))).files).toBe(2 + 5);
    expect(counter.message(user(document({ kind: 'file', id: 'file_1' }))).files).toBe(2 + 16_000);
  });

  test('what is opaque costs what it declares, else its text', () => {
    const opaque = (value: Extract<Part, { type: 'opaque' }>['value']): Part => ({
      type: 'opaque',
      dialect: 'anthropic',
      kind: 'x',
      value,
      origin: 'model',
    });
    expect(counter.message(user(opaque({ tokenUsage: 12.5, text: 'long text' }))).messages).toBe(frame + 13);
    expect(counter.message(user(opaque({ ab: ['cde', 10, null] }))).messages).toBe(frame + 2 + 3 + 2 + 4);
  });

  test('thinking costs its text, or its sealed form where that is larger', () => {
    const thinking = (part: object): Part => ({ type: 'thinking', text: '', origin: 'model', ...part }) as Part;
    expect(counter.message(user(thinking({ text: '12345', signature: 'x'.repeat(16) }))).messages).toBe(frame + 5);
    // Anthropic shows a summary and seals the thought; the sealed thought is what it reads.
    expect(counter.message(user(thinking({ text: '12345', signature: 'x'.repeat(160) }))).messages).toBe(frame + 30);
    expect(counter.message(user(thinking({ encrypted: 'x'.repeat(160) }))).messages).toBe(frame + 30);
  });
});

describe('tools', () => {
  const tool: ToolDefinition = {
    name: 'read',
    description: 'Reads.',
    inputSchema: { type: 'object', properties: { path: { type: 'string', maxLength: 100 } } },
  };

  test('cost 16 and 8 each and all their keys and values, and a tenth more', () => {
    const written = 'namereaddescriptionReads.parameterstypeobjectpropertiespathtypestringmaxLength100'.length;
    expect(counter.tools([tool])).toBe(Math.floor((16 + 8 + written) * 1.1));
    expect(counter.tools([tool, tool])).toBe(Math.floor((16 + 16 + 2 * written) * 1.1));
  });

  test('cost nothing when there are none', () => {
    expect(counter.tools([])).toBe(0);
  });
});

test('a request costs its messages, its tools and 3', () => {
  const message = user(text('12345'));
  const system: Message = { role: 'system', parts: [text('1')] };
  const request = counter.request({ head: [system], messages: [message, message], tools: [] });
  expect(request).toEqual({ ...nothing, system: 10, messages: 2 * (frame + 5) + 3 });
  expect(total(request)).toBe(37);
});
