import { once } from 'node:events';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { dialects } from 'longhaul/message';
import { createMemoryStore, type Store } from 'longhaul/session';
import { startLoopback } from 'longhaul/testing';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeAgent } from './fixtures/agent.ts';
import { breaksIn, fileOf, start, work } from './fixtures/start.ts';
import { createGateway } from './gateway.ts';
import type { GatewayOptions } from './options.ts';
import { recallName } from './recall/filter.ts';

/** An upstream that does what a test says. */
async function upstreamOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function gatewayTo({ url, ...options }: GatewayOptions & { readonly url: string }) {
  const upstreams = { anthropic: url, openai: url, gemini: url };
  const gateway = await createGateway({ upstreams, env: {}, ...options });
  onTestFinished(() => gateway.close());
  return gateway;
}

/** The text of a response as far as it came, and whether it ended well. */
async function readAll(response: Response): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  let text = '';
  try {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
    return { text, isWhole: true };
  } catch {
    return { text, isWhole: false };
  }
}

describe.each(dialects)('%s: the upstream is cut', (dialect) => {
  it('at every event and inside of one: the client sees that, and the conversation goes on', async () => {
    const answer = { text: 'A first sentence.', toolCalls: [{ name: 'read', arguments: { path: 'a' } }] };
    let cut: number | undefined;
    const loopback = await startLoopback({
      secret: 'fixed',
      script: () => ({ ...answer, ...(cut !== undefined && { transport: { cutAfterBytes: cut } }) }),
    });
    onTestFinished(() => loopback.close());
    const gateway = await gatewayTo({ url: loopback.url });
    const agent = new FakeAgent({ dialect, url: () => gateway.url });
    agent.say('Go.');
    const { text: whole } = await readAll(await agent.send());
    const ends = [...whole.matchAll(/\n\n/g)].map(({ index }) => index + 2).filter((end) => end < whole.length);
    expect(ends.length).toBeGreaterThan(1);
    for (const at of [...ends, (ends[0] ?? 0) + 3]) {
      cut = at;
      const { text, isWhole } = await readAll(await agent.send());
      const isEvent = text.slice(at).includes('"error"');
      // An error event after a whole event, and a broken connection in the middle of one.
      expect({ at, isWhole }).toEqual({ at, isWhole: ends.includes(at) });
      expect(isEvent).toBe(ends.includes(at));
    }
    cut = undefined;
    const message = await agent.turn();
    expect(message.parts.filter(({ type }) => type === 'tool_call')).toHaveLength(1);
    agent.answer(message, fileOf);
    expect((await agent.send()).status).toBe(200);
  });
});

it('each chunk is sent on as it comes', async () => {
  const seen = Promise.withResolvers<void>();
  const url = await upstreamOf(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: ping\ndata: {"type":"ping"}\n\n');
    await seen.promise;
    response.end('event: message_stop\ndata: {"type":"message_stop"}\n\n');
  });
  const gateway = await gatewayTo({ url });
  const agent = new FakeAgent({ dialect: 'anthropic', url: () => gateway.url });
  agent.say('Go.');
  const reader = (await agent.send()).body?.getReader();
  const first = await reader?.read();
  expect(Buffer.from(first?.value ?? []).toString()).toContain('ping');
  seen.resolve();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('message_stop');
});

it.each(dialects)('%s: a silent upstream is an error of the dialect', async (dialect) => {
  const url = await upstreamOf(() => undefined);
  const gateway = await gatewayTo({ url, limits: { idleTime: 300 } });
  const agent = new FakeAgent({ dialect, url: () => gateway.url });
  agent.say('Go.');
  const response = await agent.send();
  expect([response.status, response.headers.get('x-longhaul-error')]).toEqual([504, 'upstream-timeout']);
  expect(JSON.stringify(await response.json())).toContain('did not answer');
});

it('an answer of another content type is passed through, and the next request works', async () => {
  let isPage = true;
  const loopback = await startLoopback();
  onTestFinished(() => loopback.close());
  const url = await upstreamOf(async (request, response) => {
    if (isPage) return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await fetch(`${loopback.url}${request.url}`, {
      method: 'POST',
      headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
      body: Buffer.concat(chunks),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  });
  const gateway = await gatewayTo({ url });
  const agent = new FakeAgent({ dialect: 'anthropic', url: () => gateway.url });
  agent.say('Go.');
  const page = await agent.send();
  expect([page.headers.get('content-type'), await page.text()]).toEqual(['text/html', '<h1>Sign in</h1>']);
  isPage = false;
  expect((await agent.turn()).parts).toHaveLength(1);
});

it('a path is sent as it came, and an error with its own reason', async () => {
  const paths: (string | undefined)[] = [];
  const url = await upstreamOf((request, response) => {
    paths.push(request.url);
    response.writeHead(529, 'Overloaded', { 'retry-after': '7' }).end('{}');
  });
  const gateway = await gatewayTo({ url: `${url}/base/v1` });
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(gateway.port, '127.0.0.1', () =>
      socket.write('GET /v1/../../a|b%2f?q=%7b HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'),
    );
    let text = '';
    socket.on('data', (data) => {
      text += String(data);
    });
    socket.on('close', () => resolve(text));
  });
  expect(paths).toEqual(['/base/v1/../../a|b%2f?q=%7b']);
  expect(answer).toMatch(/^HTTP\/1.1 529 Overloaded\r\n(.*\r\n)*retry-after: 7\r\n/);
});

