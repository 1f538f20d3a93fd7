import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV2, LanguageModelV2Prompt, LanguageModelV2StreamPart } from '@ai-sdk/provider';
import { generateText, type ModelMessage, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createEngine, type EngineSession } from '../engine/index.ts';
import { user } from '../message/index.ts';
import { createMemoryStore } from '../session/index.ts';
import { type LoopbackOptions, startLoopback } from '../testing/index.ts';
import { fromAiSdk, longhaul, recallTool } from './ai-sdk.ts';

async function start(options: LoopbackOptions & { readonly dialect?: 'anthropic' | 'openai-chat' } = {}) {
  const { dialect = 'openai-chat', ...rest } = options;
  const loopback = await startLoopback(rest);
  const session = await (await createEngine({ store: createMemoryStore() })).create();
  const settings = { baseURL: `${loopback.url}/v1`, apiKey: 'k' };
  const base =
    dialect === 'anthropic' ? createAnthropic(settings)('claude-opus-4-6') : createOpenAI(settings).chat('gpt-4.1');
  const model = wrapLanguageModel({
    model: base,
    middleware: longhaul(session, { ...(rest.window !== undefined && { window: rest.window }) }),
  });
  return { loopback, session, model, [Symbol.asyncDispose]: () => loopback.close() };
}

async function said(session: EngineSession): Promise<string[]> {
  const path = await session.session.path();
  return path.flatMap((entry) =>
    entry.type === 'message' && entry.message.role !== 'system'
      ? entry.message.parts.map((part) => (part.type === 'text' ? part.text : part.type))
      : [],
  );
}

const look = tool({
  description: 'Looks.',
  inputSchema: z.object({ at: z.number() }),
  execute: ({ at }) => `Line ${at}.`,
});

