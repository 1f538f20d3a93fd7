import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { connect } from './fixtures/clients.ts';

const messages = [{ role: 'user', content: 'hi' }];
const bodies = {
  '/v1/messages': { model: 'm', max_tokens: 8, messages },
  '/v1/chat/completions': { model: 'm', messages },
  '/v1/responses': { model: 'm', input: 'hi' },
  '/v1beta/models/m:generateContent': { contents: [{ parts: [{ text: 'hi' }] }] },
};
const paths = Object.keys(bodies) as (keyof typeof bodies)[];

/** One request by hand: status and parsed answer. */
async function ask({
  url,
  method = 'POST',
  body,
  headers = {},
}: {
  url: string;
  method?: string;
  body?: string;
  headers?: Record<string, string>;
}) {
  const version: Record<string, string> = url.includes('/v1/messages') ? { 'anthropic-version': '2023-06-01' } : {};
  const answer = await fetch(url, {
    method,
    headers: { ...version, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.status, json: (await answer.json()) as unknown, headers: answer.headers };
}

/** The shape of an error, by path. */
const shapes = {
  '/v1/messages': { type: 'error', error: { type: expect.any(String), message: expect.any(String) } },
  '/v1/chat/completions': { error: { type: 'invalid_request_error', message: expect.any(String) } },
  '/v1/responses': { error: { type: 'invalid_request_error', message: expect.any(String) } },
  '/v1beta/models/m:generateContent': { error: { code: expect.any(Number), status: expect.any(String) } },
};

describe.each(paths)('%s', (path) => {
  const body = JSON.stringify(bodies[path]);

  it('serves a valid request', async () => {
    await using at = await connect();
    expect((await ask({ url: at.loopback.url + path, body })).status).toBe(200);
  });

  it('rejects invalid JSON, and JSON that is not an object', async () => {
    await using at = await connect();
    for (const broken of ['{', '', '[]', 'null', '"x"'])
      expect(await ask({ url: at.loopback.url + path, body: broken })).toMatchObject({
        status: 400,
        json: shapes[path],
      });
  });

  it('rejects a body over the limit', async () => {
    await using at = await connect({ bodyLimit: body.length });
    expect((await ask({ url: at.loopback.url + path, body })).status).toBe(200);
    const large = await ask({ url: at.loopback.url + path, body: `${body} ` });
    expect(large).toMatchObject({ status: 413, json: shapes[path] });
  });

  it('rejects other methods', async () => {
    await using at = await connect();
    const refused = await ask({ url: at.loopback.url + path, method: 'PUT', body });
    expect(refused).toMatchObject({ status: 405, json: shapes[path] });
  });
});

describe('keys', () => {
  const good: [keyof typeof bodies, Record<string, string>, string][] = [
    ['/v1/messages', { 'x-api-key': 'sesame' }, ''],
    ['/v1/messages', { authorization: 'Bearer sesame' }, ''],
    ['/v1/chat/completions', { authorization: 'Bearer sesame' }, ''],
    ['/v1/responses', { authorization: 'Bearer sesame' }, ''],
    ['/v1beta/models/m:generateContent', { 'x-goog-api-key': 'sesame' }, ''],
    ['/v1beta/models/m:generateContent', {}, '?key=sesame'],
  ];

  it.each(good)('%s takes %o%s', async (path, headers, query) => {
    await using at = await connect({ apiKey: 'sesame' });
    const body = JSON.stringify(bodies[path]);
    expect((await ask({ url: at.loopback.url + path + query, body, headers })).status).toBe(200);
  });

  it.each([
    ['/v1/messages', { 'x-api-key': 'x' }, 401, 'authentication_error'],
    ['/v1/messages', {}, 401, 'x-api-key header is required'],
    ['/v1/chat/completions', { authorization: 'Bearer x' }, 401, 'invalid_api_key'],
    ['/v1/responses', {}, 401, "You didn't provide an API key."],
    ['/v1beta/models/m:generateContent', { 'x-goog-api-key': 'x' }, 400, 'API_KEY_INVALID'],
    ['/v1beta/models/m:generateContent', {}, 403, 'PERMISSION_DENIED'],
  ] as const)('%s with %o is answered %d', async (path, headers, status, text) => {
    await using at = await connect({ apiKey: 'sesame' });
    const refused = await ask({ url: at.loopback.url + path, body: JSON.stringify(bodies[path]), headers });
    expect(refused.status).toBe(status);
    expect(JSON.stringify(refused.json)).toContain(text);
  });

  it('are not recorded', async () => {
    await using at = await connect({ apiKey: 'sesame' });
    for (const [path, headers, query] of good)
      await ask({ url: at.loopback.url + path + query, body: JSON.stringify(bodies[path]), headers });
    expect(at.loopback.requests).toHaveLength(good.length);
    expect(JSON.stringify(at.loopback.requests)).not.toContain('sesame');
  });
});

describe('paths', () => {
  it('that are unknown are not found, in the most likely dialect', async () => {
    await using at = await connect();
    const { url } = at.loopback;
    const anthropic = { 'anthropic-version': '2023-06-01' };
    expect(await ask({ url: `${url}/v1/nothing`, body: '{}' })).toMatchObject({
      status: 404,
      json: { error: { message: 'Invalid URL (POST /v1/nothing)' } },
    });
    expect(await ask({ url: `${url}/v1/nothing`, body: '{}', headers: anthropic })).toMatchObject({
      status: 404,
      json: { type: 'error', error: { type: 'not_found_error' } },
    });
    expect(await ask({ url: `${url}/v1beta/models/m:sing`, body: '{}' })).toMatchObject({
      status: 404,
      json: { error: { status: 'NOT_FOUND' } },
    });
  });

  it('that upgrade to a websocket get the hint to use HTTP', async () => {
    await using at = await connect();
    const status = await new Promise((resolve, reject) => {
      const headers = { connection: 'Upgrade', upgrade: 'websocket' };
      httpRequest(`${at.loopback.url}/v1/responses`, { headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(426);
  });
});

describe('a recording', () => {
  it('has the raw text, the parsed body, the result of the judge and the status', async () => {
    await using at = await connect();
    const body = '{ "model":"m",  "messages": [] }';
    await ask({ url: `${at.loopback.url}/v1/chat/completions`, body });
    expect(at.loopback.requests).toMatchObject([
      {
        method: 'POST',
        path: '/v1/chat/completions',
        dialect: 'openai-chat',
        text: body,
        status: 400,
        body: { model: 'm', messages: [] },
        verdict: { legal: false, path: 'messages' },
      },
    ]);
  });
});

describe('a script', () => {
  it('that is a list is used in order, by valid requests only, and then ends', async () => {
    await using at = await connect({ script: [{ text: 'one' }, { text: 'two' }] });
    const url = `${at.loopback.url}/v1/chat/completions`;
    const said: unknown[] = [];
    for (const list of [messages, [], messages, messages]) {
      const { json } = await ask({ url, body: JSON.stringify({ model: 'm', messages: list }) });
      said.push((json as { choices?: { message: { content: string } }[] }).choices?.[0]?.message.content);
    }
    expect(said).toEqual(['one', undefined, 'two', 'The script has no further answer.']);
  });

  it('that is a function sees the request', async () => {
    await using at = await connect({
      count: (text) => text.length,
      script: ({ dialect, model, index, inputTokens, stream }) => ({
        text: [dialect, model, index, inputTokens, stream].join(' '),
      }),
    });
    const { json } = await ask({
      url: `${at.loopback.url}/v1beta/models/gemini-3:generateContent`,
      body: JSON.stringify(bodies['/v1beta/models/m:generateContent']),
    });
    expect(json).toMatchObject({ candidates: [{ content: { parts: [{ text: 'gemini gemini-3 0 2 false' }] } }] });
  });

  it.each(paths)('that throws is answered with 500 and its message: %s', async (path) => {
    await using at = await connect({
      script: () => {
        throw new Error('a slip');
      },
    });
    const answer = await ask({ url: at.loopback.url + path, body: JSON.stringify(bodies[path]) });
    expect(answer).toMatchObject({ status: 500, json: { error: { message: 'a slip' } } });
    await expect(at.loopback.requests[0]?.done).resolves.toBe('sent');
  });
});

describe('the version of the Anthropic API', () => {
  const body = JSON.stringify(bodies['/v1/messages']);

  it.each(['/v1/messages', '/v1/messages/count_tokens'])('is required at %s', async (path) => {
    await using at = await connect();
    expect((await ask({ url: at.loopback.url + path, body })).status).toBe(200);
    const refused = await fetch(at.loopback.url + path, { method: 'POST', body });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'anthropic-version: header is required' },
    });
  });
});
