import { expect, test } from 'vitest';
import type { Message } from '../message/index.ts';
import { modelInfo, type TargetModel } from '../models/index.ts';
import { createMemoryStore, createSession, type Store } from '../session/index.ts';
import { createTokenizer } from '../tokens/index.ts';
import { createEngine } from './engine.ts';

const text = (index: number) =>
  `step ${index}: the parser reads one token ahead and keeps the rest in a buffer. `.repeat(60);
const user = (index: number): Message => ({
  role: 'user',
  parts: [{ type: 'text', origin: 'human', text: text(index) }],
});
const assistant = (index: number): Message => ({
  role: 'assistant',
  parts: [{ type: 'text', origin: 'model', text: `noted ${index}` }],
});

const model: TargetModel = {
  id: { provider: 'somewhere', name: 'mystery-9' },
  dialect: 'openai-chat',
  info: { ...modelInfo({ name: 'mystery-9' }), window: 400_000 },
};

/** As an importer leaves it: the usage of another agent, whose system prompt of 20,000 tokens is not in the log. */
async function importedSession({ store, factor }: { readonly store: Store; readonly factor: number }) {
  const session = await createSession({ store });
  const { count } = await createTokenizer('o200k_base');
  let tokens = 0;
  for (let index = 0; index < 20; index += 1) {
    await session.append({ type: 'message', message: user(index) });
    tokens += 4 + count(text(index));
    const { id: target } = await session.append({ type: 'message', message: assistant(index) });
    const prompt = 20_000 + Math.round(tokens * factor);
    const usage = { input: 3, output: 4, cacheRead: prompt - 1_003, cacheWrite: 1_000 };
    await session.append({ type: 'usage', usage, model: model.id, target });
    tokens += 4 + count(`noted ${index}`);
  }
  return { id: session.id, tokens: Math.round(tokens * factor) };
}

test.each([0.95, 1.45])(
  'usage in an imported log calibrates when the session is opened: %f tokens for one',
  async (factor) => {
    const store = createMemoryStore();
    const { id, tokens } = await importedSession({ store, factor });
    const fresh = await (await createEngine({ store: createMemoryStore() })).create();
    const messages = Array.from({ length: 20 }, (_, index) => [user(index), assistant(index)]).flat();
    const unknown = await fresh.prepare({ model, turn: { messages } });
    expect(unknown.bound / unknown.tokens).toBeGreaterThan(1.45);
    const session = await (await createEngine({ store })).open(id);
    const opened = await session.prepare({ model });
    // The other agent's system prompt is not sent by us, and not counted.
    expect(Math.abs(opened.tokens / tokens - 1)).toBeLessThan(0.03);
    expect(opened.bound).toBeGreaterThan(tokens);
    expect(opened.bound / tokens).toBeLessThan(1.25);
  },
);

test('usage of our own requests calibrates after a restart, also for an epoch without a report', async () => {
  const store = createMemoryStore();
  const first = await (await createEngine({ store })).create();
  for (let index = 0; index < 6; index += 1) {
    const { tokens } = await first.prepare({ model, turn: { messages: [user(index)] } });
    const counted = index === 0 ? tokens * 1.25 : tokens * 1.02;
    await first.report({ usage: { input: Math.round(counted) } });
    await first.append({ type: 'message', message: assistant(index) });
  }
  const live = await first.preflight({ model });
  const other = await (await createEngine({ store })).open(first.id);
  const reopened = await other.preflight({ model });
  expect(Math.abs(reopened.tokens / live.tokens - 1)).toBeLessThan(0.01);
  expect(Math.abs(reopened.bound / live.bound - 1)).toBeLessThan(0.02);
});

test('what is learned from the log does not change what was sent', async () => {
  const store = createMemoryStore();
  const { id } = await importedSession({ store, factor: 1.4 });
  const first = await (await createEngine({ store })).open(id);
  const sent = await first.prepare({ model });
  await first.report({ usage: { input: Math.round(sent.tokens * 1.1) } });
  const again = await (await createEngine({ store })).open(id);
  const next = await again.prepare({ model, turn: { messages: [user(99)] } });
  expect(next.report.opened).toEqual([]);
  expect(JSON.stringify(next.items.slice(0, sent.items.length))).toBe(JSON.stringify(sent.items));
});