it('a text that is too long to be counted is forwarded as it came, and leaves no session', async () => {
  const received: number[] = [];
  const url = await upstreamOf(async (request, response) => {
    let size = 0;
    for await (const chunk of request) size += (chunk as Buffer).length;
    received.push(size);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const lines: string[] = [];
  const store = createMemoryStore();
  const gateway = await gatewayTo({ url, store, onAccess: (line) => lines.push(line) });
  const messages = [{ role: 'user', content: 'x'.repeat(4_100_000) }];
  const body = JSON.stringify({ model: 'claude-opus-5', max_tokens: 8, messages });
  expect((await fetch(`${gateway.url}/v1/messages`, { method: 'POST', body })).status).toBe(200);
  await gateway.close();
  expect(received).toEqual([body.length]);
  expect(lines.filter((line) => line.includes('request-too-long'))).toHaveLength(1);
  expect(await store.list()).toEqual([]);
});

it('an answer that is larger than the limit is relayed whole, and not kept', async () => {
  const chunk = Buffer.alloc(1 << 20, 'x');
  const url = await upstreamOf(async (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    for (let count = 0; count < 24; count += 1)
      if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve));
    response.end();
  });
  const gateway = await gatewayTo({ url, limits: { answerBytes: 100_000 } });
  const agent = new FakeAgent({ dialect: 'anthropic', url: () => gateway.url, stream: false });
  agent.say('Go.');
  let size = 0;
  for await (const part of (await agent.send()).body ?? []) size += (part as Uint8Array).length;
  expect(size).toBe(24 << 20);
});

it('a client that goes away in mid-stream ends the request to the provider', async () => {
  const closed = Promise.withResolvers<void>();
  const url = await upstreamOf((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: ping\ndata: {"type":"ping"}\n\n');
    response.once('close', () => closed.resolve());
  });
  const gateway = await gatewayTo({ url });
  const agent = new FakeAgent({ dialect: 'anthropic', url: () => gateway.url });
  agent.say('Go.');
  const reader = (await agent.send()).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await closed.promise;
  expect((await fetch(`${gateway.url}/longhaul/health`)).status).toBe(200);
});

it('a client that does not send its headers is disconnected', async () => {
  const gateway = await gatewayTo({ url: 'http://127.0.0.1:9', limits: { headerTime: 50 } });
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.write('POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
  expect(await readSocket(socket)).toMatch(/^HTTP\/1\.1 408 /);
});

it('a connection over the limit is refused, and one of those that are open still answers', async () => {
  const loopback = await startLoopback();
  onTestFinished(() => loopback.close());
  const gateway = await gatewayTo({ url: loopback.url, limits: { connections: 1 } });
  const port = Number(new URL(gateway.url).port);
  const first = connect(port, '127.0.0.1');
  const get = 'GET /longhaul/health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n';
  await once(first, 'connect');
  const second = connect(port, '127.0.0.1');
  const [refused] = await Promise.all([readSocket(second), second.write(get)]);
  expect(refused).toBe('');
  first.write(get);
  expect(await readSocket(first)).toMatch(/^HTTP\/1\.1 200 .*"ok"/s);
});

async function readSocket(socket: Socket): Promise<string> {
  let text = '';
  try {
    for await (const chunk of socket) text += String(chunk);
  } catch {
    // It was reset.
  }
  return text;
}

it('two gateways on one store take turns in one conversation', async () => {
  await using at = await start();
  const upstreams = { anthropic: at.loopback.url };
  const second = await createGateway({ dir: at.dir, upstreams, env: {}, window: 12_000 });
  onTestFinished(() => second.close());
  let turn = 0;
  const agent = new FakeAgent({ dialect: 'anthropic', url: () => (turn % 2 === 0 ? at.url() : second.url) });
  agent.say('Read all files.');
  await work({
    agent,
    turns: 16,
    between: async () => {
      turn += 1;
    },
  });
  const { requests } = at.loopback;
  expect(requests.filter(({ status }) => status !== 200).map(({ verdict }) => verdict)).toEqual([]);
  const main = (await at.sessions()).filter(({ entries }) => entries.length > 8);
  expect(main).toHaveLength(1);
  expect(breaksIn(requests)).toBeLessThanOrEqual(4);
});

/** A store in which everything is answered by `fault` while there is one. */
function faultyStore() {
  const state: { calls: number; fault: (() => unknown) | undefined } = { calls: 0, fault: undefined };
  const store = new Proxy(createMemoryStore(), {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        if (name === 'close') return value.apply(target, args);
        state.calls += 1;
        if (!state.fault || name === 'version') return value.apply(target, args);
        return state.fault() ?? value.apply(target, args);
      };
    },
  }) as Store;
  return { store, state };
}

