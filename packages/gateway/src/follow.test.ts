import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from 'longhaul/engine';
import type { Json, JsonObject } from 'longhaul/message';
import { modelInfo } from 'longhaul/models';
import { createMemoryStore, openSqliteStore, type Store, StoreWriteError } from 'longhaul/session';
import { startLoopback } from 'longhaul/testing';
import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { FakeAgent } from './fixtures/agent.ts';
import { breaksIn, fileOf, shrinks, start, work } from './fixtures/start.ts';
import { createGateway } from './gateway.ts';

it('makes a request smaller that the provider refuses as too long, before the client hears of it', async () => {
  // The gateway believes in a larger window than the provider has.
  await using at = await start({ window: 60_000, loopback: { window: 9_000 } });
  const agent = new FakeAgent({ dialect: 'anthropic', url: at.url });
  agent.say('Read all files.');
  await work({ agent, turns: 14 });
  const statuses = at.loopback.requests.map(({ status }) => status);
  expect(statuses.filter((status) => status === 400).length).toBeGreaterThan(0);
  // Never twice in a row: the second attempt is the last one.
  expect(statuses.join(' ')).not.toContain('400 400');
  expect(statuses.filter((status) => status === 200)).toHaveLength(14);
});

it('passes errors of the provider on as they came, and does not retry them', async () => {
  await using at = await start({ loopback: { script: [{ failure: 'rate', retryAfter: 7 }] } });
  const agent = new FakeAgent({ dialect: 'anthropic', url: at.url });
  agent.say('Hi.');
  const response = await agent.send();
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe('7');
  expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
  expect(at.loopback.requests).toHaveLength(1);
});

