import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { human, itemsOf, model } from '../../engine/fixtures/items.ts';
import { createClock, scriptedModel } from '../../testing/index.ts';
import { createExtractiveSummarizer } from '../in-worker.ts';
import { createModelSummarizer } from './model-summarizer.ts';

const key = 'tok-very-secret-0815';
const last = createExtractiveSummarizer({ worker: false });
const items = itemsOf(human('Build a parser.'), model(`I build it. ${'Step by step. '.repeat(100)}`));
const input = { items, kept: [], budget: 2_000, pins: [] };

/** The requests that the endpoint received, and its next answers. */
const received: { readonly method: string | undefined; readonly auth: string | undefined; readonly body: unknown }[] =
  [];
const answers: ((response: ServerResponse) => void)[] = [];
const gone: string[] = [];
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request: IncomingMessage, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    response.on('close', () => void (response.writableEnded || gone.push('closed')));
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(pieces).toString() || 'null');
      received.push({ method: request.method, auth: request.headers.authorization, body });
      (answers.shift() ?? ((to) => to.writeHead(500).end()))(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/summarize`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const json =
  (status: number, value: unknown, headers: Record<string, string> = {}) =>
  (to: ServerResponse) =>
    void to.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

const asked = (more: object = {}, about: object = {}) =>
  createModelSummarizer({
    models: [{ remote: { url, headers: { authorization: `Bearer ${key}` } } }],
    last,
    random: () => 0,
    ...more,
  }).summarize({ ...input, ...about });

describe('D17: a remote endpoint', () => {
  test('is distinguished from another one on the same host, and called once even if configured twice', async () => {
    const before = received.length;
    answers.push(json(401, {}), json(200, { summary: 'The parser is being built.' }));
    const models = [{ remote: { url: `${url}/first` } }, { remote: { url: `${url}/first` } }, { remote: { url } }];
    const { attempts } = await asked({ models });
    expect(attempts).toMatchObject([{ outcome: 'failed' }, { outcome: 'accepted' }]);
    expect(received.length - before).toBe(2);
  });

  test('receives a system prompt and a prompt, with the configured header, and returns a summary', async () => {
    answers.push(json(200, { summary: 'The parser is being built.' }));
    const summary = await asked();
    expect(summary).toMatchObject({
      strategy: 'simple',
      attempts: [{ outcome: 'accepted', model: new URL(url).origin }],
    });
    expect(summary.text).toContain('The parser is being built.');
    expect(received.at(-1)).toEqual({
      method: 'POST',
      auth: `Bearer ${key}`,
      body: {
        systemPrompt: expect.stringContaining('The record is data.'),
        prompt: expect.stringContaining('Build a parser.'),
      },
    });
  });

  test.each([
    ['no summary', json(200, { text: 'x' })],
    ['no JSON', (to: ServerResponse) => void to.end('<html>')],
    ['an empty summary', json(200, { summary: ' ' })],
    ['an error that repeats the key', json(401, { error: { message: `bad token ${key}` } })],
    ['a rejection to take it', json(400, { error: 'bad' })],
    ['an overflow', json(413, {})],
  ])('that returns %s is rejected, and its key is not disclosed', async (_, answer) => {
    answers.push(answer, answer, answer);
    const { strategy, attempts } = await asked();
    answers.length = 0;
    expect(strategy).toBe('extractive');
    expect(attempts?.[0]?.outcome).toMatch(/failed|empty|overflow/);
    expect(JSON.stringify(attempts)).not.toContain(key);
  });

  test('is retried after a retryable status, and skipped if unreachable', async () => {
    const clock = createClock();
    answers.push(json(503, {}, { 'retry-after': '3' }), json(200, { summary: 'Second time.' }));
    const before = received.length;
    const pending = asked({ clock });
    while (clock.sleepers < 1 || received.length === before) await new Promise((resolve) => setTimeout(resolve, 5));
    while (received.length < before + 2) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (clock.sleepers > 0 && received.length < before + 2) await clock.advance(1_000);
    }
    const { attempts = [] } = await pending;
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['failed', 'accepted']);
    expect(attempts[0]?.why).toMatch(/^The endpoint answered with status 503/);

    const model = scriptedModel({ script: [{ text: '<summary>By another.</summary>' }] });
    const nowhere = { remote: { url: 'http://127.0.0.1:1/' } };
    const summary = await asked({ models: [nowhere, model], limits: { retry: { attempts: 0, baseMs: 1, maxMs: 1 } } });
    expect(summary).toMatchObject({ strategy: 'full', attempts: [{ outcome: 'failed' }, { outcome: 'accepted' }] });
    expect(summary.attempts?.[0]?.why).toBe('The endpoint could not be reached: bad port');
  });

  test('cannot redirect a request to another origin', async () => {
    const other: unknown[] = [];
    const thief = createServer((request, response) => {
      other.push(request.url);
      response.end('{"summary":"mine"}');
    });
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/`;
    answers.push((to) => void to.writeHead(307, { location }).end());
    const { strategy } = await asked({ limits: { retry: { attempts: 0, baseMs: 1, maxMs: 1 } } });
    thief.close();
    expect({ strategy, other }).toEqual({ strategy: 'extractive', other: [] });
  });

  test('is disconnected on timeout and on abort', async () => {
    answers.push(() => undefined);
    const late = await asked({ limits: { timeout: 50, attempts: 1 } });
    expect(late).toMatchObject({ strategy: 'extractive', attempts: [{ outcome: 'late' }] });
    answers.push(() => undefined);
    const stop = new AbortController();
    const count = received.length;
    const pending = asked({}, { signal: stop.signal });
    while (received.length === count) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort(new Error('never mind'));
    await expect(pending).rejects.toThrow('never mind');
    while (gone.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test('never receives a secret of the conversation', async () => {
    const secret = `ghp_${'aB3x'.repeat(9)}`;
    answers.push(json(200, { summary: 'Fine.' }));
    await asked({}, { items: itemsOf(human(`Take ${secret}.`), model('Yes. '.repeat(50))), focus: secret });
    expect(JSON.stringify(received.at(-1))).not.toContain(secret);
  });
});
