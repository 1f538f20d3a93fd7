import { Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { TextBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it, vi } from 'vitest';
import { PrefixCache } from './cache.ts';
import { connect } from './fixtures/clients.ts';
import type { CacheUnit } from './units.ts';

const count = (text: string) => text.length;
const mark = { cache_control: { type: 'ephemeral' as const } };

describe('the socket', () => {
  it('is bound to 127.0.0.1 and to nothing else', async () => {
    const listen = vi.spyOn(Server.prototype, 'listen');
    await using at = await connect();
    const server = listen.mock.contexts[0] as Server | undefined;
    listen.mockRestore();
    expect(server?.address()).toMatchObject({ address: '127.0.0.1', port: at.loopback.port });
    const others = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    for (const { address } of others.filter(({ family, internal }) => family === 'IPv4' && !internal))
      await expect(fetch(`http://${address}:${at.loopback.port}/v1/models`)).rejects.toThrow();
  });
});

describe('the window', () => {
  it.each([
    [10, 200],
    [11, 400],
  ])('of ten tokens answers %d with %d', async (length, status) => {
    await using at = await connect({ count, window: 10 });
    const messages = [{ role: 'user', content: 'x'.repeat(length) }];
    const body = JSON.stringify({ model: 'm', messages });
    const answer = await fetch(`${at.loopback.url}/v1/chat/completions`, { method: 'POST', body });
    expect(answer.status).toBe(status);
  });
});

describe('an image', () => {
  const data = 'iVBORw0KGgo=';
  const url = `data:image/png;base64,${data}`;

  it('counts as 1200 tokens in every dialect', async () => {
    await using at = await connect({ count });
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data };
    const { input_tokens } = await at.anthropic.messages.countTokens({
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'four' },
            { type: 'image', source },
          ],
        },
      ],
    });
    const chat = await at.openai.chat.completions.create({
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'four' },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
    });
    const image = { type: 'input_image' as const, image_url: url, detail: 'auto' as const };
    const responses = await at.openai.responses.create({
      model: 'm',
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'four' }, image] }],
    });
    const { totalTokens } = await at.gemini.models.countTokens({
      model: 'm',
      contents: [{ role: 'user', parts: [{ text: 'four' }, { inlineData: { mimeType: 'image/png', data } }] }],
    });
    const counts = [input_tokens, chat.usage?.prompt_tokens, responses.usage?.input_tokens, totalTokens];
    expect(counts).toEqual([1204, 1204, 1204, 1204]);
  });
});

describe('the cache', () => {
  it.each([
    [20, 200],
    [21, 0],
  ])('of Anthropic looks back over 20 blocks: after %d more it reads %d', async (more, read) => {
    await using at = await connect({ count, cacheMinimum: 100 });
    const first: TextBlockParam = { type: 'text', text: 'x'.repeat(200) };
    const rest = Array.from({ length: more }, (): TextBlockParam => ({ type: 'text', text: 'y' }));
    const last = rest.pop() ?? first;
    const ask = { model: 'm', max_tokens: 8 };
    await at.anthropic.messages.create({ ...ask, messages: [{ role: 'user', content: [{ ...first, ...mark }] }] });
    const messages = [{ role: 'user' as const, content: [first, ...rest, { ...last, ...mark }] }];
    const { usage } = await at.anthropic.messages.create({ ...ask, messages });
    expect(usage.cache_read_input_tokens).toBe(read);
  });

  it('extends an entry when it is hit from a later breakpoint, which does not write it again', () => {
    const clock = { now: 0 };
    const cache = new PrefixCache({ now: () => clock.now, minimum: 1 });
    const unit = (key: string, marked: boolean): CacheUnit => ({ key, value: key, ...(marked ? { mark: '5m' } : {}) });
    const use = (...names: string[]) => {
      const units = names.map((name, at) => unit(name, at === names.length - 1));
      const chain = names.map((_, at) => names.slice(0, at + 1).join());
      return cache.use({ dialect: 'anthropic', units, chain, sums: names.map((_, at) => (at + 1) * 10) }).read;
    };
    const minute = 60_000;
    expect(use('a')).toBe(0);
    clock.now = 4 * minute;
    expect(use('a', 'b')).toBe(10);
    clock.now = 8 * minute;
    expect(use('a', 'c')).toBe(10);
    clock.now = 13 * minute;
    expect(use('a', 'd')).toBe(0);
  });
});
