import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../session/store/memory.ts';
import type { Store } from '../../session/store/store.ts';
import { bringIn, inPieces, takeOut } from '../fixtures/bring-in.ts';
import { everyKind, jsonl, piEntry, user } from '../fixtures/pi-file.ts';
import { importSession } from './import.ts';

const file = jsonl(everyKind());
const longFile = jsonl([
  ...everyKind(),
  ...Array.from({ length: 3000 }, (_, index) =>
    piEntry((index + 0x100).toString(16), index === 0 ? '13' : (index + 0xff).toString(16), user(`message ${index}`)),
  ),
]);
const bytesOf = (text: string) => new TextEncoder().encode(text);
const open = (text: string) => () => inPieces({ bytes: bytesOf(text), chunk: 65_536 });

describe('the same file is the same session', () => {
  test('imported twice, it is there once', async () => {
    const first = await bringIn({ text: file });
    const again = await bringIn({ text: file, store: first.store });
    expect(again).toMatchObject({ session: first.session, added: 0 });
    expect(await first.store.list()).toHaveLength(1);
  });

  test('on another machine, at another time, it has the same ids', async () => {
    const [first, second] = [await bringIn({ text: file }), await bringIn({ text: file, chunk: 3 })];
    expect(second.entries).toEqual(first.entries);
  });

  test('after a kill half-way the second import makes it whole', async () => {
    const whole = await bringIn({ text: longFile });
    for (const batches of [0, 1, 2, 3]) {
      const store = createMemoryStore();
      await expect(importSession({ store: dyingAfter({ store, batches }), open: open(longFile) })).rejects.toThrow();
      const again = await bringIn({ text: longFile, store });
      expect(again.session).toBe(whole.session);
      expect(again.entries).toEqual(whole.entries);
      expect(await store.head(again.session)).toEqual(await whole.store.head(whole.session));
    }
  });

  test('the position of the store after each batch equals that of the log', async () => {
    const store = createMemoryStore();
    await expect(importSession({ store: dyingAfter({ store, batches: 1 }), open: open(longFile) })).rejects.toThrow();
    const [{ header } = { header: { id: '' } }] = await store.list();
    const entries = await store.read({ session: header.id, query: { after: 0 } });
    const last = entries.findLast(({ type }) => type === 'message');
    expect((await store.head(header.id)).leaf).toBe(last?.id);
  });

  test('a file that has grown adds what is new', async () => {
    const { store, session, entries } = await bringIn({ text: file });
    const grown = await bringIn({ text: longFile, store });
    expect(grown).toMatchObject({ session, added: 3000 });
    expect(grown.entries.slice(0, entries.length)).toEqual(entries);
  });

  test('a session that went on in the store is left alone', async () => {
    const { store, session, live } = await bringIn({ text: file });
    await live.append({ type: 'session_info', info: { name: 'mine' } });
    expect(await bringIn({ text: file, store })).toMatchObject({ session, added: 0 });
  });

  test('where the file and the session went different ways, the file becomes a session of its own', async () => {
    const { store, session, live } = await bringIn({ text: file });
    await live.append({ type: 'message', message: { role: 'user', parts: [] } });
    const other = await bringIn({ text: longFile, store });
    expect(other.session).not.toBe(session);
    expect(other.warnings[0]?.message).toContain(session);
    expect(await bringIn({ text: longFile, store })).toMatchObject({ session: other.session, added: 0 });
    expect(await store.list()).toHaveLength(2);
  });

  test('a name or a label that was given here does not keep a grown file out', async () => {
    const { store, session, live } = await bringIn({ text: file });
    await live.append({ type: 'session_info', info: { name: 'mine' } });
    const grown = await bringIn({ text: longFile, store });
    expect(grown.session).toBe(session);
    expect(grown.sent).toEqual((await bringIn({ text: longFile })).sent);
    await grown.live.append({ type: 'label', target: grown.live.head.leaf ?? '', label: 'here' });
    expect(await bringIn({ text: longFile, store })).toMatchObject({ session, added: 0 });
    expect(await store.list()).toHaveLength(1);
  });

  test('two imports at the same time bring it in once', async () => {
    const store = createMemoryStore();
    const both = await Promise.all([1, 2].map(() => importSession({ store, open: open(longFile) })));
    expect(new Set(both.map(({ session }) => session)).size).toBe(1);
    const [{ count } = { count: 0 }] = await store.list();
    expect(both.reduce((sum, { added }) => sum + added, 0)).toBe(count);
    expect(count).toBe((await bringIn({ text: longFile })).entries.length);
  });
});

test('an import that is called off leaves nothing behind', async () => {
  const store = createMemoryStore();
  const stop = new AbortController();
  const onProgress = () => stop.abort();
  await expect(importSession({ store, open: open(longFile), onProgress, signal: stop.signal })).rejects.toThrow(
    'abort',
  );
  expect(await store.list()).toEqual([]);
});