describe('fails open', () => {
  it.each(['ENOSPC', 'ERR_SQLITE_BUSY', 'EROFS'])(
    '%s: requests go through as they came, with one line each',
    async (code) => {
      const loopback = await startLoopback();
      onTestFinished(() => loopback.close());
      const lines: string[] = [];
      const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
      const { store, state } = faultyStore();
      const gateway = await gatewayTo({ url: loopback.url, store, logger });
      const agent = new FakeAgent({ dialect: 'anthropic', url: () => gateway.url });
      agent.say('One.');
      await agent.turn();
      state.fault = () => {
        throw Object.assign(new Error(`${code}: the store fails`), { code });
      };
      agent.say('Two.');
      const sent = JSON.stringify(agent.body());
      await agent.turn();
      expect(loopback.requests.at(-1)?.text).toBe(sent);
      expect(lines.filter((line) => line.includes('forwarded as it came'))).toHaveLength(1);
      expect(lines.join('')).not.toContain('secret-of-the-caller');
      agent.say('Three.');
      await agent.turn();
      expect(loopback.requests.filter(({ status }) => status !== 200)).toEqual([]);
    },
  );

  it('a store that hangs: requests go through as they came, and are in the log once it answers', async () => {
    const loopback = await startLoopback();
    onTestFinished(() => loopback.close());
    const { store, state } = faultyStore();
    const gateway = await gatewayTo({ url: loopback.url, store, limits: { storeTime: 50 } });
    const agent = new FakeAgent({ dialect: 'anthropic', url: () => gateway.url });
    agent.say('One.');
    await agent.turn();
    const released = Promise.withResolvers<undefined>();
    state.fault = () => released.promise.then(() => Promise.reject(new Error('EIO')));
    const sent: string[] = [];
    const ask = async (text: string) => {
      agent.say(text);
      sent.push(JSON.stringify(agent.body()));
      await agent.turn();
    };
    await ask('Two.');
    await ask('Three.');
    const { calls } = state;
    // A conversation whose work is overdue takes no more.
    await ask('Four.');
    expect(state.calls).toBe(calls);
    expect(loopback.requests.slice(1).map(({ text }) => text)).toEqual(sent);
    state.fault = undefined;
    released.resolve(undefined);
    await new Promise((resolve) => setImmediate(resolve));
    await ask('Five.');
    const [session, ...others] = await store.list();
    expect(others).toEqual([]);
    const log = await store.read({ session: session?.header.id ?? '', query: { after: 0 } });
    for (const text of ['One.', 'Two.', 'Three.', 'Four.', 'Five.'])
      expect(log.filter((entry) => JSON.stringify(entry).includes(`"${text}"`))).toHaveLength(1);
  });

  it('a damaged session: requests go through as they came', async () => {
    await using at = await start();
    const agent = new FakeAgent({ dialect: 'anthropic', url: at.url });
    agent.say('Read.');
    agent.answer(await agent.turn(), () => 'short');
    await at.restart();
    for (const path of filesBelow(at.dir).filter((name) => /session|log/.test(name) && /\.(sqlite|db)/.test(name)))
      writeFileSync(path, Buffer.alloc(8192, 0x5a));
    await agent.turn();
    expect(at.loopback.requests.filter(({ status }) => status !== 200)).toEqual([]);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

it('a hidden round that the provider refuses is an error event, and the client can try again', async () => {
  let isRefused = false;
  const script = ({ body }: { readonly body: unknown }) => {
    const text = JSON.stringify(body);
    if (isRefused && text.includes('"look it up"')) return { failure: 'server' as const };
    const read = { name: 'read', arguments: { path: `f-${text.length}` } };
    if (!isRefused && text.includes(`"name":"${recallName}"`) && !text.includes('"look it up"')) {
      isRefused = true;
      return { text: 'Looking.', toolCalls: [{ name: recallName, arguments: { query: 'look it up' } }] };
    }
    return { text: 'On.', toolCalls: [read] };
  };
  await using at = await start({ recall: true, loopback: { script } });
  const agent = new FakeAgent({ dialect: 'anthropic', url: at.url });
  agent.say('Read all files.');
  for (let turn = 0; turn < 20 && !isRefused; turn += 1) {
    const { text } = await readAll(await agent.send());
    if (isRefused) {
      expect(text).toContain('event: error');
      expect(text).not.toContain(recallName);
      break;
    }
    agent.answer(await agent.turn(), fileOf);
  }
  expect(isRefused).toBe(true);
  expect((await agent.turn()).parts.length).toBeGreaterThan(0);
});
