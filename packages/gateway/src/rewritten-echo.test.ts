import type { Json, JsonObject } from 'longhaul/message';
import { startLoopback } from 'longhaul/testing';
import { expect, it, onTestFinished } from 'vitest';
import { FakeAgent } from './fixtures/agent.ts';
import { createGateway } from './gateway.ts';

it('calls that a client sends back in its own bytes keep their place after results were pruned', async () => {
  let steps = 0;
  const loopback = await startLoopback({
    window: 12_000,
    script: () => {
      steps += 1;
      return { thinking: `Step ${steps}.`, toolCalls: [{ name: 'read', arguments: { path: `file-${steps}` } }] };
    },
  });
  const upstreams = { openai: loopback.url };
  const gateway = await createGateway({ upstreams, env: {}, window: 12_000 });
  onTestFinished(async () => {
    await gateway.close();
    await loopback.close();
  });
  const agent = new FakeAgent({ dialect: 'openai-responses', url: () => gateway.url });
  agent.say('Read all files.');
  for (let turn = 0; turn < 24; turn += 1) {
    const from = agent.history.length;
    const message = await agent.turn();
    // Codex adds this member to every reasoning item.
    agent.history = agent.history.map((item, at): Json => {
      const isNew = at >= from && (item as JsonObject).type === 'reasoning';
      return isNew ? { ...(item as JsonObject), content: null } : item;
    });
    agent.answer(message, (path) => `${path}\n${'a line of the file\n'.repeat(150)}`);
  }
  const rejected = loopback.requests.filter(({ status }) => status !== 200);
  expect(rejected.map(({ verdict }) => verdict)).toEqual([]);
  const longest = Math.max(...loopback.requests.map(({ text }) => text.length));
  expect(longest).toBeLessThan(JSON.stringify(agent.body()).length / 1.5);
});
