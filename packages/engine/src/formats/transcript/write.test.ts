import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { answered, said } from '../../session/fixtures/entries.ts';
import { begin, texts } from '../../session/fixtures/sessions.ts';
import { openSession } from '../../session/live/live-session.ts';
import type { Session } from '../../session/session.ts';
import { createMemoryStore } from '../../session/store/memory.ts';
import { runs } from '../../testing/runs.ts';
import { bringIn, takeOut } from '../fixtures/bring-in.ts';
import { createLiveTranscript } from './write.ts';

type Event = { type: string; id: string; parentId: string | null; data: JsonObject };

/** The lines of a session, as they would have been written one by one. */
async function linesOf(session: Session, known: readonly string[] = []) {
  const transcript = createLiveTranscript({ header: session.header, known });
  const entries = await session.read({ after: 0 });
  const text = entries.reduce(
    (all, entry, index) => all + transcript.take({ entry, next: entries[index + 1] }),
    transcript.begin(),
  );
  const events: Event[] =
    text === ''
      ? []
      : text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line));
  return { text, events, types: events.map(({ type }) => type), lines: transcript.lines };
}

const call = { type: 'tool_call', origin: 'model', id: 'toolu_1__vscode-7', name: 'ls', arguments: '{}' } as const;
const content = [{ type: 'text', origin: 'tool', text: 'a.txt' }] as const;
const result = { type: 'tool_result', origin: 'tool', callId: call.id, content } as const;

describe('editor.md 10.1: a live transcript', () => {
  test('has tool results and compactions in it, which chat never writes', async () => {
    const { session } = await begin();
    await session.append(said('List.'));
    await session.append({ type: 'message', message: { role: 'assistant', parts: [call] } });
    await session.append({ type: 'message', message: { role: 'tool', parts: [result] } });
    await session.compact({ summary: 'in short', firstKeptId: null, tokensBefore: 77, trigger: 'threshold' });
    const { events, types } = await linesOf(session);
    expect(types).toEqual([
      'session.start',
      'user.message',
      'assistant.turn_start',
      'assistant.message',
      'tool.execution_start',
      'tool.execution_complete',
      'assistant.turn_end',
      'session.compaction_start',
      'session.compaction_complete',
    ]);
    expect(events[5]?.data).toMatchObject({ success: true, result: { content: 'a.txt' } });
    expect(events[8]?.data).toMatchObject({ summaryContent: 'in short', preCompactionTokens: 77 });
  });

  test('gives a call one name, live or written later', async () => {
    const { session, store } = await begin();
    await session.append({ type: 'message', message: { role: 'assistant', parts: [call] } });
    await session.append({ type: 'message', message: { role: 'tool', parts: [result] } });
    const names = (events: readonly Event[]) =>
      events.flatMap(({ data }) => {
        const [request] = Array.isArray(data.toolRequests) ? (data.toolRequests as JsonObject[]) : [];
        return [data.toolCallId, request?.toolCallId].filter((name) => name !== undefined);
      });
    const live = names((await linesOf(session)).events);
    const { text } = await takeOut({ store, session: session.id, format: 'transcript' });
    const later = names(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
    expect(live).toHaveLength(3);
    expect(new Set([...live, ...later]).size).toBe(1);
  });

  test('is one chain, also where it was taken up again: chat begins a new one', async () => {
    const { session } = await begin();
    for (const text of ['a', 'b', 'c']) await session.append(said(text));
    const whole = await linesOf(session);
    expect(whole.events.map(({ parentId }) => parentId)).toEqual([
      null,
      ...whole.events.slice(0, -1).map(({ id }) => id),
    ]);
    const ids = whole.events.map(({ id }) => id);
    for (let known = 0; known <= ids.length; known += 1) {
      const rest = await linesOf(session, ids.slice(0, known));
      expect(rest.events).toEqual(whole.events.slice(known));
      expect(rest.lines).toBe(ids.length);
    }
    const others = await linesOf(session, ['x', 'y']);
    expect(others.events[0]?.parentId).toBe('y');
  });
});

describe('a live transcript', () => {
  test('records moves, so that an import has the same leaf', async () => {
    const { session } = await begin();
    const a = await session.append(said('a'));
    const b = await session.append(answered('b'));
    await session.append(said('c'));
    await session.rewind({ to: a.id });
    await session.append(answered('d'));
    await session.move({ to: b.id, summary: { text: 'we tried d' } });
    await session.append(said('e'));
    const { text, events } = await linesOf(session);
    const back = events.filter(({ type }) => type === 'session.snapshot_rewind');
    expect(back.map(({ data }) => data.eventsRemoved)).toEqual([4, 6]);
    const store = createMemoryStore();
    const { session: id } = await bringIn({ store, text });
    const imported = await openSession({ store, id });
    expect(texts(imported)).toEqual(texts(session));
    await session.move({ to: null });
    await session.append(said('again'));
    const later = createMemoryStore();
    const again = await bringIn({ store: later, text: (await linesOf(session)).text });
    expect(texts(await openSession({ store: later, id: again.session }))).toEqual(['again']);
  });

  test('has new names of the session, and tells what was taken back', async () => {
    const { session } = await begin();
    const a = await session.append(said('a'));
    await session.append({ type: 'session_info', info: { name: 'a name' } });
    await session.edit({ target: a.id, replacement: null });
    await session.undo();
    await session.redo();
    const { events } = await linesOf(session);
    expect(events.slice(2)).toMatchObject([
      { type: 'session.title_changed', data: { title: 'a name' } },
      { type: 'session.info', data: { infoType: 'undo' } },
      { type: 'session.info', data: { infoType: 'redo' } },
    ]);
  });

  test('has no line that changes, wherever the session goes', async () => {
    const act = fc.constantFrom('say', 'answer', 'compact', 'undo', 'redo', 'rewind', 'move', 'name');
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 25 }), fc.infiniteStream(fc.nat()), async (acts, numbers) => {
        const { session } = await begin();
        const next = () => numbers.next().value ?? 0;
        let before = (await linesOf(session)).text;
        for (const [index, name] of acts.entries()) {
          await step({ session, name, index, next });
          const { text } = await linesOf(session);
          expect(text.startsWith(before)).toBe(true);
          before = text;
        }
      }),
      runs(60),
    );
  });
});

async function step(of: { session: Session; name: string; index: number; next: () => number }): Promise<void> {
  const { session, name, index, next } = of;
  const path = (await session.path()).filter(({ type }) => type === 'message');
  const any = path[next() % Math.max(1, path.length)]?.id ?? null;
  if (name === 'say') await session.append(said(`${index}`));
  if (name === 'answer') await session.append(answered(`${index}`));
  if (name === 'compact') {
    await session.compact({ summary: `S${index}`, firstKeptId: null, tokensBefore: 1, trigger: 'manual' });
  }
  if (name === 'undo' || name === 'redo') await session[name]().catch(() => undefined);
  if (name === 'rewind') await session.rewind({ to: any });
  if (name === 'move') {
    const all = (await session.read({ types: ['message'] })).map(({ id }) => id);
    await session.move({ to: all[next() % Math.max(1, all.length)] ?? null, summary: { text: 'left' } });
  }
  if (name === 'name') await session.append({ type: 'session_info', info: { name: `n${index}` } });
}
