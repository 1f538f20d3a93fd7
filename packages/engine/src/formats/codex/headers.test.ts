import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { oneTurn, sessionMeta, threadId, typed } from '../fixtures/codex-file.ts';
import { jsonl } from '../fixtures/pi-file.ts';
import { sessionIdOf } from '../ids.ts';

const read = (records: readonly JsonObject[]) => bringIn({ text: jsonl(records) });

describe('other headers', () => {
  test('a resumed session says its header again; a new prompt takes the place of the old one', async () => {
    const { sent, entries } = await read([
      ...oneTurn(),
      sessionMeta(),
      sessionMeta({ base_instructions: { text: 'You are another Codex.' }, cli_version: '0.120.0' }),
      ...typed('Go on.'),
    ]);
    expect(sent.filter((text) => text.includes('Codex.'))).toEqual(['system: You are another Codex.']);
    expect(sent[0]).toBe('system: You are another Codex.');
    expect(sent.at(-1)).toBe('user: Go on.');
    expect(
      entries.filter((entry) => entry.type === 'custom' && entry.customType === 'codex:session_meta'),
    ).toHaveLength(2);
    expect(entries.find((entry) => entry.type === 'epoch')).toMatchObject({ reason: 'head' });
  });

  test('a sub-agent is owned by the thread that started it, whose model speaks to it', async () => {
    const parent = '019d0000-aaaa-7bbb-8ccc-00000000000f';
    const source = { subagent: { thread_spawn: { parent_thread_id: parent, depth: 1, agent_nickname: 'Ada' } } };
    const { store, session, entries } = await read([
      sessionMeta({ source, agent_nickname: 'Ada' }),
      ...typed('Look at the tests.'),
    ]);
    const owner = { session: sessionIdOf({ format: 'codex', key: parent }) };
    expect(await store.header(session)).toMatchObject({ name: 'Ada', owner });
    expect(entries[1]).toMatchObject({ message: { role: 'user', parts: [{ origin: 'model' }] } });
  });

  test('a fork names its origin, and the header that it copied is not its own', async () => {
    const origin = '019d0000-aaaa-7bbb-8ccc-00000000000e';
    const { store, session, sent } = await read([
      sessionMeta({ forked_from_id: origin }),
      sessionMeta({ id: origin, base_instructions: { text: 'Of the origin.' } }),
      ...typed('one'),
    ]);
    expect(await store.header(session)).toMatchObject({
      parent: { session: sessionIdOf({ format: 'codex', key: origin }) },
    });
    expect(sent).toEqual(['system: You are Codex.', 'user: one']);
  });

  test('a fork whose beginning is in another file says so', async () => {
    const elsewhere = { thread_id: 'other', end_ordinal_exclusive: 4, end_byte_offset: 900 };
    const { warnings } = await read([sessionMeta({ history_base: elsewhere }), ...typed('one')]);
    expect(warnings[0]).toMatchObject({ code: 'begins-elsewhere', message: expect.stringContaining('other') });
  });

  test('versions before 0.32 wrote items as they are', async () => {
    const bare = {
      id: threadId,
      timestamp: '2025-06-01T10:00:00Z',
      instructions: 'Use tabs.',
      git: { branch: 'main' },
    };
    const { sent, entries, format, codes } = await read([
      bare,
      { type: 'message', id: null, role: 'user', content: [{ type: 'input_text', text: '<div>Centre it.</div>' }] },
      { record_type: 'state' },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'CSS.' }] },
      { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
    ]);
    expect(format).toBe('codex');
    expect(sent).toEqual(['user: <div>Centre it.</div>', 'assistant: thinking', 'assistant: Done.']);
    expect(entries[0]).toMatchObject({
      at: Date.parse('2025-06-01T10:00:00Z'),
      message: { parts: [{ origin: 'human' }] },
    });
    expect(codes).toEqual(['left-out']);
  });

  test('a header that is torn, or longer than what is looked at, still tells which session it is', async () => {
    const whole = jsonl(oneTurn());
    const { session } = await bringIn({ text: whole });
    const [head = '', ...rest] = whole.split('\n');
    const torn = await bringIn({ text: [head.slice(0, 150), ...rest].join('\n') });
    expect(torn).toMatchObject({ session, format: 'codex' });
    expect(torn.codes).toContain('half-a-header');
    const long = [sessionMeta({ base_instructions: { text: 'x'.repeat(100_000) } }), ...oneTurn().slice(1)];
    expect(await read(long)).toMatchObject({ session, format: 'codex' });
    const { codes, sent } = await bringIn({ text: rest.join('\n') });
    expect(codes).toContain('half-a-header');
    expect(sent).toContain('user: List the files.');
  });
});
