import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { simulateReadableStream } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { codecs, type Message, type Part, system, type ToolDefinition, user } from '../message/index.ts';
import { collect, type Model, type ModelEvent, type ModelRequest, modelInfo } from '../models/index.ts';
import { readsOnlyFrom } from '../models/internal.ts';
import { type Loopback, type LoopbackOptions, startLoopback } from '../testing/index.ts';
import { fromAiSdk } from './ai-sdk.ts';

const say = (text: string): Message => user(text);
const head: Message[] = [system('You fix bugs.')];
const schema = { type: 'object', properties: { path: { type: 'string' } } };
const tools: ToolDefinition[] = [{ name: 'read', description: 'Reads a file.', inputSchema: schema }];
const asked = (request: Partial<ModelRequest> = {}): ModelRequest => ({
  head,
  items: [say('Why is it red?')],
  tools,
  options: { maxOutputTokens: 4096 },
  ...request,
});
const result = (callId: string, parts: Part[] = [{ type: 'text', origin: 'tool', text: 'exit 1' }]): Message => ({
  role: 'tool',
  parts: [{ type: 'tool_result', origin: 'tool', callId, content: parts as never }],
});

const makers = {
  anthropic: (url: string) => fromAiSdk(createAnthropic({ baseURL: `${url}/v1`, apiKey: 'k' })('claude-opus-4-6')),
  'openai-responses': (url: string) =>
    fromAiSdk(createOpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).responses('gpt-5')),
  'openai-chat': (url: string) => fromAiSdk(createOpenAI({ baseURL: `${url}/v1`, apiKey: 'k' }).chat('gpt-4.1')),
};

async function connected(dialect: keyof typeof makers, options: LoopbackOptions) {
  const loopback = await startLoopback(options);
  return { loopback, model: makers[dialect](loopback.url), [Symbol.asyncDispose]: () => loopback.close() };
}

/** Sends requests and answers every call until the model stops. */
async function converse({ model, request }: { model: Model; request: ModelRequest }): Promise<Message[]> {
  let items = [...request.items];
  for (let round = 0; round < 9; round += 1) {
    const { message, end } = await collect(model.stream({ ...request, items }));
    if (end.failure) throw new Error(end.failure.message);
    const calls = message.parts.filter((part) => part.type === 'tool_call');
    items = [...items, message, ...calls.map(({ id }) => result(id))];
    if (end.reason !== 'tool_calls') return items;
  }
  throw new Error('It never stopped.');
}

const legal = (loopback: Loopback) =>
  loopback.requests.map(({ verdict }) => verdict?.legal === true || JSON.stringify(verdict));

