import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it } from 'vitest';
import { connect, errorOf } from './fixtures/clients.ts';

const ask = { model: 'claude-opus-5', max_tokens: 64, thinking: { type: 'adaptive' as const } };
const hi: MessageParam = { role: 'user', content: 'hi' };
const tools = [{ name: 'read', input_schema: { type: 'object' as const } }];
const spoken = {
  thinking: 'The file must be read first, I think.',
  text: 'I will read it. 😀',
  toolCalls: [{ name: 'read', arguments: { path: 'src/ä.ts', line: 1.5 } }],
};

describe('the Anthropic SDK against the loopback', () => {
  it('gets thinking, text and calls in one message', async () => {
    await using at = await connect({ script: [spoken] });
    const message = await at.anthropic.messages.create({ ...ask, tools, messages: [hi] });
    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: spoken.thinking },
      { type: 'text', text: spoken.text },
      { type: 'tool_use', name: 'read', input: { path: 'src/ä.ts', line: 1.5 } },
    ]);
    expect(message.stop_reason).toBe('tool_use');
    expect(at.loopback.requests[0]?.verdict).toEqual({ legal: true });
  });

  it('gets the same message as a stream', async () => {
    await using at = await connect({ script: [spoken, spoken], secret: 'fixed' });
    const whole = await at.anthropic.messages.create({ ...ask, messages: [hi] });
    const streamed = await at.anthropic.messages.stream({ ...ask, messages: [hi] }).finalMessage();
    const plain = (content: typeof whole.content) => content.map((block) => ({ ...block, id: undefined }));
    expect(plain(streamed.content)).toEqual(plain(whole.content));
    expect(streamed.usage).toEqual(whole.usage);
    expect(streamed.stop_reason).toBe(whole.stop_reason);
  });

  it('streams a call in several deltas between matching indices, with a ping', async () => {
    await using at = await connect({ script: [spoken] });
    const answer = await fetch(`${at.loopback.url}/v1/messages?beta=true`, {
      method: 'POST',
      headers: { 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ ...ask, stream: true, messages: [hi] }),
    });
    const names = [...(await answer.text()).matchAll(/^event: (.+)$/gm)].map(([, name]) => name);
    expect(names.slice(0, 3)).toEqual(['message_start', 'content_block_start', 'ping']);
    expect(names.slice(-2)).toEqual(['message_delta', 'message_stop']);
    expect(names.filter((name) => name === 'content_block_start')).toHaveLength(3);
    expect(names.filter((name) => name === 'content_block_stop')).toHaveLength(3);
    expect(names.filter((name) => name === 'content_block_delta').length).toBeGreaterThan(9);
  });

  it('accepts thinking with its own signature', async () => {
    await using at = await connect({ script: [spoken, { text: 'Done.' }, spoken] });
    const first = await at.anthropic.messages.stream({ ...ask, tools, messages: [hi] }).finalMessage();
    const call = first.content.find((block) => block.type === 'tool_use');
    const history: MessageParam[] = [
      hi,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id ?? '', content: 'text' }] },
    ];
    const second = await at.anthropic.messages.create({ ...ask, tools, messages: history });
    expect(second.content).toMatchObject([{ type: 'text', text: 'Done.' }]);

    const tampered = structuredClone(history);
    const blocks = tampered[1]?.content;
    if (Array.isArray(blocks) && blocks[0]?.type === 'thinking') blocks[0].thinking += '!';
    const error = await errorOf(at.anthropic.messages.create({ ...ask, tools, messages: tampered }));
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(String(error)).toContain('messages.1.content.0: Invalid `signature` in `thinking` block');
  });

  it('rejects the thinking of another server', async () => {
    await using one = await connect({ script: [spoken] });
    await using other = await connect();
    const { content } = await one.anthropic.messages.create({ ...ask, messages: [hi] });
    const kept = content.filter((block) => block.type !== 'tool_use');
    const messages: MessageParam[] = [hi, { role: 'assistant', content: kept }, hi];
    await expect(one.anthropic.messages.create({ ...ask, messages })).resolves.toBeDefined();
    await expect(other.anthropic.messages.create({ ...ask, messages })).rejects.toThrow('Invalid `signature`');
  });

  it('binds thinking to the conversation before it, if enabled', async () => {
    await using at = await connect({ bindThinking: true, script: [{ thinking: 'hm', text: 'Yes.' }] });
    const { content } = await at.anthropic.messages.create({ ...ask, system: 'Be brief.', messages: [hi] });
    const messages: MessageParam[] = [hi, { role: 'assistant', content }, { role: 'user', content: 'go on' }];
    const again = { ...ask, system: [{ type: 'text' as const, text: 'Be brief.' }], messages };
    await expect(at.anthropic.messages.create(again)).resolves.toBeDefined();
    const bound = 'The block is bound to a different conversation.';
    await expect(at.anthropic.messages.create({ ...again, system: 'Be long.' })).rejects.toThrow(bound);
    await expect(at.anthropic.messages.create({ ...again, tools })).rejects.toThrow(bound);
    const edited = [{ role: 'user' as const, content: 'ho' }, ...messages.slice(1)];
    await expect(at.anthropic.messages.create({ ...again, messages: edited })).rejects.toThrow(bound);
  });

  it('allows bound thinking to be removed from the start or the end, not from the middle', async () => {
    await using at = await connect({ bindThinking: true, script: () => ({ thinking: 'hm', text: 'Yes.' }) });
    const turns: MessageParam[] = [hi];
    for (let turn = 0; turn < 3; turn++) {
      const { content } = await at.anthropic.messages.create({ ...ask, messages: turns });
      turns.push({ role: 'assistant', content }, hi);
    }
    const without = (...left: number[]) =>
      turns.map((turn, index) => {
        if (!left.includes(index) || typeof turn.content === 'string') return turn;
        return { role: 'assistant' as const, content: turn.content.filter(({ type }) => type !== 'thinking') };
      });
    for (const messages of [turns, without(1), without(1, 3), without(5), without(1, 3, 5)])
      await expect(at.anthropic.messages.create({ ...ask, messages })).resolves.toBeDefined();
    await expect(at.anthropic.messages.create({ ...ask, messages: without(3) })).rejects.toThrow(
      'messages.5.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
    );
  });

  it('holds a thread: only what is new is sent, once after each answer', async () => {
    const script = [{ text: 'One.', toolCalls: [{ name: 'read', arguments: { path: 'a' } }] }, { text: 'Two.' }];
    await using at = await connect({ script: [...script, { text: 'Three.' }] });
    const tool = {
      name: 'read',
      input_schema: { type: 'object' as const },
      run: () => 'text',
      parse: (input: unknown) => input,
    };
    const asked = { ...ask, system: 'Be brief.', tools: [tool], messages: [hi] };
    expect((await at.anthropic.beta.messages.toolRunner(asked)).content).toMatchObject([{ text: 'Two.' }]);
    const { requests } = at.loopback;
    const sent = requests.map(({ body }) => body as { readonly messages: readonly unknown[] });
    expect(sent.map(({ messages }) => messages.length)).toEqual([1, 1]);
    expect(sent[1]).not.toHaveProperty('system');
    const previous = (sent[1] as unknown as { thread: { type: 'continue'; previous_message_id: string } }).thread;
    const again = { ...ask, messages: [hi], betas: ['message-threads-2026-08-12' as const] };
    const refused = (of: { type: 'continue'; previous_message_id: string }) =>
      errorOf(at.anthropic.beta.messages.create({ ...again, thread: of }));
    const detail = (code: string) => ({ error: { error: { details: { error_code: code } } } });
    expect(await refused(previous)).toMatchObject(detail('thread_already_continued'));
    expect(await refused({ ...previous, previous_message_id: 'msg_0' })).toMatchObject(detail('thread_not_found'));
  });

  it('counts tokens without max_tokens and without using up the script', async () => {
    await using at = await connect({ count: (text) => text.length, skew: 2, script: [{ text: 'first' }] });
    const counted = await at.anthropic.messages.countTokens({
      model: 'm',
      messages: [{ role: 'user', content: '12345' }],
    });
    expect(counted.input_tokens).toBe(10);
    const { content } = await at.anthropic.messages.create({ ...ask, messages: [hi] });
    expect(content).toMatchObject([{ text: 'first' }]);
  });

  it('compacts on request, and ignores content before the block', async () => {
    const count = (said: string) => said.length;
    await using at = await connect({
      count,
      script: [{ text: 'On.', compaction: 'They fix clocks.' }, { text: 'Done.' }],
    });
    const betas = ['compact-2026-01-12' as const];
    const edits = [{ type: 'compact_20260112' as const }];
    const long = { role: 'user' as const, content: 'x'.repeat(5000) };
    const asked = { model: ask.model, max_tokens: 64, betas, context_management: { edits } };
    const first = await at.anthropic.beta.messages.stream({ ...asked, messages: [long] }).finalMessage();
    expect(first.content).toMatchObject([{ type: 'compaction', content: 'They fix clocks.' }, { text: 'On.' }]);
    expect(first.usage.iterations?.map(({ type }) => type)).toEqual(['compaction', 'message']);
    expect(first.usage.input_tokens).toBe(16);
    const back = { role: 'assistant' as const, content: first.content as never };
    const next = await at.anthropic.beta.messages.create({ ...asked, messages: [long, back, hi] });
    expect(next.usage.input_tokens).toBe(16 + 3 + 2);
  });

  it('compacts at the trigger, and only if enabled', async () => {
    await using at = await connect({ count: (said) => said.length, script: [{ text: 'One.' }, { text: 'Two.' }] });
    const trigger = { type: 'input_tokens' as const, value: 50_000 };
    const edits = [{ type: 'compact_20260112' as const, trigger }];
    const long = { role: 'user' as const, content: 'x'.repeat(60_000) };
    const asked = { model: ask.model, max_tokens: 64, betas: ['compact-2026-01-12' as const], messages: [long] };
    const unasked = await at.anthropic.beta.messages.create(asked);
    expect(unasked.content.map(({ type }) => type)).toEqual(['text']);
    const { content } = await at.anthropic.beta.messages.create({ ...asked, context_management: { edits } });
    expect(content.map(({ type }) => type)).toEqual(['compaction', 'text']);
    await expect(
      at.anthropic.messages.create({ ...ask, messages: [hi], context_management: { edits } } as never),
    ).rejects.toThrow('context_management: Extra inputs are not permitted');
  });

  it('rejects what the judge rejects, with the same message', async () => {
    await using at = await connect();
    const messages: MessageParam[] = [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x' }] }];
    const error = await errorOf(at.anthropic.messages.create({ ...ask, messages }));
    const verdict = at.loopback.requests[0]?.verdict;
    expect(verdict).toMatchObject({ legal: false, path: 'messages[0].content[0]' });
    expect(error).toMatchObject({ status: 400, apiMessage: verdict && 'message' in verdict ? verdict.message : '' });
  });
});