describe('an answer that the file may still say more of', () => {
  /** A log of ours that ends with an answer and a note on it. */
  const ending = async ({ unfinished }: { unfinished: boolean }) => {
    const { store, session } = await bringIn({ text: jsonl([...everyKind().slice(0, 7), ...everyKind().slice(8, 9)]) });
    const { text } = await takeOut({ store, session, format: 'longhaul' });
    return unfinished
      ? text.replace('"Two files."', '"Two fi"').replace(/(Two fi.*)\}/, '$1,"details":{"unfinished":true}}')
      : text;
  };
  const take = async ({ store, text, leave }: { store: Store; text: string; leave: boolean }) =>
    await importSession({ store, open: open(text), leaveUnfinished: leave });

  test('is left for the next import with what follows it, where that is asked', async () => {
    const store = createMemoryStore();
    const text = await ending({ unfinished: false });
    const first = await take({ store, text: await ending({ unfinished: true }), leave: true });
    const whole = await bringIn({ text });
    expect(first).toMatchObject({ hasLeft: true, added: whole.entries.length - 3 });
    expect(await take({ store, text, leave: true })).not.toHaveProperty('hasLeft');
    expect(await store.read({ session: first.session, query: { after: 0 } })).toEqual(whole.entries);
  });

  test('is taken unchanged otherwise', async () => {
    const store = createMemoryStore();
    const taken = await take({ store, text: await ending({ unfinished: true }), leave: false });
    const whole = await bringIn({ text: await ending({ unfinished: false }) });
    expect(taken).toMatchObject({ added: whole.entries.length });
    expect(taken).not.toHaveProperty('hasLeft');
  });
});

describe('plain messages', () => {
  const anthropic = {
    system: 'Be brief.',
    tools: [{ name: 'ls', input_schema: { type: 'object' } }],
    messages: [
      { role: 'user', content: 'list' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'ls', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'a.txt' }] },
    ],
  };
  const chat = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'Hello.' },
  ];

  test('a request body of Anthropic, with its tools', async () => {
    const { format, sent, live } = await bringIn({ text: JSON.stringify(anthropic, undefined, 2) });
    expect(format).toBe('anthropic');
    expect(sent).toEqual(['system: Be brief.', 'user: list', 'assistant: ls {}', 'tool: a.txt']);
    expect(live.header.details).toMatchObject({ tools: [{ name: 'ls' }] });
  });

  test.each([
    ['a list', JSON.stringify(chat)],
    ['a message a line', jsonl(chat)],
    ['a message a line, the last one torn', `${jsonl(chat)}{"role":"us`],
  ])('OpenAI chat as %s', async (_, text) => {
    const { format, sent } = await bringIn({ text });
    expect(format).toBe('openai-chat');
    expect(sent).toEqual(['system: Be brief.', 'user: hi', 'assistant: Hello.']);
  });

  test('are the same session when imported again, though they have no time of their own', async () => {
    const store = createMemoryStore();
    const at = (now: number) => importSession({ store, open: open(JSON.stringify(chat)), now: () => now });
    const { session } = await at(1000);
    expect(await at(2000)).toMatchObject({ session, added: 0 });
  });

  test('texts alone are read as the dialect that is asked for', async () => {
    const text = JSON.stringify(chat.slice(1));
    expect((await bringIn({ text })).format).toBe('openai-chat');
    expect((await bringIn({ text, format: 'anthropic' })).format).toBe('anthropic');
  });
});

describe('lines of our own', () => {
  test('give the same session again: ids, handles, place, header', async () => {
    const { store, session, entries, live } = await bringIn({ text: file });
    await live.undo();
    const { text } = await takeOut({ store, session, format: 'longhaul' });
    const again = await bringIn({ text });
    expect(again).toMatchObject({ session, format: 'longhaul', codes: [] });
    expect(again.entries.slice(0, -1)).toEqual(entries);
    expect(await again.store.head(session)).toEqual(await store.head(session));
    expect(again.live.header).toEqual(live.header);
    expect((await takeOut({ ...again, format: 'longhaul' })).text).toBe(text);
  });

  test('that were cut at the end of a line are distinguished from whole ones', async () => {
    const { store, session } = await bringIn({ text: file });
    const { text } = await takeOut({ store, session, format: 'longhaul' });
    const cut = `${text.split('\n').slice(0, 10).join('\n')}\n`;
    const again = await bringIn({ text: cut });
    expect(again.codes).toEqual(['entries-missing']);
    expect(again.warnings[0]?.message).toBe('The header speaks of 26 entries; 17 are missing.');
  });

  test('with an entry of a kind that is not known keep it whole', async () => {
    const { store, session } = await bringIn({ text: file });
    const { text } = await takeOut({ store, session, format: 'longhaul' });
    const foreign = text.replace('"type":"pi:ttsr_injection"', '"type":"from_the_future"');
    const again = await bringIn({ text: foreign });
    expect((await takeOut({ ...again, format: 'longhaul' })).text).toBe(foreign);
  });

  test('with entries that are none leave them out, say so, and close the gaps', async () => {
    const { store, session, entries } = await bringIn({ text: file });
    const { text } = await takeOut({ store, session, format: 'longhaul' });
    for (const missing of entries) {
      const lines = text.split('\n');
      lines[missing.handle] = (lines[missing.handle] ?? '').replace('"v":1', '"v":"one"');
      const again = await bringIn({ text: lines.join('\n') });
      expect(again.codes).toContain('bad-entry');
      expect(again.codes).toContain('entries-missing');
      expect(again.entries.length).toBeGreaterThan(entries.length - 3);
      expect(await again.live.tree()).toMatchObject({ problems: [] });
    }
  });

  test('whose id would be a path become a session under an id of ours', async () => {
    const header = { type: 'session', format: 'longhaul', v: 1, id: '../../etc/passwd', createdAt: 1 };
    const { session } = await bringIn({ text: jsonl([header]) });
    expect(session).toMatch(/^[0-9a-f-]{36}$/);
  });
});

/** A store whose writer dies when it is about to append for the time after `batches`. */
function dyingAfter({ store, batches }: { readonly store: Store; readonly batches: number }): Store {
  let left = batches;
  return {
    ...store,
    append: async (input) => {
      if (left === 0) throw new Error('killed');
      left -= 1;
      return await store.append(input);
    },
  };
}
