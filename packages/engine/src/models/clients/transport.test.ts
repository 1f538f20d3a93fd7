import { describe, expect, it } from 'vitest';
import { check, dialects, type Message } from '../../message/index.ts';
import { createModel } from './create.ts';
import { ask, connect, names, result, say, textOf } from './fixtures/connect.ts';
import { serve } from './fixtures/raw-server.ts';

const speech = 'Grüße — 漢字, 👩‍🚀.';
const thinking = { effort: 'high' } as const;
const spoken = {
  thinking: 'Überlegen 🤔 first.',
  text: speech,
  toolCalls: [{ name: 'read', arguments: { path: 'ß/漢.ts' } }],
};

describe.each(dialects)('the way from %s', (dialect) => {
  it.each([1, 2, 3, 5, 7, 64])('may be cut into pieces of %d bytes', async (chunkBytes) => {
    const script = [{ ...spoken, transport: { chunkBytes } }];
    await using at = await connect({ dialect, loopback: { script } });
    const { events, end } = await ask(at.model, { options: { thinking } });
    expect(textOf(events, 'text')).toBe(speech);
    expect(textOf(events, 'thinking')).toBe(spoken.thinking);
    const call = end.message.parts.find((part) => part.type === 'tool_call');
    expect(JSON.parse(call?.arguments ?? '')).toEqual(spoken.toolCalls[0]?.arguments);
  });

  it('may be slow', async () => {
    const script = [{ ...spoken, transport: { chunkBytes: 100, delayMs: 2 } }];
    await using at = await connect({ dialect, loopback: { script } });
    expect((await ask(at.model, { options: { thinking } })).end.reason).toBe('tool_calls');
  });

  it('may break at any place: what came is kept, and is fit to be sent again', async () => {
    const loopback = { secret: 'same' };
    await using whole = await connect({ dialect, loopback: { ...loopback, script: [spoken] } });
    const { end } = await ask(whole.model, { options: { thinking } });
    const size = whole.loopback.requests[0]?.bytesSent ?? 0;
    expect(size).toBeGreaterThan(500);
    const places = Array.from({ length: 48 }, (_, at) => Math.max(1, Math.floor(((at + 1) * size) / 50)));
    const script = places.map((cutAfterBytes) => ({ ...spoken, transport: { cutAfterBytes } }));
    await using at = await connect({ dialect, loopback: { ...loopback, script } });
    let failures = 0;
    for (const _ of places) {
      const { events, end: cut } = await ask(at.model, { options: { thinking } });
      expect(speech.startsWith(textOf(events, 'text'))).toBe(true);
      // A line that breaks after the provider said how it ended has broken nothing.
      if (cut.reason !== 'tool_calls')
        expect(cut).toMatchObject({ reason: 'failed', failure: { kind: 'network', retryable: true } });
      else expect(cut.message.parts).toHaveLength(end.message.parts.length);
      failures += cut.reason === 'failed' ? 1 : 0;
      const calls = cut.message.parts.filter((part) => part.type === 'tool_call');
      for (const call of calls) expect(JSON.parse(call.arguments)).toEqual(spoken.toolCalls[0]?.arguments);
      const items: Message[] = [say('Hi'), cut.message, ...calls.map(({ id }) => result(id, 'x')), say('Go on.')];
      const sendable = items.filter(({ parts }) => parts.length > 0);
      expect(check(sendable, dialect)).toEqual([]);
    }
    expect(failures).toBeGreaterThan(30);
    expect(at.loopback.requests).toHaveLength(places.length);
  });
});

