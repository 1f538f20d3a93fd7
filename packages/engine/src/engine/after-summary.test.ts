import { expect, test } from 'vitest';
import type { Message } from '../message/index.ts';
import type { QuirkName, TargetModel } from '../models/index.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { call, result, say } from './fixtures/messages.ts';
import { slowSummarizer } from './fixtures/slow-summarizer.ts';
import { long, talk } from './fixtures/talk.ts';
import { createPolicy } from './policy/presets.ts';

const plain = modelOf({ window: 10_000 });
const withQuirk = (quirk: QuirkName): TargetModel => ({ ...plain, info: { ...plain.info, quirks: [quirk] } });

test('D16: a model that stops after a summary is asked once to continue, and others are not', async () => {
  for (const [model, times] of [
    [withQuirk('keepGoingReminder'), 1],
    [plain, 0],
  ] as const) {
    const { session } = await begin();
    await talk({ session, turns: 5, model: modelOf({ window: 100_000 }) });
    await session.compact({ model });
    const { items } = await session.prepare({ model, turn: { messages: [say('now')] } });
    expect(JSON.stringify(items).split('The task is not finished').length - 1).toBe(times);
  }
});

test('editor.md 3.8: the last thinking of an open turn comes first again after the summary, if the model requires it', async () => {
  const thought = (text: string): Message['parts'][number] => ({
    type: 'thinking',
    origin: 'model',
    text,
    signature: `signed ${text}`,
    wire: { dialect: 'anthropic' },
  });
  const model = withQuirk('reattachLastThinking');
  const { session } = await begin({ policy: createPolicy({ prune: { outputs: false } }) });
  await session.prepare({ model, turn: { messages: [say('go')] } });
  for (let round = 0; round < 8; round += 1) {
    const { role, parts } = call(`c${round}`);
    const thinks = round < 2 ? [thought(`thought ${round}`)] : [];
    await session.append({ type: 'message', message: { role, parts: [...thinks, ...parts] } });
    await session.append({ type: 'message', message: result(`c${round}`, long(`result ${round}`)) });
    await session.prepare({ model });
  }
  const [compaction] = await session.session.read({ types: ['compaction'] });
  expect(compaction).toBeDefined();
  const first = session.context.items.find(({ message }) => message.role === 'assistant');
  expect(first?.message.parts[0]).toMatchObject({ type: 'thinking', text: 'thought 1' });
});

test('D10: a background request knows the options and the size of the request it forks', async () => {
  const summarizer = slowSummarizer();
  const { session } = await begin({ summarizer });
  await talk({ session, turns: 4, model: modelOf({ window: 100_000 }) });
  const options = { toolChoice: 'auto', thinking: { effort: 'high' } } as const;
  const compaction = session.compact({ model: plain, options });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(summarizer.asked[0]?.live).toMatchObject({ options, tokens: expect.any(Number) });
  await summarizer.answer();
  expect(await compaction).toMatchObject({ installed: true });
});
