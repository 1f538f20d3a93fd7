import type { ResponseInputItem, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { connect, errorOf } from './fixtures/clients.ts';

const model = 'gpt-5.6';
const reasoning = { summary: 'auto' as const };
const hi: ResponseInputItem = { role: 'user', content: 'hi' };
const spoken = {
  thinking: 'The file must be read first, I think.',
  text: 'I will read it. 😀',
  toolCalls: [{ id: 'call_1', name: 'read', arguments: { path: 'src/ä.ts' } }],
};
const result: ResponseInputItem = { type: 'function_call_output', call_id: 'call_1', output: 'text' };
const sealed = { store: false, include: ['reasoning.encrypted_content' as const] };

describe('the OpenAI SDK against the loopback: Responses', () => {
  it('gets reasoning, message and call as items', async () => {
    await using at = await connect({ script: [spoken] });
    const response = await at.openai.responses.create({ model, reasoning, input: 'hi' });
    expect(response.output_text).toBe(spoken.text);
    expect(response.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: spoken.thinking }] },
      { type: 'message', content: [{ type: 'output_text', text: spoken.text }] },
      { type: 'function_call', call_id: 'call_1', arguments: '{"path":"src/ä.ts"}' },
    ]);
    expect(response.output[0]).not.toHaveProperty('encrypted_content');
  });

  it('gets the same as numbered events', async () => {
    await using at = await connect({ script: [spoken] });
    const events: ResponseStreamEvent[] = [];
    for await (const event of await at.openai.responses.create({ model, reasoning, input: [hi], stream: true }))
      events.push(event);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at_) => at_));
    expect(events[0]?.type).toBe('response.created');
    const joined = (type: string) =>
      events.map((event) => (event.type === type && 'delta' in event ? String(event.delta) : '')).join('');
    expect(joined('response.output_text.delta')).toBe(spoken.text);
    expect(joined('response.function_call_arguments.delta')).toBe('{"path":"src/ä.ts"}');
    expect(joined('response.reasoning_summary_text.delta')).toBe(spoken.thinking);
    const last = events.at(-1);
    expect(last?.type === 'response.completed' && last.response.output.length).toBe(3);
  });

  it('assembles in the SDK’s own stream helper', async () => {
    await using at = await connect({ script: [spoken] });
    const response = await at.openai.responses.stream({ model, reasoning, input: 'hi' }).finalResponse();
    expect(response.output_text).toBe(spoken.text);
    expect(response.usage?.output_tokens).toBeGreaterThan(1);
  });

  it('accepts encrypted reasoning back, and only its own', async () => {
    await using at = await connect({ script: [spoken, { text: 'Done.' }] });
    const { output } = await at.openai.responses.create({ model, input: [hi], ...sealed });
    const input = [hi, ...(output as ResponseInputItem[]), result];
    const done = await at.openai.responses.create({ model, input, ...sealed });
    expect(done.output_text).toBe('Done.');

    const tampered = structuredClone(input);
    const [, reasoning] = tampered;
    if (reasoning?.type === 'reasoning') reasoning.encrypted_content = `x${reasoning.encrypted_content}`;
    const error = await errorOf(at.openai.responses.create({ model, input: tampered, ...sealed }));
    expect(error).toMatchObject({ status: 400, code: 'invalid_encrypted_content' });
  });

  it('does not find unencrypted reasoning that was not stored', async () => {
    await using at = await connect({ script: [spoken] });
    const { output } = await at.openai.responses.create({ model, input: [hi], store: false });
    const input = [hi, ...(output as ResponseInputItem[]), result];
    const error = await errorOf(at.openai.responses.create({ model, input, store: false }));
    expect(error).toMatchObject({ status: 404 });
    expect(String(error)).toContain('Items are not persisted when `store` is set to false');
  });

  it('requires stored calls with their reasoning', async () => {
    await using at = await connect({ script: [spoken] });
    const { output } = await at.openai.responses.create({ model, input: [hi] });
    const input = [hi, ...(output.slice(1) as ResponseInputItem[]), result];
    await expect(at.openai.responses.create({ model, input })).rejects.toThrow("without its required 'reasoning' item");
  });

  it('resolves references to stored items', async () => {
    await using at = await connect({ script: [spoken, { text: 'Done.' }] });
    const { output } = await at.openai.responses.create({ model, input: [hi] });
    const references = output.map(({ id }) => ({ type: 'item_reference' as const, id: id ?? '' }));
    const done = await at.openai.responses.create({ model, input: [hi, ...references] });
    expect(done.output_text).toBe('Done.');
    const stranger = { type: 'item_reference' as const, id: 'msg_1' };
    await expect(at.openai.responses.create({ model, input: [hi, stranger] })).rejects.toThrow("'msg_1' not found");
  });

  it('continues a stored response: its calls count, its tokens too', async () => {
    await using at = await connect({ script: [spoken, { text: 'Done.' }], count: (text) => text.length });
    const first = await at.openai.responses.create({ model, input: [hi] });
    const done = await at.openai.responses.create({ model, input: [result], previous_response_id: first.id });
    expect(done.output_text).toBe('Done.');
    expect(done.usage?.input_tokens).toBeGreaterThan('hi'.length + spoken.text.length);
    const error = await errorOf(at.openai.responses.create({ model, input: [hi], previous_response_id: 'resp_x' }));
    expect(error).toMatchObject({ status: 400, code: 'previous_response_not_found' });
  });

  it('counts tokens', async () => {
    await using at = await connect();
    const counted = await at.openai.responses.inputTokens.count({ model, input: '12345' });
    expect(counted).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) });
  });

  it('compacts at its own path and accepts the item', async () => {
    await using at = await connect({ script: [{ text: 'summary' }, { text: 'Done.' }] });
    const { output } = await at.openai.responses.compact({ model, input: [hi, { role: 'assistant', content: 'ho' }] });
    expect(output.map(({ type }) => type)).toEqual(['message', 'compaction']);
    const input = [...(output as ResponseInputItem[]), hi];
    const done = await at.openai.responses.create({ model, input });
    expect(done.output_text).toBe('Done.');
  });

  it('answers a compaction trigger with exactly one compaction item', async () => {
    await using at = await connect();
    const input: ResponseInputItem[] = [hi, { type: 'compaction_trigger' }];
    const { output } = await at.openai.responses.create({ model, input, store: false });
    expect(output).toMatchObject([{ type: 'compaction' }]);
    const forged: ResponseInputItem[] = [{ type: 'compaction', encrypted_content: 'summary' }, hi];
    await expect(at.openai.responses.create({ model, input: forged })).rejects.toThrow('could not be verified');
  });

  it('compacts at the threshold if enabled, and ignores content before the item', async () => {
    await using at = await connect({ count: (said) => said.length, script: [{ text: 'On.' }, { text: 'Done.' }] });
    const context_management = [{ type: 'compaction', compact_threshold: 1000 }];
    const long: ResponseInputItem = { role: 'user', content: 'x'.repeat(5000) };
    const asked = { model, store: false, context_management };
    const { output } = await at.openai.responses.stream({ ...asked, input: [long] }).finalResponse();
    expect(output.map(({ type }) => type)).toEqual(['compaction', 'message']);
    const next = await at.openai.responses.create({ ...asked, input: [long, ...(output as ResponseInputItem[]), hi] });
    expect(next.usage?.input_tokens).toBeLessThan(50);
  });

  it('calls tools of type custom with free text', async () => {
    await using at = await connect({ script: [{ toolCalls: [{ name: 'patch', arguments: '*** Begin' }] }] });
    const tools = [{ type: 'custom' as const, name: 'patch' }];
    const response = await at.openai.responses.stream({ model, input: 'hi', tools }).finalResponse();
    expect(response.output).toMatchObject([{ type: 'custom_tool_call', name: 'patch', input: '*** Begin' }]);
  });
});
