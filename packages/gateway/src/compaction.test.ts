import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FakeAgent } from './fixtures/agent.ts';
import { breaksIn, shrinks, start, work } from './fixtures/start.ts';

const itemsKey = { anthropic: 'messages', 'openai-chat': 'messages', 'openai-responses': 'input', gemini: 'contents' };

it.each([
  ['anthropic', true],
  ['anthropic', false],
  ['openai-chat', true],
  ['openai-chat', false],
  ['openai-responses', true],
  ['openai-responses', false],
  ['gemini', true],
  ['gemini', false],
] as const)(
  'keeps a long conversation inside a small window, legally, in few epochs: %s, streamed: %s',
  async (dialect, stream) => {
    await using at = await start();
    const agent = new FakeAgent({ dialect, url: at.url, stream });
    agent.say('Read all files. The code word is ZANZIBAR-42.');
    await work({ agent, turns: 24 });
    const { requests } = at.loopback;
    expect(requests.filter(({ status }) => status !== 200)).toEqual([]);
    expect(requests).toHaveLength(24);
    expect(Math.max(...requests.map(({ text }) => text.length))).toBeLessThan(
      JSON.stringify(agent.body()).length * 0.7,
    );
    expect(requests.at(-1)?.text).toContain('ZANZIBAR-42');
    // Without --recall the model is not referred to a tool that it does not have.
    expect(requests.filter(({ text }) => /recall/i.test(text))).toEqual([]);
    const [session, ...others] = await at.sessions();
    expect(others).toEqual([]);
    expect(session?.entries.filter(({ type }) => type === 'compaction').length).toBeGreaterThanOrEqual(2);
    expect(breaksIn(requests, itemsKey[dialect])).toBeLessThanOrEqual(shrinks(session?.entries ?? []));
    // Everything is in the log, the last answer included.
    const said = session?.entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : [])) ?? [];
    const parts = said.flatMap((message) => message.parts);
    expect(parts.filter(({ type }) => type === 'tool_call')).toHaveLength(24);
    expect(parts.filter(({ type }) => type === 'tool_result')).toHaveLength(23);
  },
);

it('sends the same bytes when it is restarted between any two requests', async () => {
  const run = async (isRestarted: boolean) => {
    await using at = await start({ loopback: { secret: 'fixed' } });
    const agent = new FakeAgent({ dialect: 'anthropic', url: at.url });
    agent.say('Read all files.');
    await work({ agent, turns: 16, ...(isRestarted && { between: () => at.restart() }) });
    expect(await at.sessions()).toHaveLength(1);
    return { requests: at.loopback.requests, breaks: breaksIn(at.loopback.requests) };
  };
  const { requests, breaks } = await run(true);
  expect(requests.every(({ status }) => status === 200)).toBe(true);
  const sent = (all: typeof requests) => all.map(({ text }) => text);
  expect(sent(requests)).toEqual(sent((await run(false)).requests));
  expect(breaks).toBeGreaterThan(0);
  expect(breaks).toBeLessThanOrEqual(3);
});

it('sends the same bytes for a request that is repeated after a compaction, also after a restart', async () => {
  await using at = await start();
  const agent = new FakeAgent({ dialect: 'anthropic', url: at.url });
  agent.say('Read all files.');
  await work({ agent, turns: 16 });
  const body = JSON.stringify(agent.body());
  const send = async () => {
    await (await agent.send()).text();
    return at.loopback.requests.at(-1)?.text;
  };
  const first = await send();
  expect(first?.length).toBeLessThan(body.length * 0.8);
  expect(await send()).toBe(first);
  await at.restart();
  expect(await send()).toBe(first);
  // The index of conversations is made again from the sessions where it is lost or damaged.
  const index = (dir: string) => join(dir, 'gateway', 'chains.sqlite');
  for (const damage of [
    (dir: string) => rmSync(index(dir)),
    (dir: string) => writeFileSync(index(dir), 'x'.repeat(9000)),
  ]) {
    await at.restart(damage);
    expect(await send()).toBe(first);
  }
  const sessions = await at.sessions();
  expect(sessions).toHaveLength(1);
});
