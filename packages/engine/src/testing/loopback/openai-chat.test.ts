import type { ChatCompletionChunk, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { describe, expect, it } from 'vitest';
import { connect } from './fixtures/clients.ts';

const model = 'gpt-5.6';
const hi: ChatCompletionMessageParam = { role: 'user', content: 'hi' };
const spoken = {
  thinking: 'The file must be read first, I think.',
  text: 'I will read both of them. 😀',
  toolCalls: [
    { name: 'read', arguments: { path: 'src/ä.ts' } },
    { id: 'call_mine', name: 'read', arguments: '{"path": "b"}' },
  ],
};

describe('the OpenAI SDK against the loopback: Chat Completions', () => {
  it('gets reasoning, text and calls, the arguments byte for byte', async () => {
    await using at = await connect({ script: [spoken] });
    const { choices } = await at.openai.chat.completions.create({ model, messages: [hi] });
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: spoken.text,
        reasoning_content: spoken.thinking,
        tool_calls: [
          { type: 'function', function: { name: 'read', arguments: '{"path":"src/ä.ts"}' } },
          { id: 'call_mine', function: { arguments: '{"path": "b"}' } },
        ],
      },
    });
  });

  it('has null content where there are only calls', async () => {
    await using at = await connect({ script: [{ toolCalls: spoken.toolCalls }, { text: '' }] });
    const calls = await at.openai.chat.completions.create({ model, messages: [hi] });
    const empty = await at.openai.chat.completions.create({ model, messages: [hi] });
    expect([calls, empty].map(({ choices }) => choices[0]?.message.content)).toEqual([null, '']);
  });

  it('gets the same as chunks, and usage only if requested', async () => {
    await using at = await connect({ script: [spoken, spoken] });
    const stream = at.openai.chat.completions.stream({
      model,
      messages: [hi],
      stream_options: { include_usage: true },
    });
    const counts: unknown[] = [];
    stream.on('chunk', ({ usage, choices }) => counts.push(choices.length === 0 ? usage : null));
    const { choices, usage } = await stream.finalChatCompletion();
    expect(choices[0]?.message.content).toBe(spoken.text);
    expect(choices[0]?.message.tool_calls?.map((call) => 'function' in call && call.function.arguments)).toEqual([
      '{"path":"src/ä.ts"}',
      '{"path": "b"}',
    ]);
    expect(usage?.completion_tokens).toBeGreaterThan(1);
    expect(counts.filter(Boolean)).toHaveLength(1);

    const plain: ChatCompletionChunk[] = [];
    for await (const chunk of await at.openai.chat.completions.create({ model, messages: [hi], stream: true }))
      plain.push(chunk);
    expect(plain.every(({ usage: counted }) => counted === undefined)).toBe(true);
    expect(plain.map(({ choices: [first] }) => first?.delta.content ?? '').join('')).toBe(spoken.text);
  });

  it('ends its stream with [DONE]', async () => {
    await using at = await connect({ script: [spoken] });
    const answer = await fetch(`${at.loopback.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model, stream: true, messages: [hi] }),
    });
    expect((await answer.text()).endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('continues with tool results, and not without them', async () => {
    await using at = await connect({ script: [spoken, { text: 'Done.' }] });
    const { choices } = await at.openai.chat.completions.create({ model, messages: [hi] });
    const message = choices[0]?.message;
    if (!message?.tool_calls) throw new Error('There were no calls.');
    const results = message.tool_calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'text' }));
    const done = await at.openai.chat.completions.create({ model, messages: [hi, message, ...results] });
    expect(done.choices[0]?.message.content).toBe('Done.');
    await expect(
      at.openai.chat.completions.create({ model, messages: [hi, message, ...results.slice(1)] }),
    ).rejects.toThrow('did not have response messages');
  });

  it('calls tools of type custom with free text', async () => {
    await using at = await connect({ script: [{ toolCalls: [{ name: 'patch', arguments: '*** Begin' }] }] });
    const { choices } = await at.openai.chat.completions.create({
      model,
      messages: [hi],
      tools: [{ type: 'custom', custom: { name: 'patch' } }],
    });
    expect(choices[0]?.message.tool_calls).toMatchObject([{ type: 'custom', custom: { input: '*** Begin' } }]);
  });

  it('lists models', async () => {
    await using at = await connect({ models: ['a', 'b'] });
    const { data } = await at.openai.models.list();
    expect(data.map(({ id }) => id)).toEqual(['a', 'b']);
    const anthropic = await at.anthropic.models.list();
    expect(anthropic.data.map(({ id }) => id)).toEqual(['a', 'b']);
  });
});
