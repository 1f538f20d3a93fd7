import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Part } from '../../message/index.ts';
import { runs } from '../../testing/runs.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { expectSound, harmed, torn } from '../fixtures/harm.ts';
import { sdkAction, sdkEvent, sdkEvents, sdkResult } from '../fixtures/openhands-file.ts';
import { jsonl } from '../fixtures/pi-file.ts';

describe('events of a conversation on disk', () => {
  const file = jsonl(sdkEvents());
  const whole = [
    'system: Be an agent. | It is Friday.',
    'user: Fix it. | A skill.',
    'assistant: thinking | Both. | terminal {"command":"one"} | terminal {"command":"two"}',
    'tool: second+A rule for this folder.',
    'tool: first',
    'assistant: terminal {"command":"three"}',
    'tool: Action rejected: +Never touch main.',
    'assistant: terminal {"command":"four"}',
    'tool: No such tool.',
  ];

  test('are one session; calls of one response are one answer', async () => {
    const { sent, format } = await bringIn({ text: jsonl(sdkEvents().slice(0, 12)) });
    expect(format).toBe('openhands');
    expect(sent).toEqual(whole);
  });

  test('after a condensation what the model sees is its view: the first events, the summary, the last ones', async () => {
    const { sent, entries, live } = await bringIn({ text: file });
    const [head, tail] = [whole.slice(0, 2), whole.slice(5)];
    expect(sent).toEqual([...head, 'user: Two things were looked at.', ...tail, 'assistant: On it.']);
    const compaction = entries.find(({ type }) => type === 'compaction');
    const third = entries.find((entry) => entry.type === 'message' && JSON.stringify(entry).includes('"three"'));
    expect(compaction).toMatchObject({ summary: 'Two things were looked at.', firstKeptId: third?.id });
    expect((await live.contextAt({ leaf: compaction?.parentId ?? null })).items).toHaveLength(whole.length);
  });

  test('a later condensation can forget the summary of an earlier one', async () => {
    const again = sdkEvent('p', 'Condensation', {
      forgotten_event_ids: ['m-summary', 'h', 'i', 'j', 'k'],
      summary: 'All of it.',
      summary_offset: 2,
    });
    const { sent } = await bringIn({ text: jsonl([...sdkEvents(), again]) });
    expect(sent).toEqual([...whole.slice(0, 2), 'user: All of it.', 'assistant: On it.']);
  });

  test('what people typed to reject a call is theirs; skills and errors are not', async () => {
    const { entries } = await bringIn({ text: file });
    const parts = entries.flatMap((entry) => (entry.type === 'message' ? entry.message.parts : []));
    const inner = parts.flatMap((part): readonly Part[] => (part.type === 'tool_result' ? part.content : [part]));
    const originOf = (text: string) => inner.find((part) => part.type === 'text' && part.text === text)?.origin;
    expect(['Never touch main.', 'Fix it.', 'A skill.', 'No such tool.', 'first', 'Both.'].map(originOf)).toEqual([
      ...['human', 'human', 'engine', 'engine', 'tool', 'model'],
    ]);
    expect(parts.find((part) => part.type === 'thinking')).toMatchObject({ signature: 'c2ln' });
  });

  test.each([
    ['a hook', { rejection_source: 'hook', rejection_reason: 'Not on main.' }],
    ['a click', { rejection_source: 'user', rejection_reason: 'User rejected the action' }],
  ])('a rejection by %s is nobody typing', async (_, more) => {
    const rejected = sdkEvent('b', 'UserRejectObservation', { tool_call_id: 'one', ...more });
    const { entries } = await bringIn({ text: jsonl([sdkAction('a', 'one'), rejected]) });
    expect(JSON.stringify(entries)).not.toContain('human');
  });

  test('nothing is lost: unknown kinds and requests are kept as notes, signals are counted', async () => {
    const { entries, warnings } = await bringIn({ text: file });
    expect(entries.find(({ type }) => type === 'unknown')).toMatchObject({
      kind: 'openhands:FutureEvent',
      value: { payload: { deep: 1 } },
    });
    expect(entries.find(({ type }) => type === 'custom')).toMatchObject({
      customType: 'openhands:CondensationRequest',
    });
    expect(warnings).toEqual([
      {
        code: 'left-out',
        message: 'Left out, since the model never saw them: signals between parts of the program (1).',
      },
    ]);
  });

  test('files put together without line feeds, and events that are there twice', async () => {
    const [first, ...rest] = sdkEvents();
    const joined = [first, first, ...rest].map((event) => JSON.stringify(event)).join('');
    const { sent, codes } = await bringIn({ text: joined });
    expect(sent).toEqual((await bringIn({ text: file })).sent);
    expect(codes).toContain('repeated-event');
  });

  test('a list of events is the same session', async () => {
    const { store, session } = await bringIn({ text: file });
    expect(await bringIn({ text: JSON.stringify(sdkEvents(), undefined, 1), store })).toMatchObject({
      session,
      added: 0,
    });
  });

  const say = (id: string, said: string, parent_id: string) =>
    sdkEvent(id, 'MessageEvent', {
      source: 'user',
      parent_id,
      llm_message: { role: 'user', content: [{ type: 'text', text: said }] },
    });

  test('a condensation removes what was sent at its position', async () => {
    const condensation = sdkEvent('d', 'Condensation', {
      parent_id: 'b',
      forgotten_event_ids: ['a'],
      summary: 'One.',
      summary_offset: 0,
    });
    const events = [say('a', 'one', '__root__'), say('b', 'two', 'a'), say('c', 'another two', 'a'), condensation];
    expect((await bringIn({ text: jsonl(events) })).sent).toEqual(['user: One.', 'user: two']);
  });

  test('an event may stand on a signal that came after an answer', async () => {
    const pause = sdkEvent('p', 'PauseEvent', { source: 'user', parent_id: 'a' });
    const result = sdkResult('b', 'one', 'done', { parent_id: 'p' });
    const { sent, codes } = await bringIn({ text: jsonl([sdkAction('a', 'one'), pause, result]) });
    expect(sent).toEqual(['assistant: terminal {"command":"one"}', 'tool: done']);
    expect(codes).toEqual(['left-out']);
  });

  test('branches: an event follows its parent', async () => {
    const pause = sdkEvent('p', 'PauseEvent', { source: 'user', parent_id: 'a' });
    const { sent, codes } = await bringIn({
      text: jsonl([say('a', 'one', '__root__'), say('b', 'two', 'a'), pause, say('c', 'another two', 'p')]),
    });
    expect(sent).toEqual(['user: one', 'user: another two']);
    expect(codes).toEqual(['left-out']);
    expect((await bringIn({ text: jsonl([say('a', 'one', 'lost')]) })).codes).toEqual(['missing-parent']);
  });

  test('a file that has grown by any number of events is the same session, and sends the same', async () => {
    const events = sdkEvents();
    const expected = (await bringIn({ text: file })).sent;
    for (let count = 1; count < events.length; count += 1) {
      const { store, session } = await bringIn({ text: jsonl(events.slice(0, count)) });
      const grown = await bringIn({ text: file, store });
      expect(grown.session).toBe(session);
      expect(grown.sent).toEqual(expected);
      expect(await store.list()).toHaveLength(1);
    }
  });

  test('OpenAI reasoning goes back to OpenAI, and a filtered signature is never sent', async () => {
    const item = { id: 'rs_1', summary: ['Short.'], encrypted_content: 'seal' };
    const sealed = (encrypted_content: string) =>
      jsonl([
        sdkAction('a', 'one', { responses_reasoning_item: { ...item, encrypted_content } }),
        sdkResult('b', 'one', ''),
      ]);
    const thinking = async (text: string) => {
      const { entries } = await bringIn({ text });
      return entries.flatMap((entry) => (entry.type === 'message' ? entry.message.parts : []))[0];
    };
    expect(await thinking(sealed('seal'))).toMatchObject({ type: 'thinking', encrypted: 'seal' });
    expect(await thinking(sealed('REDACTED'))).toEqual({ type: 'thinking', origin: 'model', text: 'Short.' });
  });
});

test('a file of events that harm was done to is read into a sound log or refused', async () => {
  await fc.assert(fc.asyncProperty(fc.oneof(harmed(sdkEvents()), torn(sdkEvents())), expectSound), runs(150));
});
