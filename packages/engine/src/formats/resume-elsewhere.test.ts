import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject, parseJson } from '../json.ts';
import { answered, said } from '../session/fixtures/entries.ts';
import { operations, perform } from '../session/fixtures/operations.ts';
import { begin, tools } from '../session/fixtures/sessions.ts';
import { createSession } from '../session/live/live-session.ts';
import { createMemoryStore } from '../session/store/memory.ts';
import { runs } from '../testing/runs.ts';
import { bringIn, takeOut } from './fixtures/bring-in.ts';

/** Formats of other agents that a session is exported to as one file. */
const formats = ['claude-code', 'codex', 'gemini-cli', 'opencode'] as const;

/** A session with a call and its result, of which the first exchange was summarized. */
async function compactedSession() {
  const { store, session } = await begin();
  await session.append({ type: 'message', message: { role: 'system', parts: [text('engine', 'Our own prompt.')] } });
  await session.append(said('First request, of which only the summary is sent.'));
  await session.append(answered('First answer.'));
  const kept = await session.append(said('Second request.'));
  await session.append({
    type: 'message',
    message: {
      role: 'assistant',
      parts: [
        {
          type: 'thinking',
          origin: 'model',
          text: 'Private reasoning.',
          signature: 'c2ln',
          wire: { dialect: 'anthropic' },
        },
        text('model', 'Looking.'),
        { type: 'tool_call', origin: 'model', id: 'call_1', name: 'read', arguments: '{"path":"a.txt"}' },
      ],
    },
    by: { provider: 'anthropic', name: 'claude-sonnet-4-5' },
  });
  await session.append({
    type: 'message',
    message: {
      role: 'tool',
      parts: [
        {
          type: 'tool_result',
          origin: 'tool',
          callId: 'call_1',
          name: 'read',
          content: [text('tool', 'Content of a.')],
        },
      ],
    },
  });
  await session.compact({
    summary: 'What was done so far.',
    firstKeptId: kept.id,
    tokensBefore: 900,
    trigger: 'manual',
  });
  await session.append(answered('Second answer.'));
  return { store, session };
}

function text(origin: 'engine' | 'model' | 'tool', value: string) {
  return { type: 'text', origin, text: value } as const;
}

describe.each(formats)('a session exported to %s', (format) => {
  test('contains everything that was said, and sends the summary and what it kept', async () => {
    const { store, session } = await compactedSession();
    const written = await takeOut({ store, session: session.id, format });
    expect(written.text).toContain('First request, of which only the summary is sent.');
    const again = await bringIn({ text: written.text, format });
    const words = again.sent.join('\n');
    for (const kept of [
      'What was done so far.',
      'Second request.',
      'Looking.',
      'a.txt',
      'Content of a.',
      'Second answer.',
    ])
      expect(words).toContain(kept);
    expect(words).not.toMatch(/First request|First answer|Our own prompt/);
  });

  test('lists what it has no place for', async () => {
    const { store, session } = await compactedSession();
    const { codes, text: all } = await takeOut({ store, session: session.id, format });
    expect(codes).toEqual(['left-out']);
    expect(all).not.toContain('Private reasoning.');
  });

  test('is the same file after it was imported and exported again', async () => {
    const { store, session } = await compactedSession();
    const first = await bringIn({ text: (await takeOut({ store, session: session.id, format })).text, format });
    const second = await bringIn({ text: (await takeOut({ ...first, format })).text, format });
    expect(second.sent).toEqual(first.sent);
    expect(second.entries.map(({ type }) => type)).toEqual(first.entries.map(({ type }) => type));
    expect((await takeOut({ ...second, format })).text).toBe((await takeOut({ ...first, format })).text);
  });

  test('can be written whatever happened to the session', async () => {
    await fc.assert(
      fc.asyncProperty(operations, async (list) => {
        const store = createMemoryStore();
        const id = '01a00000-0000-7000-8000-000000000001';
        const session = await createSession({ store, header: { id }, ...tools() });
        for (const operation of list) await perform({ session, operation });
        await session.append(said('Something to go on with.'));
        const written = await takeOut({ store, session: id, format });
        const once = await bringIn({ text: written.text, format });
        expect((await takeOut({ ...once, format })).codes.filter((code) => code !== 'left-out')).toEqual([]);
      }),
      runs(30),
    );
  });
});

describe('a session exported to openhands', () => {
  test('starts with a system prompt, pairs calls with observations, and forgets what the summary replaced', async () => {
    const { store, session } = await compactedSession();
    const { text: all } = await takeOut({ store, session: session.id, format: 'openhands' });
    const events = all.trimEnd().split('\n').map(parseJson).filter(isObject);
    expect(events.map(({ kind }) => kind)).toEqual([
      'SystemPromptEvent',
      'MessageEvent',
      'MessageEvent',
      'MessageEvent',
      'ActionEvent',
      'ObservationEvent',
      'MessageEvent',
      'Condensation',
    ]);
    expect(events[5]).toMatchObject({ action_id: events[4]?.id, tool_call_id: 'call_1' });
    expect(events[7]).toMatchObject({ forgotten_event_ids: [events[1]?.id, events[2]?.id], summary_offset: 1 });
  });
});
