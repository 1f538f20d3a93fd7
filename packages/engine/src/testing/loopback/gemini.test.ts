import type { Content } from '@google/genai';
import { describe, expect, it } from 'vitest';
import { connect } from './fixtures/clients.ts';

const model = 'gemini-3-pro';
const config = { thinkingConfig: { includeThoughts: true } };
const spoken = {
  thinking: 'The file must be read first, I think.',
  text: 'I will read both of them. 😀',
  toolCalls: [
    { name: 'read', arguments: { path: 'src/ä.ts' } },
    { name: 'read', arguments: { path: 'b' } },
  ],
};
const hi: Content = { role: 'user', parts: [{ text: 'hi' }] };
const results: Content = {
  role: 'user',
  parts: spoken.toolCalls.map(({ name }) => ({ functionResponse: { name, response: { output: 'text' } } })),
};

describe('the Google SDK against the loopback', () => {
  it('gets thoughts, text and calls', async () => {
    await using at = await connect({ script: [spoken] });
    const response = await at.gemini.models.generateContent({ model, config, contents: 'hi' });
    expect(response.functionCalls?.map(({ args }) => args)).toEqual(spoken.toolCalls.map((call) => call.arguments));
    const parts = response.candidates?.[0]?.content?.parts ?? [];
    expect(parts[0]).toEqual({ text: spoken.thinking, thought: true });
    expect(parts[1]?.text).toBe(spoken.text);
    expect(parts.map((part) => typeof part.thoughtSignature)).toEqual(['undefined', 'string', 'string', 'undefined']);
    expect(response.usageMetadata?.thoughtsTokenCount).toBeGreaterThan(0);
  });

  it('gets the same as chunks', async () => {
    await using at = await connect({ script: [spoken] });
    const texts: string[] = [];
    let calls = 0;
    for await (const chunk of await at.gemini.models.generateContentStream({ model, config, contents: 'hi' })) {
      for (const part of chunk.candidates?.[0]?.content?.parts ?? [])
        if (!part.thought && part.text) texts.push(part.text);
      calls += chunk.functionCalls?.length ?? 0;
    }
    expect(texts.join('')).toBe(spoken.text);
    expect(texts.length).toBeGreaterThan(1);
    expect(calls).toBe(2);
  });

  it('accepts a streamed turn as one content per chunk, including signatures', async () => {
    await using at = await connect({ script: [spoken, { text: 'Done.' }], judge: { signedCalls: true } });
    const turn: Content[] = [];
    for await (const chunk of await at.gemini.models.generateContentStream({ model, config, contents: [hi] })) {
      const content = chunk.candidates?.[0]?.content;
      if (content) turn.push(content);
    }
    expect(turn.length).toBeGreaterThan(3);
    const done = await at.gemini.models.generateContent({ model, contents: [hi, ...turn, results] });
    expect(done.text).toBe('Done.');

    const renamed = structuredClone(turn);
    for (const { functionCall } of renamed.at(-1)?.parts ?? []) if (functionCall) functionCall.args = { path: 'other' };
    await expect(at.gemini.models.generateContent({ model, contents: [hi, ...renamed, results] })).rejects.toThrow(
      'Corrupted thought signature.',
    );
    const unsigned = structuredClone(turn);
    for (const part of unsigned.at(-1)?.parts ?? []) delete part.thoughtSignature;
    await expect(at.gemini.models.generateContent({ model, contents: [hi, ...unsigned, results] })).rejects.toThrow(
      'Function call is missing a thought_signature in functionCall parts.',
    );
  });

  it('keeps a chat going in the SDK’s own helper', async () => {
    await using at = await connect({ script: [{ thinking: 'hm', text: 'Hello.' }, { text: 'Again.' }] });
    const chat = at.gemini.chats.create({ model, config });
    for await (const _ of await chat.sendMessageStream({ message: 'hi' }));
    const second = await chat.sendMessage({ message: 'more' });
    expect(second.text).toBe('Again.');
    expect(at.loopback.requests.map(({ verdict }) => verdict)).toEqual([{ legal: true }, { legal: true }]);
  });

  it('counts tokens', async () => {
    await using at = await connect({ count: (text) => text.length });
    const { totalTokens } = await at.gemini.models.countTokens({ model, contents: '12345' });
    expect(totalTokens).toBe(5);
  });

  it('rejects what the judge rejects', async () => {
    await using at = await connect();
    await expect(at.gemini.models.generateContent({ model, contents: [hi, results] })).rejects.toThrow(
      'function response turn comes immediately after a function call turn',
    );
  });
});
