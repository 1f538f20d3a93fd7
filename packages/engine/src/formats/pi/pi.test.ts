import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { check } from '../../message/index.ts';
import { runs } from '../../testing/runs.ts';
import { bringIn, takeOut } from '../fixtures/bring-in.ts';
import { expectSound, harmed, torn } from '../fixtures/harm.ts';
import { assistant, everyKind, jsonl, piEntry, piHeader, user } from '../fixtures/pi-file.ts';

const read = (records: readonly JsonObject[]) => bringIn({ text: jsonl(records) });

describe('every kind of entry', () => {
  test('has its place in the log, and none is a surprise', async () => {
    const { entries, codes, format } = await read(everyKind());
    expect({ format, codes }).toEqual({ format: 'pi', codes: [] });
    expect(entries.map(({ type }) => type)).toEqual([
      'model_change',
      'thinking_change',
      'message',
      'message',
      'usage',
      'message',
      'message',
      'usage',
      'label',
      'session_info',
      'custom',
      'custom_message',
      'message',
      'custom',
      'message',
      'usage',
      'compaction',
      'epoch',
      'message',
      'usage',
      'context_edit',
      'epoch',
      'leaf',
      'branch_summary',
      'message',
      'unknown',
    ]);
  });

  test('is sent as pi sends it, on each branch', async () => {
    const { sent, live, entries } = await read(everyKind());
    expect(sent).toEqual([
      'user: List the files.',
      'assistant: thinking | Looking. | bash {"command":"ls"}',
      'tool: a.txt\nb.txt+image',
      'assistant: Two files.',
      expect.stringContaining('<summary>\nIt was made over there.\n</summary>'),
      'user: Another way.',
    ]);
    const moved = entries.find(({ type }) => type === 'leaf');
    const other = await live.contextAt({ leaf: moved?.parentId ?? null });
    expect(
      other.items.map(({ message }) => message.parts.map((part) => (part.type === 'text' ? part.text : ''))),
    ).toEqual([
      [expect.stringContaining('<summary>\nFiles were listed and made.\n</summary>')],
      ['Ran `make`', '```\nok\n```', 'Command exited with code 2'],
      ['M.'],
      ['And now?'],
    ]);
  });

  test('comes back: a file made from the log is the same session again', async () => {
    const { store, session, entries } = await read(everyKind());
    const { text, codes } = await takeOut({ store, session, format: 'pi' });
    expect(codes).toEqual([]);
    const again = await bringIn({ text });
    expect(again.entries).toEqual(entries);
    expect(again.session).toBe(session);
    expect((await takeOut({ ...again, format: 'pi' })).text).toBe(text);
  });

  test('a typed command is the human’s, its output the tool’s; with !! the model does not see it', async () => {
    const { entries, sent } = await read(everyKind());
    const shell = entries.find(
      (entry) => entry.type === 'message' && entry.message.parts.length === 3 && entry.handle > 10,
    );
    expect(shell).toMatchObject({
      message: { parts: [{ origin: 'human' }, { origin: 'tool' }, { origin: 'engine' }] },
    });
    expect(sent.join()).not.toContain('hidden');
  });

  test('what is sent is legal for the provider it was said to', async () => {
    const { live } = await read(everyKind());
    expect(
      check(
        live.context.items.map(({ message }) => message),
        'anthropic',
      ),
    ).toEqual([]);
  });
});

describe('older versions', () => {
  test('version 1 has no ids, and counts what it keeps by place in the file', async () => {
    const { version: _, ...header } = piHeader;
    const line = (fields: JsonObject) => ({ timestamp: '2026-01-02T03:04:05.000Z', ...fields });
    const { sent } = await read([
      { ...header, provider: 'anthropic', modelId: 'm' },
      line(user('one')),
      line(assistant('two')),
      line(user('three')),
      line({ type: 'compaction', summary: 'one and two', firstKeptEntryIndex: 3, tokensBefore: 9 }),
      line(assistant('four')),
    ]);
    expect(sent).toEqual([expect.stringContaining('one and two'), 'user: three', 'assistant: four']);
  });

  test('version 1 that keeps from the header on keeps nothing', async () => {
    const { version: _, ...header } = piHeader;
    const { sent } = await read([
      header,
      { timestamp: '2026-01-02T03:04:05.000Z', ...user('one') },
      {
        timestamp: '2026-01-02T03:04:06.000Z',
        type: 'compaction',
        summary: 's',
        firstKeptEntryIndex: 0,
        tokensBefore: 9,
      },
    ]);
    expect(sent).toEqual([expect.stringContaining('<summary>\ns\n</summary>')]);
  });

  test('version 2 calls a custom message a hook message', async () => {
    const hook = { role: 'hookMessage', customType: 'lint', content: 'Two warnings.', display: true };
    const { sent } = await read([{ ...piHeader, version: 2 }, piEntry('01', null, { type: 'message', message: hook })]);
    expect(sent).toEqual(['user: Two warnings.']);
  });

  test('oh-my-pi writes the model in one word', async () => {
    const { entries } = await read([
      piHeader,
      piEntry('01', null, { type: 'model_change', model: 'openrouter/z-ai/glm' }),
    ]);
    expect(entries[0]).toMatchObject({ model: { provider: 'openrouter', name: 'z-ai/glm' } });
  });
});

