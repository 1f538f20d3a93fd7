import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Entry, openSession, openSqliteStore } from 'longhaul/session';
import { type LoopbackExchange, type LoopbackOptions, startLoopback } from 'longhaul/testing';
import { expect, it } from 'vitest';
import { FakeAgent } from './fixtures/agent.ts';
import { createGateway, type Gateway } from './gateway.ts';
import type { GatewayOptions } from './options.ts';

const window = 12_000;

/** A provider that asks for one file after the other, and a gateway on a store in a folder. */
async function start({
  loopback: given = {},
  ...options
}: GatewayOptions & { readonly loopback?: LoopbackOptions } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'longhaul-gateway-'));
  let steps = 0;
  const loopback = await startLoopback({
    window,
    cacheMinimum: 64,
    script: () => {
      steps += 1;
      return { text: `Step ${steps}.`, toolCalls: [{ name: 'read', arguments: { path: `src/file-${steps}.ts` } }] };
    },
    ...given,
  });
  const upstreams = { anthropic: loopback.url, openai: loopback.url, gemini: loopback.url };
  let gateway: Gateway = await createGateway({ dir, upstreams, env: {}, window, ...options });
  return {
    dir,
    loopback,
    url: () => gateway.url,
    gateway: () => gateway,
    async restart() {
      await gateway.close();
      gateway = await createGateway({ dir, upstreams, env: {}, window, ...options });
    },
    async sessions() {
      const store = await openSqliteStore({ dir });
      try {
        const list = await store.list();
        return await Promise.all(
          list.map(async ({ header }) => {
            const session = await openSession({ store, id: header.id });
            return { header, entries: await session.read({ after: 0 }), context: session.context };
          }),
        );
      } finally {
        await store.close();
      }
    },
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await loopback.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const words = 'alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa'.split(
  ' ',
);
const fileOf = (path: string) => {
  const [seed = 0] = /\d+/.exec(path)?.map(Number) ?? [];
  const word = (at: number) => words[(seed * 31 + at * 17 + at * at) % words.length];
  return `// ${path}\n${Array.from({ length: 160 }, (_, at) => `const ${word(at)}${at} = ${seed * at};`).join('\n')}`;
};

/** Works through some tool turns. */
async function work({ agent, turns, between }: { agent: FakeAgent; turns: number; between?: () => Promise<void> }) {
  for (let turn = 0; turn < turns; turn += 1) {
    agent.answer(await agent.turn(), fileOf);
    await between?.();
  }
}

const unmarked = (item: unknown) => JSON.stringify(item).replaceAll(',"cache_control":{"type":"ephemeral"}', '');

/** How often the sent items did not only grow. */
function breaksIn(requests: readonly LoopbackExchange[], key = 'messages'): number {
  const lists = requests.map(({ body }) => ((body as Record<string, unknown[]>)[key] ?? []).map(unmarked));
  return lists.filter((list, at) => at > 0 && (lists[at - 1] ?? []).some((item, index) => item !== list[index])).length;
}

const shrinks = (entries: readonly Entry[]) =>
  entries.filter((entry) => entry.type === 'epoch' && entry.reason !== 'head' && entry.reason !== 'model').length;

it('keeps a conversation of 40 tool turns inside a small window, legally, in few epochs', async () => {
  await using at = await start();
  const agent = new FakeAgent({ dialect: 'anthropic', url: at.url });
  agent.say('Read all files. The code word is ZANZIBAR-42.');
  await work({ agent, turns: 40 });
  const { requests } = at.loopback;
  expect(requests.filter(({ status }) => status !== 200)).toEqual([]);
  expect(requests).toHaveLength(40);
  expect(Math.max(...requests.map(({ text }) => text.length))).toBeLessThan(JSON.stringify(agent.body()).length / 2);
  expect(requests.at(-1)?.text).toContain('ZANZIBAR-42');
  const [session, ...others] = await at.sessions();
  expect(others).toEqual([]);
  expect(session?.entries.filter(({ type }) => type === 'compaction').length).toBeGreaterThanOrEqual(3);
  expect(breaksIn(requests)).toBeLessThanOrEqual(shrinks(session?.entries ?? []));
  // Everything is in the log, the last answer included.
  const said = session?.entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : [])) ?? [];
  expect(said.filter(({ role }) => role === 'assistant')).toHaveLength(40);
  expect(said.filter(({ role }) => role === 'tool')).toHaveLength(39);
});

it('sends the same bytes when it is restarted between any two requests', async () => {
  const run = async (isRestarted: boolean) => {
    await using at = await start({ loopback: { secret: 'fixed' } });
    const agent = new FakeAgent({ dialect: 'anthropic', url: at.url });
    agent.say('Read all files.');
    await work({ agent, turns: 12, ...(isRestarted && { between: at.restart }) });
    expect(await at.sessions()).toHaveLength(1);
    return { requests: at.loopback.requests, breaks: breaksIn(at.loopback.requests) };
  };
  const { requests, breaks } = await run(true);
  expect(requests.every(({ status }) => status === 200)).toBe(true);
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
  const sessions = await at.sessions();
  expect(sessions).toHaveLength(1);
});
