import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import {
  clientMade,
  compacted,
  event,
  item,
  line,
  message,
  oneTurn,
  sessionMeta,
  typed,
} from '../fixtures/codex-file.ts';
import { jsonl } from '../fixtures/pi-file.ts';

const read = (records: readonly JsonObject[]) => bringIn({ text: jsonl(records) });

const opaque = { type: 'compaction', encrypted_content: 'gAAAAABsummary' };

describe('a compaction with a list', () => {
  const history = [
    message('user', ['List the files.']),
    message('user', clientMade),
    message('user', ['A request that was cut sho…']),
    item(opaque),
  ];

  test('puts the list in the place of the history: entries where the log has them, messages otherwise', async () => {
    const { sent, entries, live } = await read([...oneTurn(), compacted(history), ...typed('And now?')]);
    expect(sent).toEqual([
      'system: You are Codex.',
      'user: List the files.',
      expect.stringContaining('# AGENTS.md instructions'),
      'user: A request that was cut sho…',
      'assistant: opaque',
      'user: And now?',
    ]);
    expect(live.context.items.map(({ isMade }) => isMade)).toEqual([false, false, false, true, true, false]);
    expect(live.context.items[3]?.message).toMatchObject({ parts: [{ origin: 'human' }] });
    expect(entries.filter(({ type }) => type === 'compaction')).toMatchObject([
      { summary: '', firstKeptId: null, tokensBefore: 135 },
    ]);
  });

  test('before it, the whole history is sent still', async () => {
    const { live, entries } = await read([...oneTurn(), compacted(history)]);
    const { parentId = null } = entries.find(({ type }) => type === 'compaction') ?? {};
    const before = await live.contextAt({ leaf: parentId });
    expect(before.items.map(({ message: { role } }) => role).slice(-2)).toEqual(['tool', 'assistant']);
    expect(before.items).toHaveLength(9);
  });

  test('is read with an encrypted summary', async () => {
    const spoilt = item({ type: 'compaction', encrypted_content: 'REDACTED' });
    const { sent, codes } = await read([...oneTurn(), compacted([message('user', ['List the files.']), spoilt])]);
    expect(sent).toEqual(['system: You are Codex.', 'user: List the files.']);
    expect(codes).toEqual(['left-out', 'redacted']);
  });

  test('again, keeps what the one before it kept', async () => {
    const list = [message('user', ['List the files.']), item(opaque)];
    const { sent } = await read([
      ...oneTurn(),
      compacted(list),
      ...typed('And now?'),
      message('assistant', ['Nothing.']),
      compacted([message('user', ['List the files.']), message('user', ['And now?']), item(opaque)], {
        window_id: 'w3',
      }),
    ]);
    expect(sent).toEqual(['system: You are Codex.', 'user: List the files.', 'user: And now?', 'assistant: opaque']);
  });

  test('may name items by their id', async () => {
    const entries = [
      { type: 'reference', item_id: 'msg_1' },
      { type: 'reference_v2', item_id: 'msg_9', source_digest: 'sha256' },
      { type: 'inline', item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Cut.' }] } },
      { type: 'inline', item: { type: 'ghost_snapshot' } },
    ];
    const { sent, warnings } = await read([
      sessionMeta(),
      message('user', ['one'], { id: 'msg_1' }),
      event('user_message', { message: 'one' }),
      message('assistant', ['two']),
      line('compacted', { message: '', replacement_history_entries: entries }),
    ]);
    expect(sent).toEqual(['system: You are Codex.', 'user: one', 'user: Cut.']);
    expect(warnings.filter(({ code }) => code === 'missing-item')).toMatchObject([
      { message: expect.stringContaining(' 1 items'), line: 5 },
    ]);
  });
});

describe('a compaction of an older version, which wrote its summary alone', () => {
  const summary = 'Another language model started to solve this problem and wrote: the file is a.txt.';

  test('keeps what was said to the model, and the summary as Codex sent it', async () => {
    const { sent, entries } = await read([...oneTurn(), line('compacted', { message: summary }), ...typed('Go on.')]);
    expect(sent).toEqual([
      'system: You are Codex.',
      'system: <permissions instructions>Ask first.</permissions instructions>',
      expect.stringContaining('# AGENTS.md instructions'),
      'user: List the files.',
      `user: ${summary}`,
      'user: Go on.',
    ]);
    expect(entries.find(({ type }) => type === 'compaction')).toMatchObject({ summary });
  });

  test('of the first ones, with the summary in words of ours; only the newest is sent', async () => {
    const { sent } = await read([
      sessionMeta(),
      ...typed('one'),
      line('compacted', { message: 'first summary' }),
      message('assistant', ['more']),
      line('compacted', { message: 'second summary' }),
    ]);
    expect(sent).toEqual(['system: You are Codex.', 'user: one', expect.stringContaining('second summary')]);
  });
});
