import { describe, expect, it } from 'vitest';
import { system } from '../create.ts';
import type { Message } from '../message.ts';
import { codecs } from './index.ts';

const png = { kind: 'base64', mediaType: 'image/png', data: 'aGk=' } as const;
const text = (value: string) => ({ type: 'text', origin: 'human', text: value }) as const;
const call = (id: string, args = '{}') =>
  ({ type: 'tool_call', origin: 'model', id, name: 'read', arguments: args }) as const;
const result = (callId: string, ...content: readonly (ReturnType<typeof text> | object)[]) =>
  ({ type: 'tool_result', origin: 'tool', callId, content }) as Message['parts'][number];

const batch: Message[] = [
  { role: 'user', parts: [text('look')] },
  { role: 'assistant', parts: [call('a'), call('b')] },
  { role: 'tool', parts: [result('a', text('one'), { type: 'image', origin: 'tool', source: png })] },
  { role: 'tool', parts: [result('b', text('two'))] },
];

describe('one conversation in the words of each provider', () => {
  it('puts the results of parallel calls into one user message for Anthropic', () => {
    const items = codecs.anthropic.encode(batch);
    expect(items).toHaveLength(3);
    expect(items[2]).toMatchObject({ role: 'user', content: [{ tool_use_id: 'a' }, { tool_use_id: 'b' }] });
  });

  it('puts images of results behind the whole batch for Chat Completions, whose tool messages hold text only', () => {
    const items = codecs['openai-chat'].encode(batch);
    expect(items.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }] },
    ]);
  });

  it('writes one item a call and a result for the Responses API', () => {
    const kinds = codecs['openai-responses'].encode(batch).map((item) => (item as { type?: string }).type ?? 'message');
    expect(kinds).toEqual([
      'message',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
    ]);
  });

  it('gives Gemini one content for the batch and a stand-in for the signature it would ask for', () => {
    const items = codecs.gemini.encode(batch);
    expect(items).toMatchObject([
      { role: 'user' },
      {
        role: 'model',
        parts: [{ thoughtSignature: 'skip_thought_signature_validator' }, { functionCall: { id: 'b' } }],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'read', response: { output: 'one' } } }, {}] },
    ]);
  });

  it('joins the calls of one answer for Chat Completions, where Responses has an item for each', () => {
    const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'read', arguments: '{}' });
    const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: id });
    const list = codecs['openai-responses'].decode([
      { role: 'user', content: 'a' },
      call('1'),
      call('2'),
      output('1'),
      output('2'),
    ]);
    const roles = codecs['openai-chat'].encode(list).map((item) => (item as { role: string }).role);
    expect(roles).toEqual(['user', 'assistant', 'tool', 'tool']);
  });

  it('leaves cache marks of one provider out of requests to another that may not know them', () => {
    const marked = codecs.anthropic.decode([
      { role: 'user', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] },
    ]);
    for (const dialect of ['openai-chat', 'openai-responses', 'gemini'] as const) {
      expect(JSON.stringify(codecs[dialect].encode(marked))).not.toContain('cache_control');
    }
  });

  it('sends a document that is text as text where only PDFs are files', () => {
    const list = codecs.anthropic.decode([
      {
        role: 'user',
        content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'notes' } }],
      },
    ]);
    expect(codecs['openai-chat'].encode(list)).toEqual([{ role: 'user', content: 'notes' }]);
  });

  it('keeps the media type of a file that Gemini knows by its address', () => {
    const list = codecs.gemini.decode([
      { role: 'user', parts: [{ fileData: { mimeType: 'image/webp', fileUri: 'gs://x' } }] },
    ]);
    expect(codecs.gemini.encode([{ role: 'user', parts: list[0]?.parts ?? [] }])).toEqual([
      { role: 'user', parts: [{ fileData: { mimeType: 'image/webp', fileUri: 'gs://x' } }] },
    ]);
  });

  it('reads reasoning where a server shows it as content', () => {
    const shown = { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'so' }] };
    expect(codecs['openai-responses'].decode([shown])[0]?.parts[0]).toMatchObject({ type: 'thinking', text: 'so' });
    const copilot = { role: 'assistant', content: 'x', reasoning_text: 'so' };
    expect(codecs['openai-chat'].decode([copilot])[0]?.parts[0]).toMatchObject({ type: 'thinking', text: 'so' });
  });

  it('never sends one provider reasoning signed by another', () => {
    const signed: Message[] = codecs.anthropic.decode([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'EqQB' },
          { type: 'text', text: 'ok' },
        ],
      },
    ]);
    for (const dialect of ['openai-chat', 'openai-responses', 'gemini'] as const) {
      expect(JSON.stringify(codecs[dialect].encode(signed))).not.toMatch(/hm|EqQB/);
    }
  });

  it('carries arguments that are no JSON object inside one where only objects are taken', () => {
    const odd = (args: string): Message[] => [{ role: 'assistant', parts: [call('a', args)] }];
    const input = (args: string) => codecs.anthropic.encode(odd(args))[0];
    expect(input('')).toMatchObject({ content: [{ input: {} }] });
    expect(input('[1]')).toMatchObject({ content: [{ input: { input: [1] } }] });
    expect(input('{"cut": ')).toMatchObject({ content: [{ input: { input: '{"cut": ' } }] });
  });

  it('sends a system message in the middle as a reminder where there is no such role', () => {
    const list: Message[] = [{ role: 'user', parts: [text('hi')] }, system('be brief')];
    for (const dialect of ['anthropic', 'gemini'] as const) {
      const [, reminder] = codecs[dialect].decode(codecs[dialect].encode(list));
      expect(reminder).toMatchObject({ role: 'user', parts: [{ origin: 'engine' }] });
    }
    expect(codecs['openai-chat'].encode(list)[1]).toEqual({ role: 'system', content: 'be brief' });
  });
});