it('stores no credentials', async () => {
  await using at = await start();
  const agent = new FakeAgent({ dialect: 'anthropic', url: at.url });
  agent.say('Hi.');
  await agent.turn();
  await at.gateway().close();
  const files = (await readdir(at.dir, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
  expect(files.length).toBeGreaterThan(1);
  for (const { parentPath, name } of files)
    expect((await readFile(join(parentPath, name))).includes('secret-of-the-caller'), name).toBe(false);
});

it.each([
  ['the disk is full', { append: () => Promise.reject(new StoreWriteError({ why: 'the disk is full' })) }],
  [
    'nothing can be read',
    { read: () => Promise.reject(new Error('EIO')), head: () => Promise.reject(new Error('EIO')) },
  ],
  ['no session can be made', { create: () => Promise.reject(new Error('EROFS')) }],
])('forwards everything as it came where %s', async (_name, broken: Partial<Store>) => {
  const loopback = await startLoopback();
  const store = { ...createMemoryStore(), ...broken };
  const gateway = await createGateway({ store, upstreams: { anthropic: loopback.url }, env: {} });
  const agent = new FakeAgent({ dialect: 'anthropic', url: () => gateway.url });
  agent.say('Hi.');
  const sent: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    sent.push(JSON.stringify(agent.body()));
    await agent.turn();
    agent.say('Go on.');
  }
  expect(loopback.requests.map(({ text }) => text)).toEqual(sent);
  await gateway.close();
  await loopback.close();
});

it('drops bound thinking from before a compaction, and only that', async () => {
  let steps = 0;
  const script = () => {
    steps += 1;
    const toolCalls = [{ name: 'read', arguments: { path: `src/file-${steps}.ts` } }];
    return { thinking: `I should read file ${steps}.`, text: `Step ${steps}.`, toolCalls };
  };
  await using at = await start({ loopback: { bindThinking: true, script } });
  const agent = new FakeAgent({ dialect: 'anthropic', url: at.url, model: 'claude-unknown-9', thinking: true });
  agent.say('Read all files.');
  await work({ agent, turns: 16 });
  expect(at.loopback.requests.filter(({ status }) => status !== 200)).toEqual([]);
  expect(shrinks((await at.sessions())[0]?.entries ?? [])).toBeGreaterThan(0);
  expect(at.loopback.requests.at(-1)?.text).toContain('"thinking"');
});

it('keeps conversations with different ids apart, also where they begin with the same words', async () => {
  await using at = await start();
  const agents = ['one', 'two'].map(
    (id) => new FakeAgent({ dialect: 'anthropic', url: at.url, headers: { 'x-claude-code-session-id': id } }),
  );
  for (const agent of agents) agent.say('Read all files.');
  for (let turn = 0; turn < 3; turn += 1) for (const agent of agents) await work({ agent, turns: 1 });
  const sessions = await at.sessions();
  expect(sessions).toHaveLength(2);
  for (const { entries } of sessions)
    expect(entries.filter((entry) => entry.type === 'message' && entry.message.role === 'assistant')).toHaveLength(3);
});

it('links a sub-agent to its owner, and side calls to the main conversation, without disturbing it', async () => {
  await using at = await start();
  const headers = { 'x-claude-code-session-id': 'main' };
  const main = new FakeAgent({ dialect: 'anthropic', url: at.url, headers });
  main.say('Read all files.');
  await work({ agent: main, turns: 2 });
  const child = new FakeAgent({
    dialect: 'anthropic',
    url: at.url,
    headers: { ...headers, 'x-claude-code-agent-id': 'explorer' },
    system: 'You explore.',
  });
  child.say('Look around.');
  await work({ agent: child, turns: 2 });
  // A title, over the whole history, without tools.
  const { tools: _, ...body } = main.body();
  const title = { ...body, messages: [...(body.messages as Json[]), { role: 'user', content: 'A title?' }] };
  const titled = await fetch(`${at.url()}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: JSON.stringify(title),
  });
  await titled.text();
  await work({ agent: main, turns: 2 });
  const sessions = await at.sessions();
  expect(sessions).toHaveLength(3);
  const [mainSession] = sessions.filter(({ header }) => !header.owner && !header.parent);
  expect(sessions.filter(({ header }) => header.owner?.session === mainSession?.header.id)).toHaveLength(1);
  expect(sessions.filter(({ header }) => header.parent?.session === mainSession?.header.id)).toHaveLength(1);
  expect(JSON.stringify(mainSession?.entries)).not.toContain('A title?');
  expect(mainSession?.entries.filter(({ type }) => type === 'epoch')).toEqual([]);
});

it('goes on after another process compacted the session', async () => {
  await using at = await start({ window: 100_000, loopback: { window: 100_000 } });
  const agent = new FakeAgent({ dialect: 'anthropic', url: at.url });
  agent.say('Read all files.');
  await work({ agent, turns: 8 });
  const store = await openSqliteStore({ dir: at.dir });
  const engine = await createEngine({ store });
  const [summary] = await store.list();
  const session = await engine.open(summary?.header.id ?? '');
  const name = 'claude-sonnet-4-5';
  const info = { ...modelInfo({ provider: 'anthropic', name }), window: 12_000 };
  const result = await session.compact({ model: { id: { provider: 'anthropic', name }, dialect: 'anthropic', info } });
  expect(result.installed).toBe(true);
  await session.close();
  await store.close();
  await work({ agent, turns: 2 });
  const { requests } = at.loopback;
  expect(requests.every(({ status }) => status === 200)).toBe(true);
  expect(requests.at(-1)?.text).toContain('<summary>');
  expect(await at.sessions()).toHaveLength(1);
});

it('keeps a compaction in force for a history that the client wrote anew', async () => {
  await using at = await start();
  const agent = new FakeAgent({ dialect: 'openai-chat', url: at.url });
  agent.say('Read all files.');
  await work({ agent, turns: 14 });
  const before = at.loopback.requests.at(-1)?.text ?? '';
  agent.history = agent.history.map((item) => ({ ...(item as JsonObject), __rebuilt: true }));
  await work({ agent, turns: 2 });
  const after = at.loopback.requests.at(-1)?.text ?? '';
  expect(before).toContain('<summary>');
  expect(after).toContain('<summary>');
  expect(after.length).toBeLessThan(JSON.stringify(agent.body()).length * 0.8);
  expect(at.loopback.requests.every(({ verdict }) => verdict?.legal)).toBe(true);
  expect(await at.sessions()).toHaveLength(1);
});

it('counts the tokens of what would be sent', async () => {
  await using at = await start();
  const agent = new FakeAgent({ dialect: 'anthropic', url: at.url });
  agent.say('Read all files.');
  await work({ agent, turns: 14 });
  const { stream: _, ...body } = agent.body();
  const count = async (url: string) => {
    const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}/v1/messages/count_tokens`, request);
    const counted = (await response.json()) as JsonObject;
    expect(counted).toEqual({ input_tokens: expect.any(Number) });
    return counted.input_tokens;
  };
  expect(Number(await count(at.url()))).toBeLessThan(Number(await count(at.loopback.url)) * 0.8);
});