describe.each(dialects)('an abort of %s', (dialect) => {
  it('before the call sends nothing', async () => {
    await using at = await connect({ dialect });
    const { events, end } = await ask(at.model, { signal: AbortSignal.abort() });
    expect(end).toEqual({ type: 'end', reason: 'aborted', message: { role: 'assistant', parts: [] } });
    expect(events).toHaveLength(1);
    expect(at.loopback.requests).toHaveLength(0);
  });

  it('while the provider is silent is no failure', async () => {
    const asked = Promise.withResolvers<void>();
    const script = ({ signal }: { readonly signal: AbortSignal }) =>
      new Promise<{ text: string }>((resolve) => {
        asked.resolve();
        signal.addEventListener('abort', () => resolve({ text: 'too late' }));
      });
    await using at = await connect({ dialect, loopback: { script } });
    const controller = new AbortController();
    const answer = ask(at.model, { signal: controller.signal });
    await asked.promise;
    controller.abort();
    expect((await answer).end).toMatchObject({ reason: 'aborted', message: { parts: [] } });
  });

  it('in the middle keeps what came and lets go of the connection', async () => {
    const text = 'word '.repeat(2000);
    await using at = await connect({ dialect, loopback: { script: [{ text, transport: { delayMs: 3 } }] } });
    const controller = new AbortController();
    let heard = '';
    let end: unknown;
    for await (const event of at.model.stream({
      head: [],
      items: [say('Hi')],
      tools: [],
      options: {},
      signal: controller.signal,
    })) {
      if (event.type === 'text') heard += event.delta;
      if (heard.length > 40) controller.abort();
      if (event.type === 'end') end = event;
    }
    expect(end).toMatchObject({ reason: 'aborted', message: { parts: [{ type: 'text', text: heard }] } });
    expect(await at.loopback.requests[0]?.done).toBe('aborted');
  });

  it('by a reader who walks away lets go of the connection, too', async () => {
    const text = 'word '.repeat(2000);
    await using at = await connect({ dialect, loopback: { script: [{ text, transport: { delayMs: 3 } }] } });
    for await (const event of at.model.stream({ head: [], items: [say('Hi')], tools: [], options: {} }))
      if (event.type === 'text') break;
    expect(await at.loopback.requests[0]?.done).toBe('aborted');
  });
});

describe.each(dialects)('what is no stream, from %s', (dialect) => {
  const page = '<!doctype html><html><head><title>Sign in</title></head><body>Sign in</body></html>';

  async function answerTo({ status, body, type }: { status: number; body: string; type: string }) {
    await using server = await serve((_, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    const model = await createModel({ name: names[dialect], env: {}, baseUrl: server.url, apiKey: 'k', retry: false });
    return (await ask(model)).end;
  }

  it('a page with status 200 is a wrong place, not a passing failure', async () => {
    expect(await answerTo({ status: 200, body: page, type: 'text/html' })).toMatchObject({
      reason: 'failed',
      failure: { kind: 'invalid', retryable: false },
    });
  });

  it('a page with status 502 is a broken way', async () => {
    const body = '<html><head><title>502 Bad Gateway</title></head></html>';
    const end = await answerTo({ status: 502, body, type: 'text/html' });
    expect(end).toMatchObject({ reason: 'failed', failure: { kind: 'network', status: 502 } });
    expect(end.failure?.message).not.toContain('<html>');
  });

  it('an error with status 200 is that error', async () => {
    const body = JSON.stringify({ error: { message: 'Rate limit reached. Please try again in 3s.' } });
    expect(await answerTo({ status: 200, body, type: 'application/json' })).toMatchObject({
      reason: 'failed',
      failure: { kind: 'rate', delayMs: 3000 },
    });
  });

  it('nothing at all is a stream that broke', async () => {
    expect(await answerTo({ status: 200, body: '', type: 'text/event-stream' })).toMatchObject({
      reason: 'failed',
      failure: { kind: 'network', retryable: true },
    });
  });

  it('an event that is no JSON is a stream that broke', async () => {
    expect(await answerTo({ status: 200, body: 'data: {"type"\n\n', type: 'text/event-stream' })).toMatchObject({
      reason: 'failed',
      failure: { kind: 'network', retryable: true },
    });
  });
});
