import { expect, test } from 'vitest';
import { createEngine } from '../engine/index.ts';
import { createModel } from '../models/clients/index.ts';
import { createMemoryStore } from '../session/index.ts';
import { type LoopbackExchange, startLoopback } from '../testing/index.ts';
import { createAgent } from './agent.ts';
import { all, endOf } from './fixtures/agent.ts';
import { everything, says, toolOf } from './fixtures/tools.ts';

/** Providers that bind thinking to its prefix reject it after a change, unless the request allows dropping it. */
test('bound thinking survives an epoch in the middle of a turn', async () => {
  const exchanges: LoopbackExchange[] = [];
  const rounds = 30;
  const loopback = await startLoopback({
    window: 12_000,
    bindThinking: true,
    onExchange: (exchange) => exchanges.push(exchange),
    script: ({ index }) =>
      index < rounds
        ? { thinking: `Thought ${index}.`, toolCalls: [{ name: 'look', arguments: { at: index } }] }
        : { text: 'Done.' },
  });
  const model = await createModel({
    name: 'anthropic/claude-test',
    baseUrl: loopback.url,
    apiKey: 'test',
    extra: [
      {
        match: ['claude-test'],
        window: 12_000,
        maxOutput: 1_000,
        capabilities: { thinking: 'adaptive' },
        quirks: ['bindsThinking'],
      },
    ],
  });
  const session = await (await createEngine({ store: createMemoryStore() })).create();
  const look = toolOf({ name: 'look', run: async () => says('What one sees from here. '.repeat(120)) });
  const agent = await createAgent({
    session,
    model,
    tools: [look],
    permissions: everything,
    head: [],
    options: { thinking: { effort: 'low' } },
  });
  const events = await all(agent.run({ prompt: 'Look around.' }));
  await loopback.close();
  const epochs = events.filter((event) => event.type === 'engine' && event.event.type === 'epoch');
  expect(epochs.length).toBeGreaterThan(0);
  expect(exchanges.filter(({ verdict }) => verdict?.legal !== true)).toEqual([]);
  expect(endOf(events)).toMatchObject({ reason: 'done', text: 'Done.', turns: rounds + 1 });
});

/** features I3: context edits are decoded and kept. */
test('context edits by the provider are reported and logged', async () => {
  const edit = { type: 'clear_tool_uses_20250919', cleared_tool_uses: 3, cleared_input_tokens: 9000 };
  const loopback = await startLoopback({ script: [{ text: 'Done.', appliedEdits: [edit] }] });
  const model = await createModel({ name: 'anthropic/claude-opus-5', baseUrl: loopback.url, apiKey: 'test' });
  const session = await (await createEngine({ store: createMemoryStore() })).create();
  const agent = await createAgent({
    session,
    model,
    tools: [],
    permissions: everything,
    head: [],
    options: { providerCompaction: {} },
  });
  const events = await all(agent.run({ prompt: 'Go on.' }));
  await loopback.close();
  const about = { kind: 'edits', name: edit.type, tokens: 9000 };
  expect(events.filter(({ type }) => type === 'provider_compaction')).toEqual([
    { type: 'provider_compaction', ...about },
  ]);
  const notes = JSON.stringify(await session.session.read({ types: ['provider_compaction'] }));
  for (const said of ['provider_compaction', edit.type]) expect(notes).toContain(said);
  expect(endOf(events)).toMatchObject({ reason: 'done', text: 'Done.' });
});
