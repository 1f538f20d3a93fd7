import type { MessageParam, TextBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it } from 'vitest';
import { connect } from './fixtures/clients.ts';

const minute = 60_000;
const mark = { cache_control: { type: 'ephemeral' as const } };
const hour = { cache_control: { type: 'ephemeral' as const, ttl: '1h' as const } };
const text = (length: number, more = {}): TextBlockParam => ({ type: 'text', text: 'x'.repeat(length), ...more });
const settings = { count: (said: string) => said.length, cacheMinimum: 100 };

/** A server with a test clock, and one Anthropic request to it that reports [new, written, read]. */
async function anthropicAt() {
  const clock = { now: 0 };
  const at = await connect({ ...settings, now: () => clock.now });
  const ask = async ({ system, messages }: { system: TextBlockParam[]; messages: MessageParam[] }) => {
    const { usage } = await at.anthropic.messages.create({ model: 'm', max_tokens: 8, system, messages });
    return [usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens];
  };
  return { clock, ask, at, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

describe('the Anthropic cache', () => {
  it('reads what an earlier request wrote, and writes what is new up to the last breakpoint', async () => {
    await using it_ = await anthropicAt();
    const system = [text(200, mark)];
    const first: MessageParam = { role: 'user', content: [text(30, mark)] };
    expect(await it_.ask({ system, messages: [first] })).toEqual([0, 230, 0]);
    // Next turn: the marker has moved, and the old block has become a plain string.
    const messages: MessageParam[] = [
      { role: 'user', content: 'x'.repeat(30) },
      { role: 'assistant', content: 'y'.repeat(10) },
      { role: 'user', content: [text(5, mark)] },
    ];
    expect(await it_.ask({ system, messages })).toEqual([0, 15, 230]);
    expect(await it_.ask({ system, messages: [...messages, { role: 'user', content: 'z' }] })).toEqual([1, 0, 245]);
  });

  it('grows over a whole conversation, so that only the newest turn is billed in full', async () => {
    await using it_ = await anthropicAt();
    const messages: MessageParam[] = [];
    let size = 200;
    for (let turn = 0; turn < 8; turn++) {
      const history = [...messages];
      history.push({ role: 'user', content: [text(20, mark)] });
      const expected = turn === 0 ? [0, 220, 0] : [0, 27, size];
      expect(await it_.ask({ system: [text(200, mark)], messages: history })).toEqual(expected);
      size += turn === 0 ? 20 : 27;
      messages.push({ role: 'user', content: 'x'.repeat(20) }, { role: 'assistant', content: 'y'.repeat(7) });
    }
  });

  it('misses after a change before the breakpoint', async () => {
    await using it_ = await anthropicAt();
    const messages: MessageParam[] = [{ role: 'user', content: [text(30, mark)] }];
    await it_.ask({ system: [text(200)], messages });
    expect(await it_.ask({ system: [text(201)], messages })).toEqual([0, 231, 0]);
  });

  it('caches nothing below the minimum and nothing without a breakpoint', async () => {
    await using it_ = await anthropicAt();
    const messages: MessageParam[] = [{ role: 'user', content: 'hi' }];
    for (const system of [[text(50, mark)], [text(500)]]) {
      await it_.ask({ system, messages });
      expect((await it_.ask({ system, messages })).slice(1)).toEqual([0, 0]);
    }
  });

  it('expires after five minutes, or an hour, counted from the last hit', async () => {
    await using it_ = await anthropicAt();
    const messages: MessageParam[] = [{ role: 'user', content: 'hi' }];
    const short = { system: [text(200, mark)], messages };
    const long = { system: [text(300, hour)], messages };
    await it_.ask(short);
    await it_.ask(long);
    for (const at of [4, 8, 12]) {
      it_.clock.now = at * minute;
      expect(await it_.ask(short)).toEqual([2, 0, 200]);
    }
    it_.clock.now = 17 * minute;
    expect(await it_.ask(short)).toEqual([2, 200, 0]);
    expect(await it_.ask(long)).toEqual([2, 0, 300]);
    it_.clock.now = 77 * minute;
    expect(await it_.ask(long)).toEqual([2, 300, 0]);
  });

  it('distinguishes the two lifetimes', async () => {
    await using it_ = await anthropicAt();
    const messages: MessageParam[] = [{ role: 'user', content: [text(30, mark)] }];
    const { usage } = await it_.at.anthropic.messages.create({
      model: 'm',
      max_tokens: 8,
      messages,
      system: [text(200, hour)],
    });
    expect(usage.cache_creation).toEqual({ ephemeral_1h_input_tokens: 200, ephemeral_5m_input_tokens: 30 });
  });

  it('is separate for each model', async () => {
    await using it_ = await anthropicAt();
    const ask = { max_tokens: 8, system: [text(200, mark)], messages: [{ role: 'user' as const, content: 'hi' }] };
    await it_.at.anthropic.messages.create({ ...ask, model: 'a' });
    const { usage } = await it_.at.anthropic.messages.create({ ...ask, model: 'b' });
    expect(usage.cache_read_input_tokens).toBe(0);
  });
});

describe('the automatic caches', () => {
  it('of OpenAI read whole steps of 128 from 1024 on', async () => {
    await using at = await connect({ count: (said) => said.length });
    const user = (length: number) => ({ role: 'user' as const, content: 'x'.repeat(length) });
    const ask = async (...lengths: number[]) => {
      const { usage } = await at.openai.chat.completions.create({ model: 'm', messages: lengths.map(user) });
      return usage?.prompt_tokens_details?.cached_tokens;
    };
    expect(await ask(1000)).toBe(0);
    expect(await ask(1000, 300)).toBe(0);
    expect(await ask(1000, 300, 5)).toBe(1024 + 256);
    expect(await ask(1001, 300, 5)).toBe(0);
  });

  it('of Responses do the same for items', async () => {
    await using at = await connect({ count: (said) => said.length });
    const user = (length: number) => ({ role: 'user' as const, content: 'x'.repeat(length) });
    const ask = async (...lengths: number[]) => {
      const { usage } = await at.openai.responses.create({ model: 'm', input: lengths.map(user) });
      return usage?.input_tokens_details.cached_tokens;
    };
    await ask(1200);
    expect(await ask(1200, 5)).toBe(1152);
  });

  it('of Gemini report what they read', async () => {
    await using at = await connect({ ...settings });
    const ask = async (...lengths: number[]) => {
      const contents = lengths.map((length) => ({ role: 'user', parts: [{ text: 'x'.repeat(length) }] }));
      const { usageMetadata } = await at.gemini.models.generateContent({ model: 'm', contents });
      return usageMetadata?.cachedContentTokenCount;
    };
    expect(await ask(150)).toBeUndefined();
    expect(await ask(150, 5)).toBe(150);
  });
});

describe('scripted usage', () => {
  it('overrides the counted usage', async () => {
    await using at = await connect({ script: [{ text: 'ok', usage: { input: 5000, cacheRead: 4000, output: 7 } }] });
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const { usage } = await at.anthropic.messages.create({ model: 'm', max_tokens: 8, messages });
    expect(usage).toMatchObject({ input_tokens: 1000, cache_read_input_tokens: 4000, output_tokens: 7 });
  });
});
