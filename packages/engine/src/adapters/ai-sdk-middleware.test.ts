import { createAnthropic } from '@ai-sdk/anthropic';
import { createAnthropic as anthropicV2 } from '@ai-sdk/anthropic-v2';
import { createAnthropic as anthropicV3 } from '@ai-sdk/anthropic-v3';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, type ModelMessage, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createEngine, type EngineSession } from '../engine/index.ts';
import { user } from '../message/index.ts';
import { createMemoryStore } from '../session/index.ts';
import { type LoopbackOptions, startLoopback } from '../testing/index.ts';
import { fromAiSdk, longhaul, recallTool } from './ai-sdk.ts';

/** A published package of each version of the SDK's contract; earlier ones are converted by the SDK. */
const providers = { v2: anthropicV2, v3: anthropicV3, v4: createAnthropic };

async function start(
  options: LoopbackOptions & {
    readonly dialect?: 'anthropic' | 'openai-chat';
    readonly version?: keyof typeof providers;
  } = {},
) {
  const { dialect = 'openai-chat', version = 'v4', ...rest } = options;
  const loopback = await startLoopback(rest);
  const session = await (await createEngine({ store: createMemoryStore() })).create();
  const settings = { baseURL: `${loopback.url}/v1`, apiKey: 'k' };
  const base =
    dialect === 'anthropic' ? providers[version](settings)('claude-opus-4-6') : createOpenAI(settings).chat('gpt-4.1');
  const model = wrapLanguageModel({
    model: base,
    middleware: longhaul(session, { ...(rest.window !== undefined && { window: rest.window }) }),
  });
  return { loopback, session, base, model, [Symbol.asyncDispose]: () => loopback.close() };
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

  it.each(['v2', 'v3'] as const)(
    'a published provider of contract %s: tool loops, streams, thinking and usage',
    async (version) => {
      const call = { thinking: 'Hm.', toolCalls: [{ name: 'look', arguments: { at: 1 } }] };
      const script = [call, { text: 'Done.' }, call, { text: 'Again.' }];
      await using at = await start({ dialect: 'anthropic', version, script });
      expect(at.base.specificationVersion).toBe(version);
      const rest = {
        model: at.model,
        tools: { look },
        stopWhen: stepCountIs(3),
        providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } },
      };
      const first = await generateText({ ...rest, prompt: 'Look.' });
      expect(first.text).toBe('Done.');
      const messages: ModelMessage[] = [
        { role: 'user', content: 'Look.' },
        ...first.responseMessages,
        { role: 'user', content: 'Once more.' },
      ];
      const second = streamText({ ...rest, messages });
      expect(await second.text).toBe('Again.');
      expect((await second.totalUsage).inputTokens).toBeGreaterThan(0);
      const round = ['thinking', 'tool_call', 'tool_result'];
      expect(await said(at.session)).toEqual(['Look.', ...round, 'Done.', 'Once more.', ...round, 'Again.']);
      expect(at.loopback.requests.map(({ verdict }) => verdict?.legal)).toEqual([true, true, true, true]);
      expect(await at.session.session.read({ types: ['usage'] })).not.toEqual([]);
    },
  );

  it.each(['v2', 'v3'] as const)('fromAiSdk takes a model of a published provider of contract %s', async (version) => {
    const script = [{ toolCalls: [{ name: 'look', arguments: { at: 1 } }] }];
    await using at = await start({ dialect: 'anthropic', version, script });
    const request = { head: [], items: [user('Look.')], tools: [], options: {} };
    const pieces = await Array.fromAsync(fromAiSdk(at.base).stream(request));
    expect(pieces.at(-1)).toMatchObject({ type: 'end', reason: 'tool_calls' });
    expect(pieces).toContainEqual(expect.objectContaining({ type: 'usage' }));
  });
});
