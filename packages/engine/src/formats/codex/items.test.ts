import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { codecs } from '../../message/index.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { event, item, line, message, oneTurn, sessionMeta, threadId } from '../fixtures/codex-file.ts';
import { jsonl } from '../fixtures/pi-file.ts';

const read = (records: readonly JsonObject[]) => bringIn({ text: jsonl(records) });

describe('items of every kind', () => {
  const one = async (payload: JsonObject) => {
    const { entries, codes } = await read([sessionMeta(), item(payload), event('error', { message: 'end' })]);
    return { entry: entries[1], codes };
  };

  test.each<[string, JsonObject, object]>([
    [
      'a patch is free text',
      { type: 'custom_tool_call', status: 'completed', call_id: 'c', name: 'apply_patch', input: '*** Begin Patch' },
      {
        message: { parts: [{ type: 'tool_call', name: 'apply_patch', arguments: '*** Begin Patch', freeform: true }] },
      },
    ],
    [
      'its result',
      { type: 'custom_tool_call_output', call_id: 'c', output: '{"output":"Done"}' },
      { message: { role: 'tool', parts: [{ callId: 'c', content: [{ text: '{"output":"Done"}' }] }] } },
    ],
    [
      'a shell of the API is a call like others, since it is answered like one',
      { type: 'local_shell_call', call_id: 'c', status: 'completed', action: { type: 'exec', command: ['ls'] } },
      { message: { parts: [{ type: 'tool_call', id: 'c', arguments: '{"type":"exec","command":["ls"]}' }] } },
    ],
    [
      'a search of the provider, which nobody answers',
      { type: 'web_search_call', status: 'completed' },
      { message: { role: 'assistant', parts: [{ type: 'opaque', kind: 'web_search_call' }] } },
    ],
    [
      'a search for tools, and what it found',
      { type: 'tool_search_output', call_id: 'c', tools: [{ name: 'x' }] },
      { message: { role: 'tool', parts: [{ type: 'opaque', kind: 'tool_search_output' }] } },
    ],
    [
      'reasoning that can be read',
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'I look.' }], encrypted_content: 'REDACTED/x' },
      { message: { parts: [{ type: 'thinking', text: 'I look.' }] } },
    ],
    [
      'what another agent said',
      {
        type: 'agent_message',
        author: '/root/a',
        recipient: '/root',
        content: [{ type: 'input_text', text: 'Done.' }],
      },
      {
        message: { role: 'user', parts: [{ text: 'Done.', origin: 'model' }] },
        details: { codex: { author: '/root/a' } },
      },
    ],
    [
      'a snapshot of the files',
      { type: 'ghost_snapshot', ghost_commit: { id: 'f00' } },
      { customType: 'codex:ghost_snapshot' },
    ],
    [
      'the result of the first versions',
      { type: 'function_call_output', call_id: 'c', output: { content: 'ok', success: true } },
      { message: { parts: [{ content: [{ text: 'ok' }] }] } },
    ],
  ])('%s', async (_, payload, expected) => {
    expect((await one(payload)).entry).toMatchObject(expected);
  });

  test('what a filter has damaged is not sent again, and is reported', async () => {
    const spoilt = { type: 'reasoning', summary: [], content: null, encrypted_content: 'gAAREDACTEDxx' };
    const readable = {
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'I look.' }],
      encrypted_content: 'REDACTED',
    };
    const { entries, sent, warnings } = await read([sessionMeta(), item(spoilt), item(readable)]);
    expect(sent).toEqual(['system: You are Codex.', 'assistant: thinking']);
    expect(JSON.stringify(entries)).not.toContain('REDACTED');
    expect(warnings).toMatchObject([{ code: 'redacted', message: expect.stringMatching(/^Encrypted items .*: 1\.$/) }]);
  });

  test('reasoning goes back encrypted or not at all', async () => {
    const readable = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'I look.' }] };
    const { live, entries } = await read([
      sessionMeta(),
      item(readable),
      item({ ...readable, encrypted_content: 'gAAAA' }),
      item({ type: 'reasoning', id: 'rs_2', summary: [] }),
    ]);
    const messages = live.context.items.map(({ message: said }) => said);
    expect(codecs['openai-responses'].encode(messages.slice(1))).toEqual([{ ...readable, encrypted_content: 'gAAAA' }]);
    expect(entries.at(-1)).toMatchObject({ customType: 'codex:reasoning', data: { id: 'rs_2' } });
  });

  test('an image whose data was redacted says so, and stays in the details', async () => {
    const content = [
      { type: 'input_text', text: '<image name=[Image #1]>' },
      { type: 'input_image', image_url: 'data:image/png;base64,iVBOREDACTED/' },
      { type: 'input_text', text: '</image>' },
      { type: 'input_text', text: '[Image #1] Align it.' },
    ];
    const { entries } = await read([
      sessionMeta(),
      item({ type: 'message', role: 'user', content }),
      event('user_message', { message: '[Image #1] Align it.', local_images: ['/tmp/a.png'] }),
    ]);
    expect(entries[1]).toMatchObject({
      message: {
        parts: [
          { origin: 'engine', text: '<image name=[Image #1]>' },
          { origin: 'engine', text: expect.stringContaining('redacted') },
          { origin: 'engine', text: '</image>' },
          { origin: 'human', text: '[Image #1] Align it.' },
        ],
      },
      details: { spoilt: ['iVBOREDACTED/'] },
    });
  });

  test('what agents say to each other is a model’s; where it is encrypted, it is noted', async () => {
    const { entries, sent } = await read([
      sessionMeta(),
      line('inter_agent_communication', { author: '/root', recipient: '/root/a', content: 'Look there.' }),
      line('inter_agent_communication', { author: '/root', recipient: '/root/a', encrypted_content: 'gAAA' }),
      line('inter_agent_communication_metadata', { trigger_turn: true }),
    ]);
    expect(sent).toEqual(['system: You are Codex.', 'user: Look there.']);
    expect(entries.slice(1)).toMatchObject([
      { message: { parts: [{ origin: 'model' }] }, details: { codex: { author: '/root' } } },
      { customType: 'codex:inter_agent_communication', data: { encrypted_content: 'gAAA' } },
    ]);
  });

  test('kinds that are newer than this are kept whole', async () => {
    const { entries, codes } = await read([
      sessionMeta(),
      item({ type: 'telepathy', thought: 1 }),
      item({ type: 'function_call', arguments: '{}' }),
      event('aurora', { strength: 3 }),
      line('tomorrow', { a: 1 }),
    ]);
    expect(entries.slice(1)).toMatchObject([
      { type: 'unknown', kind: 'codex:response_item:telepathy', value: { thought: 1 } },
      { type: 'unknown', kind: 'codex:response_item:function_call' },
      { type: 'unknown', kind: 'codex:event_msg:aurora', value: { strength: 3 } },
      { type: 'unknown', kind: 'codex:tomorrow', value: { a: 1 } },
    ]);
    expect(codes).toEqual(['unknown-kind', 'unknown-kind']);
  });

  test('what is in events alone becomes notes', async () => {
    const { entries, sent } = await read([
      ...oneTurn(),
      event('turn_aborted', { reason: 'interrupted' }),
      event('error', { message: 'stream disconnected' }),
      event('thread_name_updated', { thread_id: threadId, thread_name: 'Files' }),
    ]);
    expect(entries.slice(-3)).toMatchObject([
      { customType: 'codex:turn_aborted', data: { reason: 'interrupted' } },
      { customType: 'codex:error', data: { message: 'stream disconnected' } },
      { type: 'session_info', info: { name: 'Files' } },
    ]);
    expect(sent).toEqual((await read(oneTurn())).sent);
  });

  test('newer versions count tokens in records of their own; the same call is counted once', async () => {
    const counts = { input_tokens: 100, cached_input_tokens: 60, cache_write_input_tokens: 10, output_tokens: 7 };
    const total = { input_tokens: 900, cached_input_tokens: 60, output_tokens: 7 };
    const { entries } = await read([
      sessionMeta(),
      message('assistant', ['Hi.']),
      line('token_usage_record', { thread_id: threadId, usage: counts, thread_token_usage: total }),
      event('token_count', { info: { total_token_usage: total, last_token_usage: counts } }),
    ]);
    expect(entries.filter((entry) => entry.type === 'usage')).toMatchObject([
      { usage: { input: 30, output: 7, cacheRead: 60, cacheWrite: 10 }, target: entries[1]?.id },
    ]);
  });
});