describe('defects of pi, repaired', () => {
  const talk = [
    piEntry('01', null, user('one')),
    piEntry('02', '01', assistant('two')),
    piEntry('03', '02', user('three')),
  ];

  test('#9930 a rename by a stale client hides the transcript', async () => {
    const { sent, live } = await read([piHeader, ...talk, piEntry('04', '01', { type: 'session_info', name: 'late' })]);
    expect(sent).toEqual(['user: one', 'assistant: two', 'user: three']);
    expect((await live.read({ types: ['session_info'] }))[0]).toMatchObject({ info: { name: 'late' } });
  });

  test('#1672 forks repeat the header', async () => {
    const { sent, codes } = await read([
      piHeader,
      ...talk,
      { ...piHeader, id: 'other' },
      piEntry('04', '03', user('four')),
    ]);
    expect(sent).toHaveLength(4);
    expect(codes).toEqual(['second-header']);
  });

  test('#8990 forks lose the boundary of a compaction that keeps from a label on', async () => {
    const { sent } = await read([
      piHeader,
      ...talk.slice(0, 2),
      piEntry('0a', '02', { type: 'label', targetId: '01', label: 'x' }),
      piEntry('03', '0a', user('three')),
      piEntry('04', '03', { type: 'compaction', summary: 's', firstKeptEntryId: '0a', tokensBefore: 1 }),
    ]);
    expect(sent).toEqual([expect.stringContaining('<summary>'), 'user: three']);
  });

  test('a fork that dropped a label leaves its child without a parent', async () => {
    const { sent, codes } = await read([piHeader, ...talk.slice(0, 2), piEntry('03', 'gone', user('three'))]);
    expect(sent).toEqual(['user: one', 'assistant: two', 'user: three']);
    expect(codes).toEqual(['missing-parent']);
  });

  test('an entry that is its own parent, and a loop, end', async () => {
    const { sent, codes } = await read([
      piHeader,
      piEntry('01', '01', user('one')),
      piEntry('02', '03', user('two')),
      piEntry('03', '02', user('three')),
    ]);
    expect(sent).toEqual(['user: one', 'user: two', 'user: three']);
    expect(codes).toEqual(['missing-parent', 'missing-parent']);
  });

  test('a compaction whose first kept entry is unknown keeps nothing before it', async () => {
    const { sent } = await read([
      piHeader,
      ...talk,
      piEntry('04', '03', { type: 'compaction', summary: 's', firstKeptEntryId: 'no', tokensBefore: 1 }),
      piEntry('05', '04', user('five')),
    ]);
    expect(sent).toEqual([expect.stringContaining('<summary>'), 'user: five']);
  });

  test('#2608 what a compaction kept is not lost by the next', async () => {
    const { sent } = await read([
      piHeader,
      ...talk,
      piEntry('04', '03', { type: 'compaction', summary: 'first', firstKeptEntryId: '02', tokensBefore: 1 }),
      piEntry('05', '04', user('five')),
      piEntry('06', '05', { type: 'compaction', summary: 'second', firstKeptEntryId: '03', tokensBefore: 1 }),
    ]);
    expect(sent).toEqual([expect.stringContaining('second'), 'user: three', 'user: five']);
  });

  test('#11227 an omitted answer stays out of a later compaction’s kept range', async () => {
    const { sent } = await read([
      piHeader,
      ...talk,
      piEntry('04', '03', { type: 'context_edit', targetId: '02', replacement: null }),
      piEntry('05', '04', { type: 'compaction', summary: 's', firstKeptEntryId: '01', tokensBefore: 1 }),
    ]);
    expect(sent).toEqual([expect.stringContaining('<summary>'), 'user: one', 'user: three']);
  });

  test('missing content is none', async () => {
    const { sent } = await read([
      piHeader,
      piEntry('01', null, { type: 'message', message: { role: 'user', content: null } }),
    ]);
    expect(sent).toEqual(['user: ']);
  });

  test('several roots are legal', async () => {
    const { sent, live } = await read([piHeader, ...talk, piEntry('04', null, user('anew'))]);
    expect(sent).toEqual(['user: anew']);
    expect((await live.read({ types: ['leaf'] }))[0]).toMatchObject({ target: null });
  });
});

describe('signatures go where they came from', () => {
  const signed = (api: string, thinkingSignature: string) =>
    read([
      piHeader,
      piEntry('01', null, assistant('', { api, content: [{ type: 'thinking', thinking: 't', thinkingSignature }] })),
    ]);

  test.each([
    ['anthropic-messages', 'c2ln', { signature: 'c2ln', wire: { dialect: 'anthropic' } }],
    ['google-vertex', 'c2ln', { signature: 'c2ln', wire: { dialect: 'gemini' } }],
    ['openai-completions', 'reasoning_content', { wire: { dialect: 'openai-chat', form: 'reasoning_content' } }],
    [
      'openai-responses',
      '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"}',
      { encrypted: 'x', wire: { dialect: 'openai-responses' } },
    ],
  ])('%s', async (api, signature, part) => {
    const { entries, store, session } = await signed(api, signature);
    expect(entries[0]).toMatchObject({ message: { parts: [part] } });
    const { text } = await takeOut({ store, session, format: 'pi' });
    expect(text).toContain(JSON.stringify(signature));
  });
});

test('a file that harm was done to is read into a sound log or refused', async () => {
  const file = everyKind();
  await fc.assert(fc.asyncProperty(fc.oneof(harmed(file), torn(file)), expectSound), runs(200));
});
