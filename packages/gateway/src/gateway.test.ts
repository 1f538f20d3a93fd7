import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { startLoopback } from 'longhaul/testing';
import { expect, it } from 'vitest';
import { createGateway } from './gateway.ts';

async function start(options: Parameters<typeof createGateway>[0] = {}) {
  const loopback = await startLoopback({ script: () => ({ text: 'Hello, ä and 😀.' }) });
  const { url } = loopback;
  const gateway = await createGateway({ upstreams: { anthropic: url, openai: url, gemini: url }, env: {}, ...options });
  const close = async () => {
    await gateway.close();
    await loopback.close();
  };
  return { loopback, gateway, [Symbol.asyncDispose]: close };
}

const ask = {
  '/v1/messages?beta=true': '{ "model":"m",  "max_tokens": 8, "messages":[{"role":"user","content":"\\u0068i"}] }',
  '/v1/chat/completions': '{"model":"m","messages":[ {"role":"user","content":"hi"} ]}',
  '/v1/responses': '{"model":"m", "input":"hi"}',
  '/v1beta/models/m:generateContent': '{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}',
};

it.each(Object.entries(ask))('forwards %s byte for byte, and its answer', async (path, body) => {
  await using at = await start();
  const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', 'x-any': 'a, b' };
  const answer = await fetch(at.gateway.url + path, { method: 'POST', headers, body });
  const direct = await fetch(at.loopback.url + path, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe(direct.headers.get('content-type'));
  const members = async (response: Response) => Object.keys((await response.json()) as object);
  expect(await members(answer)).toEqual(await members(direct));
  const [through, straight] = at.loopback.requests;
  expect(through).toMatchObject({ text: body, path: straight?.path, method: 'POST' });
  expect(through?.headers['x-any']).toBe('a, b');
  expect(through?.headers.host).toBe(straight?.headers.host);
});

it('forwards a compressed body as it is', async () => {
  await using at = await start();
  const body = gzipSync(ask['/v1/chat/completions']);
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const answer = await fetch(`${at.gateway.url}/v1/chat/completions`, { method: 'POST', headers, body });
  await answer.text();
  expect(at.loopback.requests[0]?.headers).toMatchObject({
    'content-encoding': 'gzip',
    'content-length': String(body.length),
  });
});

it('reaches an upstream by its name', async () => {
  const { loopback } = await start();
  await using at = await start({ upstreams: { other: `${loopback.url}/v1` } });
  await (await fetch(`${at.gateway.url}/other/v1/models`)).text();
  await (await fetch(`${at.gateway.url}/other/models`)).text();
  expect(loopback.requests.map(({ path }) => path)).toEqual(['/v1/models', '/v1/models']);
  await loopback.close();
});

it('refuses a websocket with 426', async () => {
  await using at = await start();
  const status = await new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    const request = httpRequest(`${at.gateway.url}/v1/responses`, { headers }, ({ statusCode }) => resolve(statusCode));
    request.on('error', reject).end();
  });
  expect(status).toBe(426);
});

it('writes its own errors in the dialect of the route', async () => {
  await using at = await start({ upstreams: { anthropic: 'http://127.0.0.1:1', gemini: 'http://127.0.0.1:1' } });
  const post = async (path: string) => (await fetch(at.gateway.url + path, { method: 'POST', body: '{}' })).json();
  expect(await post('/v1/messages')).toMatchObject({ type: 'error', error: { type: 'api_error' } });
  expect(await post('/v1beta/models/m:generateContent')).toMatchObject({ error: { code: 502, status: 'INTERNAL' } });
});

it.each([
  ['a foreign Host', { host: 'evil.example' }, 403],
  ['a foreign Origin', { origin: 'https://evil.example' }, 403],
  ['the origin null', { origin: 'null' }, 403],
  ['a page on this machine', { origin: 'http://localhost:3000' }, 200],
] as const)('checks %s', async (_name, headers, expected) => {
  await using at = await start();
  const status = await new Promise((resolve, reject) => {
    const request = httpRequest(`${at.gateway.url}/longhaul/health`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject).end();
  });
  expect(status).toBe(expected);
});

it.each([
  ['is no open proxy', 'GET http://example.org/ HTTP/1.1\r\nHost: 127.0.0.1'],
  ['refuses a second Host header', 'GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nHOST: evil.example'],
  ['refuses a request without a Host header', 'GET /v1/models HTTP/1.1\r\nAccept: */*'],
])('%s', async (_name, head) => {
  await using at = await start();
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(at.gateway.port, '127.0.0.1', () => socket.write(`${head}\r\nConnection: close\r\n\r\n`));
    let text = '';
    socket.on('data', (data) => {
      text += String(data);
    });
    socket.on('close', () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1.1 400/);
  expect(at.loopback.requests).toHaveLength(0);
});

it('needs a token to listen on other addresses, and then asks for it', async () => {
  await expect(createGateway({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'token-missing' });
  await using at = await start({ host: '0.0.0.0', token: 'sesame' });
  const url = `http://127.0.0.1:${at.gateway.port}`;
  expect((await fetch(`${url}/v1/models`)).status).toBe(401);
  expect((await fetch(`${url}/longhaul/health`)).status).toBe(401);
  const answers = [
    await fetch(`${url}/v1/models`, { headers: { 'x-longhaul-token': 'sesame' } }),
    await fetch(`${url}/t/sesame/v1/models`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(JSON.stringify(at.loopback.requests)).not.toContain('sesame');
});

it('refuses bodies above the limit and upstreams with credentials', async () => {
  await using at = await start({ limits: { bodyBytes: 100 } });
  const answer = await fetch(`${at.gateway.url}/v1/messages`, { method: 'POST', body: 'x'.repeat(200) });
  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ error: { type: 'request_too_large' } });
  await expect(createGateway({ upstreams: { openai: 'http://me:secret@localhost' } })).rejects.toMatchObject({
    code: 'bad-upstream',
    message: expect.not.stringContaining('secret'),
  });
});