describe.each(['anthropic', 'openai-responses', 'openai-chat'] as const)(
  'an AI SDK model that speaks %s',
  (dialect) => {
    const thinking = {
      anthropic: { budgetTokens: 1024 },
      'openai-responses': { effort: 'high' },
      'openai-chat': 'off',
    } as const;

    test('completes rounds of tools with its reasoning, and every request is valid', async () => {
      await using there = await connected(dialect, {
        script: [
          { thinking: 'Look first.', text: 'Reading.', toolCalls: [{ name: 'read', arguments: { path: 'a.ts' } }] },
          { thinking: 'Both.', toolCalls: [1, 2].map((n) => ({ name: 'read', arguments: { path: `${n}` } })) },
          { thinking: 'Now I know.', text: 'It is the clock.' },
          { text: 'You are welcome.' },
        ],
      });
      expect(there.model.dialect).toBe(dialect);
      const options = dialect === 'openai-chat' ? {} : { thinking: thinking[dialect], maxOutputTokens: 4096 };
      const items = await converse({ model: there.model, request: asked({ options }) });
      await converse({ model: there.model, request: asked({ options, items: [...items, say('Thanks.')] }) });
      expect(legal(there.loopback)).toEqual([true, true, true, true]);
      const thoughts = items.flatMap(({ parts }) => parts.filter(({ type }) => type === 'thinking'));
      expect(thoughts.length).toBe(dialect === 'openai-chat' ? 0 : 3);
      for (const thought of thoughts) expect(thought.wire?.dialect).toBe(dialect);
      // Thinking is sent back with its signature, so the last request contains it.
      const sent = there.loopback.requests.at(-1)?.text ?? '';
      if (dialect === 'anthropic') expect(sent.match(/"signature":"/g)?.length).toBe(3);
      if (dialect === 'openai-responses') expect(sent.match(/"encrypted_content":"/g)?.length).toBe(3);
    });

    test('streams events that add up to its message, with usage and an end', async () => {
      await using there = await connected(dialect, {
        script: [{ text: 'Reading it now.', toolCalls: [{ id: 'toolu_1', name: 'read', arguments: { path: 'a' } }] }],
      });
      const events: ModelEvent[] = [];
      for await (const event of there.model.stream(asked())) events.push(event);
      const text = events.flatMap((event) => (event.type === 'text' ? [event.delta] : [])).join('');
      expect(text).toBe('Reading it now.');
      const end = events.at(-1);
      expect(end).toMatchObject({ type: 'end', reason: 'tool_calls' });
      expect(end?.type === 'end' && end.message.parts).toEqual([
        expect.objectContaining({ type: 'text', origin: 'model', text }),
        expect.objectContaining({ type: 'tool_call', id: 'toolu_1', name: 'read', arguments: '{"path":"a"}' }),
      ]);
      expect(events.map(({ type }) => type)).toContain('tool_call_delta');
      const usage = events.find((event) => event.type === 'usage');
      expect(usage?.type === 'usage' && usage.usage.input).toBeGreaterThan(0);
    });

    test.each([
      ['overflow', 'overflow'],
      ['rate', 'rate'],
      ['quota', 'quota'],
      ['auth', 'auth'],
      ['server', 'network'],
      ['network', 'network'],
    ] as const)('reports %s as a failure', async (failure, kind) => {
      await using there = await connected(dialect, { script: [{ failure }] });
      const { end } = await collect(there.model.stream(asked()));
      expect(end).toMatchObject({ reason: 'failed', failure: { kind } });
      expect(there.loopback.requests).toHaveLength(1);
    });

    test('keeps the content before a stream was cut or reported an error', async () => {
      const late = { failure: 'overloaded', late: true } as const;
      const cut = { text: 'word '.repeat(200), transport: { cutAfterBytes: 3000 } };
      await using there = await connected(dialect, { script: [late, cut] });
      const first = await collect(there.model.stream(asked()));
      expect(first.end).toMatchObject({ reason: 'failed' });
      const second = await collect(there.model.stream(asked()));
      expect(second.end).toMatchObject({ reason: 'failed', failure: { kind: 'network' } });
    });

    test('ends as aborted with its content so far, and cancels the request', async () => {
      const slow = { text: 'word '.repeat(500), transport: { chunkBytes: 64, delayMs: 2 } };
      await using there = await connected(dialect, { script: [slow] });
      const stop = new AbortController();
      const events: ModelEvent[] = [];
      for await (const event of there.model.stream(asked({ signal: stop.signal }))) {
        events.push(event);
        if (event.type === 'text') stop.abort();
      }
      expect(events.at(-1)).toMatchObject({ type: 'end', reason: 'aborted' });
      expect(await there.loopback.requests[0]?.done).toBe('aborted');
    });

    test('accepts images, documents and errors of tools', async () => {
      await using there = await connected(dialect, { script: [{ text: 'Seen.' }] });
      const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      const image: Part = { type: 'image', origin: 'human', source: { kind: 'base64', mediaType: 'image/png', data } };
      const call: Part = { type: 'tool_call', origin: 'model', id: 'call_1', name: 'read', arguments: '{"path":"a"}' };
      const failed = { ...result('call_1').parts[0], isError: true } as Part;
      const pdf: Part = {
        type: 'document',
        origin: 'human',
        name: 'a.pdf',
        source: { kind: 'base64', mediaType: 'application/pdf', data: 'JVBERi0xLjQK' },
      };
      const items: Message[] = [
        { role: 'user', parts: [{ type: 'text', origin: 'human', text: 'See.' }, image, pdf] },
        { role: 'assistant', parts: [call] },
        { role: 'tool', parts: [failed] },
      ];
      const { end } = await collect(there.model.stream(asked({ items })));
      expect(end).toMatchObject({ reason: 'stop' });
      expect(legal(there.loopback)).toEqual([true]);
      expect(there.loopback.requests[0]?.text).toContain(data);
    });
  },
);

test('tool choice, stop sequences and the purpose of the call are sent', async () => {
  await using there = await connected('anthropic', { script: [{ text: 'A summary.' }] });
  const options = {
    maxOutputTokens: 100,
    stop: ['END'],
    toolChoice: { name: 'read' },
    purpose: 'conversation-compaction',
  };
  await collect(there.model.stream(asked({ options })));
  const [request] = there.loopback.requests;
  expect(request?.body).toMatchObject({ tool_choice: { type: 'tool', name: 'read' }, stop_sequences: ['END'] });
  expect(request?.headers['x-interaction-type']).toBe('conversation-compaction');
});

test('breakpoints are sent to Anthropic, and the next request reads what the last one wrote', async () => {
  await using there = await connected('anthropic', { cacheMinimum: 10, script: [{ text: 'One.' }, { text: 'Two.' }] });
  const first = await collect(there.model.stream(asked()));
  const items = [say('Why is it red?'), first.message, say('And now?')];
  const second = await collect(there.model.stream(asked({ items })));
  expect(first.usage?.cacheWrite).toBeGreaterThan(0);
  expect(second.usage?.cacheRead).toBe(first.usage?.cacheWrite);
  expect(legal(there.loopback)).toEqual([true, true]);
});

test('OpenAI is asked not to store the conversation, and gets the session id as cache key', async () => {
  await using there = await connected('openai-responses', { script: [{ text: 'One.' }] });
  await collect(there.model.stream(asked({ options: { cacheKey: 'session-1' } })));
  expect(there.loopback.requests[0]?.body).toMatchObject({ store: false, prompt_cache_key: 'session-1' });
});

test('an unknown provider gets its metadata back', async () => {
  const prompts: unknown[] = [];
  const mistral = { mistral: { proof: 'p1' } };
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'mistral.chat',
    modelId: 'large',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not asked')),
    async doStream({ prompt }) {
      prompts.push(prompt);
      const usage = {
        inputTokens: { total: 9, noCache: 5, cacheRead: 4, cacheWrite: 0 },
        outputTokens: { total: 2, text: 2, reasoning: 0 },
      };
      const stream = ReadableStream.from([
        { type: 'reasoning-start', id: '0' } as const,
        { type: 'reasoning-delta', id: '0', delta: 'Hm.' } as const,
        { type: 'reasoning-end', id: '0', providerMetadata: mistral } as const,
        { type: 'text-start', id: '1' } as const,
        { type: 'text-delta', id: '1', delta: 'Yes.' } as const,
        { type: 'text-end', id: '1' } as const,
        { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } } as const,
      ]);
      return { stream: stream as never };
    },
  };
  const longhaul = fromAiSdk(model);
  const { message, usage } = await collect(longhaul.stream(asked()));
  expect(usage).toEqual({ input: 5, output: 2, cacheRead: 4, cacheWrite: 0, reasoning: 0 });
  await collect(longhaul.stream(asked({ items: [say('Why?'), message, say('Sure?')] })));
  const continued = [
    { role: 'system' },
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.', providerOptions: mistral }, { text: 'Yes.' }] },
    { role: 'user' },
  ];
  expect(prompts[1]).toMatchObject(continued);
  // Logs of older versions have another name for the metadata.
  const stored = JSON.parse(JSON.stringify(message).replaceAll('"metadata":', '"beside":'));
  await collect(longhaul.stream(asked({ items: [say('Why?'), stored, say('Sure?')] })));
  expect(prompts[2]).toMatchObject(continued);
});

test('a session continues with one of our clients, including thinking', async () => {
  await using there = await connected('anthropic', {
    script: [{ thinking: 'Hm.', toolCalls: [{ name: 'read', arguments: { path: 'a' } }] }, { text: 'Done.' }],
  });
  const options = { thinking: { effort: 'high' }, maxOutputTokens: 4096 };
  const { message } = await collect(there.model.stream(asked({ options })));
  const [call] = message.parts.filter((part) => part.type === 'tool_call');
  const items = [say('Why?'), message, result(call?.id ?? '')];
  const body = codecs.anthropic.encode(items);
  expect(JSON.stringify(body)).toContain('"signature":"');
  expect(JSON.stringify(body)).not.toContain('metadata');
});

test('a system message in the middle is sent as a reminder', async () => {
  await using there = await connected('anthropic', { script: [{ text: 'Noted.' }] });
  const note: Message = system('It is late.');
  await collect(there.model.stream(asked({ items: [say('Hi.'), note] })));
  expect(legal(there.loopback)).toEqual([true]);
  expect(there.loopback.requests[0]?.text).toContain('<system-reminder>\\nIt is late.');
});

test('a compaction by the provider hides nothing: it is not passed through', async () => {
  await using there = await connected('anthropic', { script: [] });
  const { info, dialect } = there.model;
  const value = { type: 'compaction', content: 'All of it.' };
  const message: Message = {
    role: 'assistant',
    parts: [{ type: 'opaque', origin: 'model', dialect, kind: 'compaction', value }],
  };
  const native = modelInfo({ provider: 'anthropic', name: 'claude-opus-4-6' });
  expect(readsOnlyFrom({ message, dialect, info: native })).toBe(true);
  expect(readsOnlyFrom({ message, dialect, info })).toBe(false);
});

test('a model of a version that the SDK does not convert is rejected by name', () => {
  const model = createOpenAI({ apiKey: 'k' }).chat('gpt-4.1');
  const old = { ...model, provider: 'openai.chat', modelId: 'gpt-4.1', specificationVersion: 'v1' };
  expect(() => fromAiSdk(old as never)).toThrow(
    expect.objectContaining({ code: 'unsupported-model', message: expect.stringContaining('v1') }),
  );
});

test('a model of version 3 is converted by the SDK', async () => {
  const finish = { unified: 'stop', raw: undefined } as const;
  const inputTokens = { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 };
  const usage = { inputTokens, outputTokens: { total: 2, text: 2, reasoning: 0 } };
  const model = new MockLanguageModelV3({
    provider: 'openai.chat',
    modelId: 'gpt-4.1',
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'Hello.' },
          { type: 'text-end', id: '1' },
          { type: 'finish', finishReason: finish, usage },
        ],
      }),
    }),
  });
  const { message, end, usage: counted } = await collect(fromAiSdk(model).stream(asked()));
  expect(end).toMatchObject({ reason: 'stop' });
  expect(message.parts).toEqual([expect.objectContaining({ type: 'text', text: 'Hello.' })]);
  expect(counted).toMatchObject({ input: 10, output: 2 });
});

test('moved thinking is dropped by a provider that binds it, not rejected', async () => {
  const loopback = await startLoopback({
    bindThinking: true,
    script: [{ thinking: 'Hm.', text: 'One.' }, { text: 'Two.' }],
  });
  const model = fromAiSdk(createAnthropic({ baseURL: `${loopback.url}/v1`, apiKey: 'k' })('claude-opus-5-5'));
  const options = { maxOutputTokens: 4096, thinking: { effort: 'high' } };
  const { message } = await collect(model.stream(asked({ options })));
  expect(message.parts.map(({ type }) => type)).toEqual(['thinking', 'text']);
  const moved = [say('Something else.'), message, say('And?')];
  const refused = await collect(model.stream(asked({ items: moved, options })));
  expect(refused.end).toMatchObject({ reason: 'failed', failure: { kind: 'invalid' } });
  const { end } = await collect(model.stream(asked({ items: moved, options: { ...options, rebindsThinking: true } })));
  expect(end.reason).toBe('stop');
  await loopback.close();
});
