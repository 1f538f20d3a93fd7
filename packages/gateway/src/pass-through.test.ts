import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMemoryStore } from 'longhaul/session';
import { expect, it, onTestFinished } from 'vitest';
import { FakeAgent } from './fixtures/agent.ts';
import { start, work } from './fixtures/start.ts';
import { createGateway } from './gateway.ts';

/** A gateway in front of a server that answers as it is given. */
async function before(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = createMemoryStore();
  const gateway = await createGateway({ upstreams: { openai: url, cloud: url }, env: {}, store });
  onTestFinished(async () => {
    await gateway.close();
    server.closeAllConnections();
    server.close();
  });
  return { gateway, url, store };
}

const post = (url: string, body: string) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, redirect: 'manual' });

it('a redirect is refused: it would receive the key', async () => {
  const paths: string[] = [];
  const { gateway } = await before((request, response) => {
    paths.push(request.url ?? '');
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  const answer = await post(`${gateway.url}/v1/chat/completions`, '{"model":"m","messages":[]}');
  expect(answer.status).toBe(502);
  expect(await answer.text()).toContain('redirect');
  expect(paths).toEqual(['/v1/chat/completions']);
});

it.each([
  ['Azure', '/openai/deployments/mine/chat/completions?api-version=2026-01-01'],
  ['Bedrock', '/model/anthropic.claude-sonnet-4-5/invoke-with-response-stream'],
  ['Vertex', '/v1/projects/p/locations/l/publishers/anthropic/models/claude:streamRawPredict'],
])('the shape of %s is passed through untouched, and begins no session', async (_name, path) => {
  const received: string[] = [];
  const { gateway, store } = await before(async (request, response) => {
    let text = `${request.url} `;
    for await (const chunk of request) text += chunk;
    received.push(text);
    response.writeHead(200, { 'content-type': 'application/json', 'x-amzn-any': 'kept' }).end('{"ok" : true}');
  });
  const body = '{ "anthropic_version":"v", "messages":[{"role":"user","content":"hi"}] }';
  const answer = await post(`${gateway.url}/cloud${path}`, body);
  expect(await answer.text()).toBe('{"ok" : true}');
  expect(answer.headers.get('x-amzn-any')).toBe('kept');
  expect(received).toEqual([`${path} ${body}`]);
  expect(await store.list()).toEqual([]);
});

it('a stream ends whole when the gateway is stopped', async () => {
  const { gateway } = await before(async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const part of ['one', 'two', 'three']) {
      response.write(`data: {"choices":[{"index":0,"delta":{"content":"${part}"}}]}\n\n`);
      await sleep(30);
    }
    response.end('data: [DONE]\n\n');
  });
  const body = '{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}';
  const answer = await post(`${gateway.url}/v1/chat/completions`, body);
  const [text] = await Promise.all([answer.text(), gateway.close()]);
  expect(text).toMatch(/one.*two.*three.*\[DONE\]/s);
});

it('what asks about a compacted conversation, or has it compacted by the provider, is about what is sent', async () => {
  await using at = await start();
  const agent = new FakeAgent({ dialect: 'openai-responses', url: at.url, stream: false });
  agent.say('Read all files.');
  await work({ agent, turns: 13 });
  const { model, input, instructions, tools } = agent.body();
  const whole = JSON.stringify(agent.body()).length;
  const triggered = [...(input as []), { type: 'compaction_trigger' }];
  for (const [path, body] of [
    ['/v1/responses/input_tokens', { model, input, instructions, tools }],
    ['/v1/responses/compact', { model, input, instructions }],
    ['/v1/responses', { ...agent.body(), input: triggered }],
  ] as const) {
    const answer = await post(at.url() + path, JSON.stringify(body));
    expect([answer.status, await answer.json()]).toMatchObject([200, { object: expect.any(String) }]);
    const last = at.loopback.requests.at(-1);
    expect([last?.path, last?.verdict]).toEqual([path, { legal: true }]);
    expect(last?.text.length).toBeLessThan(whole / 2);
    expect(last?.text.includes('{"type":"compaction_trigger"}]')).toBe(path === '/v1/responses');
  }
});
