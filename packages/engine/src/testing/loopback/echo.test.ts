import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonRecord } from '../judge/json.ts';
import { runs } from '../runs.ts';
import { startLoopback } from './index.ts';
import type { LoopbackReplyScript } from './types.ts';

/** A client that sends answers back unchanged, as documented, and answers every call. */
interface Client {
  path: string;
  body: (history: JsonRecord[]) => JsonRecord;
  human: (text: string) => JsonRecord;
  /** The items that an answer adds to the history: the answer, and the results of its calls. */
  echo: (answer: JsonRecord) => JsonRecord[];
}

const list = (value: unknown): JsonRecord[] => (Array.isArray(value) ? value : []);
const only = (value: unknown): JsonRecord => list(value)[0] ?? {};
const inside = (value: unknown, key: string): JsonRecord => (value as JsonRecord)[key] as JsonRecord;

const clients: Record<string, Client> = {
  anthropic: {
    path: '/v1/messages',
    body: (messages) => ({ model: 'm', max_tokens: 8, thinking: { type: 'adaptive' }, messages }),
    human: (content) => ({ role: 'user', content }),
    echo: ({ content }) => {
      const results = list(content)
        .filter(({ type }) => type === 'tool_use')
        .map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' }));
      return [{ role: 'assistant', content }, ...(results.length > 0 ? [{ role: 'user', content: results }] : [])];
    },
  },
  chat: {
    path: '/v1/chat/completions',
    body: (messages) => ({ model: 'm', messages }),
    human: (content) => ({ role: 'user', content }),
    echo: ({ choices }) => {
      const message = inside(only(choices), 'message');
      return [
        message,
        ...list(message.tool_calls).map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'ok' })),
      ];
    },
  },
  responses: {
    path: '/v1/responses',
    body: (input) => ({
      model: 'm',
      input,
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { summary: 'auto' },
    }),
    human: (content) => ({ role: 'user', content }),
    echo: ({ output }) => [
      ...list(output),
      ...list(output)
        .filter(({ type }) => type === 'function_call')
        .map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'ok' })),
    ],
  },
  gemini: {
    path: '/v1beta/models/m:generateContent',
    body: (contents) => ({ contents, generationConfig: { thinkingConfig: { includeThoughts: true } } }),
    human: (text) => ({ role: 'user', parts: [{ text }] }),
    echo: ({ candidates }) => {
      const content = inside(only(candidates), 'content');
      const results = list(content.parts)
        .filter(({ functionCall }) => functionCall)
        .map((part) => inside(part, 'functionCall'))
        .map(({ id, name }) => ({ functionResponse: { id, name, response: { output: 'ok' } } }));
      return [content, ...(results.length > 0 ? [{ role: 'user', parts: results }] : [])];
    },
  },
};

const said = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((text) => `${text}.`);
const call = fc.record({
  name: fc.constantFrom('read', 'write'),
  arguments: fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(said, fc.integer(), fc.array(said, { maxLength: 2 }))),
});
const spoken: fc.Arbitrary<LoopbackReplyScript> = fc.oneof(
  fc.record({ text: said, thinking: said }, { requiredKeys: ['text'] }),
  fc.record(
    { toolCalls: fc.array(call, { minLength: 1, maxLength: 3 }), text: said, thinking: said },
    { requiredKeys: ['toolCalls'] },
  ),
);

describe('a client that sends answers back unchanged', () => {
  it.each(Object.keys(clients))('is never rejected: %s', async (name) => {
    const client = clients[name];
    if (!client) throw new Error(name);
    await fc.assert(
      fc.asyncProperty(fc.array(spoken, { minLength: 1, maxLength: 6 }), async (script) => {
        const loopback = await startLoopback({ script, bindThinking: true, judge: { signedCalls: true } });
        const history: JsonRecord[] = [client.human('hi')];
        for (const { toolCalls } of script) {
          const body = JSON.stringify(client.body(history));
          const headers = { 'anthropic-version': '2023-06-01' };
          const answer = await fetch(loopback.url + client.path, { method: 'POST', headers, body });
          history.push(...client.echo((await answer.json()) as JsonRecord));
          if (!toolCalls) history.push(client.human('go on'));
        }
        await loopback.close();
        for (const { verdict } of loopback.requests) expect(verdict).toEqual({ legal: true });
      }),
      runs(25),
    );
  });
});
