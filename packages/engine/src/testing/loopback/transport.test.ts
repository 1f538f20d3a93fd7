import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Clients, collect, connect, errorOf } from './fixtures/clients.ts';

const text = 'ä€😀 – 日本';
const messages = [{ role: 'user' as const, content: 'hi' }];
const ask = { model: 'm', max_tokens: 8, messages };

/** The streamed text of each SDK. */
const streams: Record<string, (at: Clients) => Promise<string>> = {
  anthropic: async ({ anthropic }) => {
    const { content } = await anthropic.messages.stream(ask).finalMessage();
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  },
  chat: async ({ openai }) => {
    const chunks = await collect(await openai.chat.completions.create({ model: 'm', messages, stream: true }));
    return chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
  },
  responses: async ({ openai }) => {
    const { output_text } = await openai.responses.stream({ model: 'm', input: 'hi' }).finalResponse();
    return output_text;
  },
  gemini: async ({ gemini }) => {
    const chunks = await collect(await gemini.models.generateContentStream({ model: 'm', contents: 'hi' }));
    return chunks.map((chunk) => chunk.text ?? '').join('');
  },
};
const names = Object.keys(streams);
const stream = ({ name, at }: { name: string; at: Clients }) => streams[name]?.(at) ?? Promise.reject(new Error(name));

describe('slow bytes', () => {
  it.each(names)('reach the %s SDK completely, wherever characters are split', async (name) => {
    // Each chunk size shifts the splits by one byte, so that together they cover every offset.
    const sizes = [1, 2, 3, 4, 5, 7, 11];
    await using at = await connect({ script: sizes.map((chunkBytes) => ({ text, transport: { chunkBytes } })) });
    for (const size of sizes) expect([size, await stream({ name, at })]).toEqual([size, text]);
  });

  it('arrive in the requested chunks and delays', async () => {
    await using at = await connect({ script: [{ text, transport: { chunkBytes: 50, delayMs: 1 } }] });
    expect(await stream({ name: 'chat', at })).toBe(text);
    await expect(at.loopback.requests[0]?.done).resolves.toBe('sent');
  });
});

describe('a broken connection', () => {
  it.each(names)('in a stream is an error of the %s SDK', async (name) => {
    await using at = await connect({ script: [{ text, transport: { cutAfterBytes: 300 } }] });
    await expect(stream({ name, at })).rejects.toThrow();
    const [exchange] = at.loopback.requests;
    await expect(exchange?.done).resolves.toBe('cut');
    expect(exchange?.bytesSent).toBe(300);
  });

  it('in a non-streaming response too', async () => {
    await using at = await connect({ script: [{ text, transport: { cutAfterBytes: 20 } }] });
    const error = await errorOf(at.anthropic.messages.create(ask));
    expect(error).toBeInstanceOf(Error);
  });

  it('right after the headers still shows the status', async () => {
    await using at = await connect({ script: [{ text, transport: { cutAfterBytes: 0 } }] });
    const body = JSON.stringify(ask);
    const headers = { 'anthropic-version': '2023-06-01' };
    const answer = await fetch(`${at.loopback.url}/v1/messages`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });

  it('does not happen with a limit that the response does not reach', async () => {
    await using at = await connect({ script: [{ text, transport: { cutAfterBytes: 1_000_000 } }] });
    expect(await stream({ name: 'anthropic', at })).toBe(text);
  });
});

describe('a client that disconnects', () => {
  it('is noticed during a stream, and the server stops', async () => {
    await using at = await connect({ script: [{ text: text.repeat(50), transport: { chunkBytes: 64, delayMs: 2 } }] });
    const events = await at.anthropic.messages.create({ ...ask, stream: true });
    for await (const event of events) if (event.type === 'content_block_delta') break;
    const [exchange] = at.loopback.requests;
    await expect(exchange?.done).resolves.toBe('aborted');
    const sent = exchange?.bytesSent;
    await sleep(20);
    expect(exchange?.bytesSent).toBe(sent);
  });

  it('is noticed while the script is running', async () => {
    const asked = Promise.withResolvers<void>();
    await using at = await connect({
      script: async ({ signal }) => {
        asked.resolve();
        await once(signal, 'abort');
        return { text };
      },
    });
    const controller = new AbortController();
    const answer = errorOf(at.openai.chat.completions.create({ model: 'm', messages }, { signal: controller.signal }));
    await asked.promise;
    controller.abort();
    await answer;
    await expect(at.loopback.requests[0]?.done).resolves.toBe('aborted');
    expect(at.loopback.requests[0]?.bytesSent).toBe(0);
  });
});
