import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, type ModelMessage, stepCountIs, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../engine/index.ts';
import { modelInfo, type TargetModel } from '../models/index.ts';
import { createMemoryStore } from '../session/index.ts';
import { type Loopback, startLoopback } from '../testing/index.ts';
import { createPrepareStep } from './ai-sdk-step.ts';

const window = 16_000;

/** The model that the loopback server simulates, with a small window. */
function target(dialect: 'anthropic' | 'openai-chat'): TargetModel {
  const name = dialect === 'anthropic' ? 'claude-opus-4-6' : 'gpt-4.1';
  const info = { ...modelInfo({ name }), window, maxOutput: 1_000 };
  return { id: { provider: dialect === 'anthropic' ? 'anthropic' : 'openai', name }, dialect, info };
}

function hostModel(dialect: 'anthropic' | 'openai-chat', url: string) {
  const options = { baseURL: `${url}/v1`, apiKey: 'k' };
  return dialect === 'anthropic' ? createAnthropic(options)('claude-opus-4-6') : createOpenAI(options).chat('gpt-4.1');
}

const look = tool({
  description: 'Looks at a file.',
  inputSchema: jsonSchema<{ at: number }>({ type: 'object', properties: { at: { type: 'number' } } }),
  execute: async ({ at }) => `Line ${at}. ${'What one sees there. '.repeat(150)}`,
});

function working(rounds: number) {
  return ({ index }: { readonly index: number }) =>
    index < rounds ? { toolCalls: [{ name: 'look', arguments: { at: index } }] } : { text: 'Done.' };
}

function problems(loopback: Loopback): unknown[] {
  return loopback.requests.filter(({ verdict }) => verdict?.legal !== true).map(({ verdict }) => verdict);
}

describe.each(['anthropic', 'openai-chat'] as const)('prepareStep with generateText over %s', (dialect) => {
  it('keeps sixty tool steps inside the window, legal, with everything in the log', async () => {
    const rounds = 60;
    const loopback = await startLoopback({ window, script: working(rounds) });
    const session = await (await createEngine({ store: createMemoryStore() })).create();
    const { text } = await generateText({
      model: hostModel(dialect, loopback.url),
      messages: [{ role: 'user', content: 'Find the port; the token is 4711.' }],
      tools: { look },
      stopWhen: stepCountIs(rounds + 2),
      prepareStep: createPrepareStep({ session, model: target(dialect) }),
    });
    await loopback.close();
    expect(text).toBe('Done.');
    expect(loopback.requests.length).toBe(rounds + 1);
    expect(problems(loopback)).toEqual([]);
    const path = await session.session.path();
    expect(path.filter(({ type }) => type === 'epoch').length).toBeGreaterThanOrEqual(2);
    const results = path.filter((entry) => entry.type === 'message' && entry.message.role === 'tool');
    expect(results).toHaveLength(rounds);
    expect((await session.recall({ handle: '@2' })).text).toContain('4711');
  });
});

describe('prepareStep', () => {
  const history: ModelMessage[] = [
    { role: 'user', content: 'First question' },
    { role: 'assistant', content: [{ type: 'text', text: 'First answer' }] },
    { role: 'user', content: [{ type: 'text', text: 'Second question' }] },
  ];
  const texts = (entries: readonly { readonly type: string }[]) =>
    entries.flatMap((entry) =>
      'message' in entry ? JSON.stringify(entry.message).match(/(First|Second|Other)[^"]*/g) : [],
    );

  it('returns the messages of the SDK unchanged where nothing was compacted', async () => {
    const session = await (await createEngine({ store: createMemoryStore() })).create();
    const { messages } = await createPrepareStep({ session, model: target('anthropic') })({ messages: history });
    expect(messages).toEqual(history);
    expect(messages[0]).toBe(history[0]);
  });

  it('appends each message once, also when another process goes on with the same history', async () => {
    const store = createMemoryStore();
    const engine = await createEngine({ store });
    const first = await engine.create();
    const prepareStep = createPrepareStep({ session: first, model: target('anthropic') });
    await prepareStep({ messages: history });
    await prepareStep({ messages: history });
    const again = await (await createEngine({ store })).open(first.id);
    const more: ModelMessage[] = [...history, { role: 'assistant', content: 'Second answer' }];
    await createPrepareStep({ session: again, model: target('anthropic') })({ messages: more });
    const path = await again.session.path();
    expect(texts(path)).toEqual(['First question', 'First answer', 'Second question', 'Second answer']);
  });

  it('branches where the history was edited, and keeps what was left behind', async () => {
    const session = await (await createEngine({ store: createMemoryStore() })).create();
    const prepareStep = createPrepareStep({ session, model: target('anthropic') });
    await prepareStep({ messages: history });
    const edited: ModelMessage[] = [...history.slice(0, 2), { role: 'user', content: 'Other question' }];
    const { messages } = await prepareStep({ messages: edited });
    expect(messages).toEqual(edited);
    expect(texts(await session.session.path())).toEqual(['First question', 'First answer', 'Other question']);
    const all = await session.session.read({ types: ['message'] });
    expect(texts(all)).toContain('Second question');
  });
});