describe('longhaul(session) as a middleware', () => {
  it('generateText: every message is in the log once, the last answer included', async () => {
    await using at = await start({
      script: [{ toolCalls: [{ name: 'look', arguments: { at: 1 } }] }, { text: 'Done.' }],
    });
    const tools = { look, recall: recallTool(at.session) };
    const messages: ModelMessage[] = [{ role: 'user', content: 'Look.' }];
    const { responseMessages } = await generateText({ model: at.model, messages, tools, stopWhen: stepCountIs(5) });
    expect(await said(at.session)).toEqual(['Look.', 'tool_call', 'tool_result', 'Done.']);
    const more: ModelMessage[] = [...messages, ...responseMessages, { role: 'user', content: 'Thanks.' }];
    await generateText({ model: at.model, messages: more, tools });
    expect((await said(at.session)).slice(0, 5)).toEqual(['Look.', 'tool_call', 'tool_result', 'Done.', 'Thanks.']);
    expect(at.loopback.requests.every(({ verdict }) => verdict?.legal)).toBe(true);
  });

  it('sends what the SDK would send while nothing was compacted', async () => {
    await using at = await start();
    const call = { system: 'Be brief.', messages: [{ role: 'user' as const, content: 'Hello' }], tools: { look } };
    const plain = createOpenAI({ baseURL: `${at.loopback.url}/v1`, apiKey: 'k' }).chat('gpt-4.1');
    await generateText({ model: plain, ...call });
    await generateText({ model: at.model, ...call });
    const [first, second] = at.loopback.requests;
    expect(second?.text).toBe(first?.text);
  });

  it('streamText: the answer is in the log when the stream has ended, and chunks pass through', async () => {
    await using at = await start({ script: [{ text: 'One, two, three.' }] });
    const deltas: string[] = [];
    for await (const delta of streamText({ model: at.model, prompt: 'Count.' }).textStream) deltas.push(delta);
    expect(deltas.join('')).toBe('One, two, three.');
    expect(await said(at.session)).toEqual(['Count.', 'One, two, three.']);
  });

  it('sets cache breakpoints for Anthropic, unless the caller did', async () => {
    await using at = await start({ dialect: 'anthropic' });
    await generateText({ model: at.model, system: 'Be brief.', prompt: 'Hello' });
    expect(at.loopback.requests[0]?.text.match(/cache_control/g)).toHaveLength(2);
    const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
    await generateText({ model: at.model, messages: [{ role: 'user', content: 'Hello', providerOptions }] });
    expect(at.loopback.requests[1]?.text.match(/cache_control/g)).toHaveLength(1);
  });

  it('an abort passes through, and the session goes on', async () => {
    await using at = await start({
      script: ({ index }) => ({ text: 'Slow. '.repeat(50), transport: index === 0 ? { delayMs: 20 } : {} }),
    });
    const controller = new AbortController();
    const result = streamText({
      model: at.model,
      prompt: 'Go.',
      abortSignal: controller.signal,
      onError: () => undefined,
    });
    const parts: string[] = [];
    for await (const part of result.stream) {
      parts.push(part.type);
      if (part.type === 'text-delta') controller.abort();
    }
    expect(parts.at(-1)).toBe('abort');
    expect(await said(at.session)).toEqual(['Go.']);
    const { text } = await generateText({ model: at.model, prompt: 'Go.' });
    expect(text).toContain('Slow.');
    expect((await said(at.session)).length).toBe(2);
    await expect(
      generateText({ model: at.model, prompt: 'Go.', abortSignal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('an error of the provider passes through as it is', async () => {
    await using at = await start({ script: [{ failure: 'auth' }] });
    await expect(generateText({ model: at.model, prompt: 'Go.' })).rejects.toMatchObject({ statusCode: 401 });
    expect(await said(at.session)).toEqual(['Go.']);
  });

  it('a request that the provider calls too long is sent once more, smaller', async () => {
    const messages: ModelMessage[] = Array.from({ length: 12 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `Message ${at}. ${'Details. '.repeat(900)}`,
    }));
    await using at = await start({ script: [{ failure: 'overflow', limit: 12_000 }, { text: 'Fine.' }] });
    const { text } = await generateText({
      model: at.model,
      messages: [...messages, { role: 'user', content: 'And now?' }],
      maxRetries: 0,
    });
    expect(text).toBe('Fine.');
    const [first, second] = at.loopback.requests;
    expect(second?.text.length).toBeLessThan((first?.text.length ?? 0) / 2);
    expect(second?.text).toContain('And now?');
  });

  it('a question that is asked again goes back to it, and keeps the other answer in the log', async () => {
    await using at = await start({ script: [{ text: 'First answer.' }, { text: 'Second answer.' }] });
    const messages: ModelMessage[] = [{ role: 'user', content: 'Which port?' }];
    await generateText({ model: at.model, messages });
    await generateText({ model: at.model, messages });
    expect(await said(at.session)).toEqual(['Which port?', 'Second answer.']);
    const all = await at.session.session.read({ types: ['message'] });
    expect(JSON.stringify(all)).toContain('First answer.');
  });

  it('a history whose beginning the caller left out continues the session', async () => {
    await using at = await start({ script: ({ index }) => ({ text: `Answer ${index}.` }) });
    const messages: ModelMessage[] = [];
    for (let n = 0; n < 4; n += 1) {
      messages.push({ role: 'user', content: `Question ${n}.` });
      const { responseMessages } = await generateText({ model: at.model, messages: messages.slice(-3) });
      messages.push(...responseMessages);
    }
    const all = [0, 1, 2, 3].flatMap((n) => [`Question ${n}.`, `Answer ${n}.`]);
    expect(await said(at.session)).toEqual(all);
    expect(at.loopback.requests.at(-1)?.text).toContain('Question 0.');
  });

  it('reasoning signatures are sent back', async () => {
    await using at = await start({
      dialect: 'anthropic',
      script: [
        { thinking: 'Look first.', toolCalls: [{ name: 'look', arguments: { at: 1 } }] },
        { thinking: 'Now I know.', text: 'Done.' },
      ],
    });
    await generateText({
      model: at.model,
      prompt: 'Look.',
      tools: { look },
      stopWhen: stepCountIs(3),
      providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } },
    });
    expect(at.loopback.requests.map(({ verdict }) => verdict?.legal)).toEqual([true, true]);
    expect(at.loopback.requests[1]?.text).toContain('"signature"');
  });

  it('models of version 3 of the contract are converted by the SDK', async () => {
    const session = await (await createEngine({ store: createMemoryStore() })).create();
    const inputTokens = { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 };
    const model = new MockLanguageModelV3({
      doGenerate: {
        content: [{ type: 'text', text: 'Hello.' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage: { inputTokens, outputTokens: { total: 2, text: 2, reasoning: 0 } },
        warnings: [],
      },
    });
    const wrapped = wrapLanguageModel({ model, middleware: longhaul(session) });
    expect((await generateText({ model: wrapped, prompt: 'Hi' })).text).toBe('Hello.');
    expect(await said(session)).toEqual(['Hi', 'Hello.']);
  });

  it('models of version 2 of the contract are converted by the SDK: tool loops, streams and usage', async () => {
    const session = await (await createEngine({ store: createMemoryStore() })).create();
    const { model, prompts } = secondVersion();
    const wrapped = wrapLanguageModel({ model, middleware: longhaul(session) });
    const { text, totalUsage } = streamText({
      model: wrapped,
      prompt: 'Look.',
      tools: { look },
      stopWhen: stepCountIs(3),
    });
    expect(await text).toBe('Done.');
    expect((await totalUsage).inputTokens).toBe(20);
    expect(await said(session)).toEqual(['Look.', 'tool_call', 'tool_result', 'Done.']);
    // The result arrives in the form of version 2.
    expect(prompts[1]?.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ type: 'tool-result', output: { type: 'text', value: 'Line 1.' } }],
    });
  });

  it('fromAiSdk takes a model of version 2', async () => {
    const pieces = await Array.fromAsync(
      fromAiSdk(secondVersion().model).stream({ head: [], items: [user('Look.')], tools: [], options: {} }),
    );
    expect(pieces.at(-1)).toMatchObject({ type: 'end', reason: 'tool_calls' });
    expect(pieces).toContainEqual(
      expect.objectContaining({ type: 'usage', usage: expect.objectContaining({ input: 10 }) }),
    );
  });
});

/** A model as providers of version 2 implement it: calls `look`, then answers. */
function secondVersion() {
  const prompts: LanguageModelV2Prompt[] = [];
  const usage = { inputTokens: 10, outputTokens: 2, totalTokens: 12 };
  const model: LanguageModelV2 = {
    specificationVersion: 'v2',
    provider: 'openai.chat',
    modelId: 'gpt-4.1',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not asked')),
    doStream: async ({ prompt }) => {
      prompts.push(prompt);
      const chunks: LanguageModelV2StreamPart[] =
        prompts.length === 1
          ? [
              { type: 'tool-call', toolCallId: 'call_1', toolName: 'look', input: '{"at":1}' },
              { type: 'finish', usage, finishReason: 'tool-calls' },
            ]
          : [
              { type: 'text-start', id: '0' },
              { type: 'text-delta', id: '0', delta: 'Done.' },
              { type: 'text-end', id: '0' },
              { type: 'finish', usage, finishReason: 'stop' },
            ];
      return { stream: ReadableStream.from([{ type: 'stream-start', warnings: [] }, ...chunks]) as never };
    },
  };
  return { model, prompts };
}
