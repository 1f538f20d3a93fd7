import { describe, expect, it } from 'vitest';
import { dialects } from '../../message/index.ts';
import { remoteBackend } from '../../summarize/model/remote.ts';
import { createModel } from '../clients/create.ts';
import { ask, names } from '../clients/fixtures/connect.ts';
import { bufferSlack, misbehaviors, serveMisbehavior, smallLimits } from '../clients/fixtures/hostile-server.ts';
import { serve } from '../clients/fixtures/raw-server.ts';
import { listModels } from '../clients/list.ts';
import { boundedFetch } from './bounded-fetch.ts';

describe.each(dialects)('a call in the dialect %s ends with a typed failure', (dialect) => {
  it.each(misbehaviors)('after $name', async ({ answer, limits, expected }) => {
    await using server = await serveMisbehavior({ answer });
    const model = await createModel({
      name: names[dialect],
      env: {},
      baseUrl: server.url,
      apiKey: 'a-key-that-must-stay',
      limits: { ...smallLimits, ...limits },
      retry: false,
    });
    const { end } = await ask(model);
    expect(end).toMatchObject({ reason: 'failed', failure: expected });
    expect(server.seen.elsewhere).toBe(0);
    expect(server.seen.sentBytes).toBeLessThan(bufferSlack);
  });
});

describe('the endpoint for summaries ends with a failure', () => {
  it.each(misbehaviors)('after $name', async ({ answer, limits }) => {
    await using server = await serveMisbehavior({ answer });
    const voice = remoteBackend({ url: `${server.url}/sum`, limits: { ...smallLimits, ...limits } });
    const reply = await voice.ask({ system: 's', prompt: 'p', signal: new AbortController().signal } as never);
    expect(reply.reason).toBe('failed');
    expect(server.seen.elsewhere).toBe(0);
    expect(server.seen.sentBytes).toBeLessThan(bufferSlack);
  });
});

describe('asking a server on this machine for its models ends', () => {
  it.each(misbehaviors)('after $name', async ({ answer, limits }) => {
    await using server = await serveMisbehavior({ answer });
    const env = { LONGHAUL_LOCAL_URL: server.url };
    const listed = await listModels({ env, probe: true, limits: { ...smallLimits, ...limits } });
    expect(listed.find(({ provider }) => provider === 'local')?.models).toEqual([]);
    expect(server.seen.elsewhere).toBe(0);
    expect(server.seen.sentBytes).toBeLessThan(bufferSlack);
  });
});

describe('bounded fetch', () => {
  it('follows a redirect within the origin, with method and body', async () => {
    const seen: string[] = [];
    await using server = await serve((request, response) => {
      if (request.url === '/old') return void response.writeHead(308, { location: '/new' }).end();
      request.on('data', (piece: Buffer) => seen.push(`${request.method} ${request.url} ${piece}`));
      request.on('end', () => response.end('moved'));
    });
    const send = boundedFetch({ fetch, limits: smallLimits });
    const response = await send(`${server.url}/old`, { method: 'POST', body: 'hi' });
    expect(await response.text()).toBe('moved');
    expect(seen).toEqual(['POST /new hi']);
  });

  it('ends where the given fetch ignores its signal', async () => {
    const never = () => new Promise<never>(() => undefined);
    const send = boundedFetch({ fetch: never, limits: { ...smallLimits, headMs: 20 } });
    await expect(send('http://127.0.0.1/')).rejects.toMatchObject({ code: 'timeout' });
  });

  it('cuts an error body at its limit and keeps its beginning', async () => {
    const send = boundedFetch({
      fetch: async () => new Response('x'.repeat(100), { status: 500 }),
      limits: { ...smallLimits, errorBytes: 10 },
    });
    expect(await (await send('http://127.0.0.1/')).text()).toBe('x'.repeat(10));
  });

  it('passes on the abort of its caller', async () => {
    const aborted = AbortSignal.abort(new DOMException('enough', 'AbortError'));
    const send = boundedFetch({ fetch, limits: smallLimits });
    await expect(send('http://127.0.0.1:1/', { signal: aborted })).rejects.toMatchObject({ name: 'AbortError' });
  });
});