it('follows a conversation that the server keeps, and sends it whole after a compaction', async () => {
  await using at = await start();
  const client = new OpenAI({ baseURL: `${at.url()}/v1`, apiKey: 'k', maxRetries: 0 });
  const tools = [{ type: 'function' as const, name: 'read', parameters: { type: 'object' }, strict: false }];
  let previous: string | undefined;
  let input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Read all files. The word is ZANZIBAR-42.' }];
  for (let turn = 0; turn < 16; turn += 1) {
    const response = await client.responses.create({
      model: 'gpt-5',
      tools,
      input,
      ...(previous !== undefined && { previous_response_id: previous }),
    });
    previous = response.id;
    input = response.output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: fileOf(item.arguments) }]
        : [],
    );
  }
  const { requests } = at.loopback;
  const whole = requests.filter(({ text }) => text.includes('<summary>') && !text.includes('previous_response_id'));
  expect(whole.length).toBeGreaterThan(0);
  expect(requests.filter(({ text }) => text.includes('previous_response_id')).length).toBeGreaterThan(8);
  expect(whole.at(-1)?.text).toContain('ZANZIBAR-42');
  expect(await at.sessions()).toHaveLength(1);
});

it('passes an unknown previous response through', async () => {
  await using at = await start();
  const body = '{"model":"gpt-5","input":"hi","previous_response_id":"resp_unknown"}';
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${at.url()}/v1/responses`, { method: 'POST', headers, body });
  expect(response.status).toBe(400);
  expect(at.loopback.requests[0]?.text).toBe(body);
  expect(await at.sessions()).toHaveLength(0);
});

it('knows items that the client names by their ids', async () => {
  await using at = await start({ loopback: { script: () => ({ text: 'The answer is ZEBRA.' }) } });
  const post = async (input: Json) => {
    const request = { model: 'gpt-5', input };
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${at.url()}/v1/responses`, {
      method: 'POST',
      headers,
      body: JSON.stringify(request),
    });
    return (await response.json()) as { output: { id: string }[] };
  };
  const hi = { role: 'user', content: 'What is it?' };
  const { output } = await post([hi]);
  await post([hi, { type: 'item_reference', id: output[0]?.id ?? '' }, { role: 'user', content: 'Sure?' }]);
  const [session, ...others] = await at.sessions();
  expect(others).toEqual([]);
  expect(JSON.stringify(session?.entries).match(/ZEBRA/g)).toHaveLength(2);
  expect(JSON.stringify(session?.entries)).not.toContain('item_reference');
});

it('changes nothing in a dry run', async () => {
  await using at = await start({ dryRun: true, loopback: { window: 1_000_000 } });
  const agent = new FakeAgent({ dialect: 'anthropic', url: at.url });
  agent.say('Read all files.');
  await work({ agent, turns: 14 });
  expect(breaksIn(at.loopback.requests)).toBe(0);
  expect(at.loopback.requests.at(-1)?.text).toContain('src/file-1.ts');
});

it('leaves clients alone that let their provider compact', async () => {
  await using at = await start({ loopback: { window: 1_000_000 } });
  const agent = new FakeAgent({ dialect: 'anthropic', url: at.url });
  agent.say('x'.repeat(100_000));
  const body = JSON.stringify({ ...agent.body(), context_management: { edits: [{ type: 'compact_20260112' }] } });
  const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'compact-2026-01-12' };
  await (await fetch(`${at.url()}/v1/messages`, { method: 'POST', headers, body })).text();
  expect(at.loopback.requests[0]?.text).toBe(body);
});
