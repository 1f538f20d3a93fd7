import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { answered, said } from '../../session/fixtures/entries.ts';
import { begin } from '../../session/fixtures/sessions.ts';
import { takeOut } from '../fixtures/bring-in.ts';

type Event = { type: string; id: string; parentId: string | null; timestamp: string; data: JsonObject };

async function eventsOf(of: Pick<Awaited<ReturnType<typeof begin>>, 'store' | 'session'>) {
  const { text, codes } = await takeOut({ store: of.store, session: of.session.id, format: 'transcript' });
  const events: Event[] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { events, codes, types: events.map(({ type }) => type) };
}

const call = (id: string, args: string) =>
  ({ type: 'tool_call', origin: 'model', id, name: 'ls', arguments: args }) as const;
const result = (callId: string, text: string, isError?: true) =>
  ({
    type: 'tool_result',
    origin: 'tool',
    callId,
    content: [{ type: 'text', origin: 'tool', text }],
    ...(isError && { isError }),
  }) as const;

describe('a transcript', () => {
  test('tells calls and results, each answer a turn up to its last result', async () => {
    const { store, session } = await begin();
    await session.append(said('List.'));
    await session.append({
      type: 'message',
      message: {
        role: 'assistant',
        parts: [
          { type: 'thinking', origin: 'model', text: 'I look.' },
          { type: 'text', origin: 'model', text: 'Looking.' },
          call('c1', '{"path":"."}'),
          call('c2', '{"path": "spaced"}'),
        ],
      },
      by: { provider: 'anthropic', name: 'claude-opus-5' },
    });
    await session.append({ type: 'message', message: { role: 'tool', parts: [result('c1', 'a.txt')] } });
    await session.append({ type: 'message', message: { role: 'tool', parts: [result('c2', 'no such', true)] } });
    await session.append(answered('One file.'));
    const { events, types, codes } = await eventsOf({ store, session });
    expect(codes).toEqual([]);
    expect(types).toEqual([
      'session.start',
      'user.message',
      'assistant.turn_start',
      'assistant.message',
      'tool.execution_start',
      'tool.execution_start',
      'tool.execution_complete',
      'tool.execution_complete',
      'assistant.turn_end',
      'assistant.turn_start',
      'assistant.message',
      'assistant.turn_end',
    ]);
    expect(events[0]?.data).toMatchObject({ sessionId: 's', version: 1, producer: 'longhaul' });
    expect(events[3]?.data).toEqual({
      messageId: events[3]?.id,
      model: 'claude-opus-5',
      content: 'Looking.',
      reasoningText: 'I look.',
      toolRequests: [
        { toolCallId: 'c1', name: 'ls', arguments: { path: '.' }, type: 'function' },
        // Spaces are not lost: what the model wrote stays as it wrote it where an object would not give it back.
        { toolCallId: 'c2', name: 'ls', arguments: '{"path": "spaced"}', type: 'function' },
      ],
    });
    expect(events[6]?.data).toEqual({ toolCallId: 'c1', success: true, result: { content: 'a.txt' } });
    expect(events[7]?.data).toEqual({ toolCallId: 'c2', success: false, error: { message: 'no such' } });
    expect(events[8]?.data).toEqual({ turnId: '0' });
    expect(events[9]?.data).toEqual({ turnId: '1' });
  });

  test('is one chain of unique ids, the same for the same session', async () => {
    const { store, session } = await begin();
    for (const text of ['same', 'same', 'same']) await session.append(said(text));
    const { events } = await eventsOf({ store, session });
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
    expect(events.map(({ parentId }) => parentId)).toEqual([null, ...events.slice(0, -1).map(({ id }) => id)]);
    expect((await eventsOf({ store, session })).events).toEqual(events);
  });

  test('says apart what a person typed and what the model got', async () => {
    const { store, session } = await begin();
    const parts = [
      { type: 'text', origin: 'engine', text: '<reminder>Mind the tests.</reminder>' },
      { type: 'text', origin: 'human', text: 'Go on.' },
      { type: 'image', origin: 'human', source: { kind: 'base64', mediaType: 'image/png', data: 'aGk=' } },
    ] as const;
    await session.append({ type: 'message', message: { role: 'user', parts } });
    await session.append({ type: 'message', message: { role: 'user', parts: parts.slice(0, 1) } });
    const { events } = await eventsOf({ store, session });
    expect(events[1]?.data).toEqual({
      content: 'Go on.',
      transformedContent: '<reminder>Mind the tests.</reminder>\n\nGo on.',
      attachments: [{ type: 'blob', data: 'aGk=', mimeType: 'image/png' }],
    });
    expect(events[2]?.data).toMatchObject({ content: '', transformedContent: '<reminder>Mind the tests.</reminder>' });
  });

  test('has compactions in it, unlike the one of the chat', async () => {
    const { store, session } = await begin();
    await session.append(said('old'));
    await session.compact({ summary: 'in short', firstKeptId: null, tokensBefore: 77, trigger: 'threshold' });
    await session.append(said('new'));
    const { types, events } = await eventsOf({ store, session });
    expect(types.slice(2)).toEqual(['session.compaction_start', 'session.compaction_complete', 'user.message']);
    expect(events[3]?.data).toEqual({ success: true, preCompactionTokens: 77, summaryContent: 'in short' });
  });

  test('begins a compaction before what it kept, like a background compaction', async () => {
    const { store, session } = await begin();
    await session.append(said('old'));
    const kept = await session.append(said('kept'));
    await session.compact({ summary: 'in short', firstKeptId: kept.id, tokensBefore: 7, trigger: 'manual' });
    const { events } = await eventsOf({ store, session });
    expect(events.slice(1).map(({ type, data }) => data.content ?? type)).toEqual([
      'old',
      'session.compaction_start',
      'kept',
      'session.compaction_complete',
    ]);
    expect(events[2]?.data).toEqual({ trigger: 'manual', conversationTokens: 7 });
  });

  test('has the name of the session, and what its answers took', async () => {
    const { store, session } = await begin();
    await session.append({ type: 'session_info', info: { name: 'a name' } });
    const { id } = await session.append(answered('Done.'));
    const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
    await session.append({ type: 'usage', usage, target: id });
    const { events } = await eventsOf({ store, session });
    expect(events[1]).toMatchObject({ type: 'session.title_changed', data: { title: 'a name' } });
    expect(events[3]?.data).toMatchObject({ outputTokens: 2 });
    expect(events[4]).toMatchObject({ type: 'assistant.usage', data: { inputTokens: 8, cacheReadTokens: 3 } });
  });

  test('writes an unknown event unchanged', async () => {
    const { store, session } = await begin();
    await session.append({ type: 'unknown', kind: 'copilot:later.thing', value: { a: 1 } });
    await session.append({ type: 'custom', customType: 'copilot:abort', data: { reason: 'user' } });
    const { events } = await eventsOf({ store, session });
    expect(events.slice(1)).toMatchObject([
      { type: 'later.thing', data: { a: 1 } },
      { type: 'abort', data: { reason: 'user' } },
    ]);
  });

  test('says how much it had no word for', async () => {
    const { store, session } = await begin();
    const first = await session.append(said('one'));
    await session.append(said('left behind'));
    await session.rewind({ to: first.id });
    await session.pin({ text: 'Never push.' });
    await session.edit({ target: first.id, replacement: null });
    const { text } = await takeOut({ store, session: session.id, format: 'transcript' });
    expect(text).not.toContain('left behind');
    const { codes } = await eventsOf({ store, session });
    expect(codes).toEqual(['left-out']);
  });
});
