import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '../../json.ts';
import type { Entry } from '../../session/entry/entry.ts';
import { createMemoryStore } from '../../session/store/memory.ts';
import { runs } from '../../testing/runs.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { expectSound, harmed, torn } from '../fixtures/harm.ts';
import {
  answered,
  asked,
  clock,
  compaction,
  exported,
  prunedTool,
  type StoredMessage,
  said,
  summed,
  talk,
  text,
  tool,
} from '../fixtures/opencode-session.ts';

const read = (messages: readonly StoredMessage[], more: JsonObject = {}) => bringIn({ text: exported(messages, more) });
const messagesOf = (entries: readonly Entry[]) => entries.flatMap((entry) => (entry.type === 'message' ? [entry] : []));

describe('a compaction', () => {
  const after = [
    asked('u8', text('Continue if you have next steps.', { synthetic: true })),
    answered('a9', [text('On.')]),
  ];

  test('is the question and the summary, as opencode sends them, and nothing of before', async () => {
    const { sent, entries } = await read([...talk, compaction('u6'), summed('a7', 'u6', 'One was read.'), ...after]);
    expect(sent).toEqual([
      'user: What did we do so far?',
      'assistant: One was read.',
      'user: Continue if you have next steps.',
      'assistant: On.',
    ]);
    const at = entries.findIndex(({ type }) => type === 'compaction');
    expect(entries.slice(at, at + 3)).toMatchObject([
      {
        summary: 'One was read.',
        firstKeptId: null,
        tokensBefore: 135,
        trigger: 'auto',
        details: { opencode: { id: 'a7' } },
      },
      { type: 'epoch', reason: 'compaction' },
      { type: 'usage', purpose: 'compaction' },
    ]);
  });

  test('keeps the tail that it names, behind the summary', async () => {
    const messages = [
      ...talk,
      compaction('u6', { tail_start_id: 'a3', auto: false }),
      summed('a7', 'u6', 'One was read.'),
      ...after,
    ];
    const { sent, entries } = await read(messages);
    expect(sent.slice(0, 3)).toEqual(['user: What did we do so far?', 'assistant: One was read.', 'assistant: Read.']);
    const kept = messagesOf(entries)[3];
    expect(entries.find(({ type }) => type === 'compaction')).toMatchObject({
      firstKeptId: kept?.id,
      trigger: 'manual',
    });
  });

  test('a tail that goes back behind an earlier one has the earlier summary in it, as in opencode', async () => {
    const { sent } = await read([
      ...talk,
      compaction('u6', { tail_start_id: 'a3' }),
      summed('a7', 'u6', 'One was read.'),
      asked('u8', text('More.')),
      compaction('u10', { tail_start_id: 'a3' }),
      summed('a11', 'u10', 'And more.'),
    ]);
    expect(sent).toEqual([
      'user: What did we do so far?',
      'assistant: And more.',
      'assistant: Read.',
      'user: What did we do so far?',
      'assistant: One was read.',
      'user: More.',
    ]);
  });

  test('a tail that is not there is no tail, and is said', async () => {
    const { sent, codes } = await read([
      ...talk,
      compaction('u6', { tail_start_id: 'gone' }),
      summed('a7', 'u6', 'Read.'),
    ]);
    expect(sent).toHaveLength(2);
    expect(codes).toContain('missing-parent');
  });

  test('that failed is none', async () => {
    const error = { name: 'ContextOverflowError', data: { message: 'too large to compact' } };
    const { sent, entries } = await read([...talk, compaction('u6'), summed('a7', 'u6', '', { error }), ...after]);
    expect(sent).toEqual([
      ...said,
      'user: What did we do so far?',
      'user: Continue if you have next steps.',
      'assistant: On.',
    ]);
    expect(entries.map(({ type }) => type)).not.toContain('compaction');
  });

  test('of an old version is a summary without a question', async () => {
    const { sent } = await read([...talk, summed('a7', 'u6', 'One was read.', { finish: undefined }), ...after]);
    expect(sent[0]).toBe('assistant: One was read.');
  });
});

describe('an output that was pruned', () => {
  const messages = [
    asked('u1', text('Read both.')),
    answered('a2', [prunedTool('a', 'one', 5), prunedTool('b', 'two', 5), tool('c', 'three')]),
    asked('u8', text('And now?')),
    answered('a9', [text('Now.')]),
  ];
  const notice = 'tool: [Old tool result content cleared]';

  test('is in the log, and was sent until then', async () => {
    const { sent, entries, live } = await read(messages);
    expect(sent.slice(2)).toEqual([notice, notice, 'tool: three', 'user: And now?', 'assistant: Now.']);
    const at = entries.findIndex(({ type }) => type === 'prune');
    const [, , one, two] = messagesOf(entries);
    expect(entries.slice(at, at + 2)).toMatchObject([
      { at: clock(5), targets: [{ entry: one?.id }, { entry: two?.id }] },
      { type: 'epoch', reason: 'prune' },
    ]);
    const before = await live.contextAt({ leaf: entries[at]?.parentId ?? null });
    expect(JSON.stringify(before.items)).toContain('"two"');
  });

  test('stays pruned in the tail of a compaction; one that a summary has replaced says nothing', async () => {
    const kept = await read([...messages, compaction('u10', { tail_start_id: 'a2' }), summed('a11', 'u10', 'Read.')]);
    expect(kept.sent.slice(2, 6)).toEqual([expect.stringContaining('assistant: read'), notice, notice, 'tool: three']);
    const gone = await read([
      ...messages.slice(0, 2),
      compaction('u3'),
      summed('a4', 'u3', 'Read.'),
      ...messages.slice(2),
    ]);
    expect(gone.entries.map(({ type }) => type)).not.toContain('prune');
  });

  test('by the next import is a prune at its end, not another session', async () => {
    const store = createMemoryStore();
    const fresh = [
      asked('u1', text('Read both.')),
      answered('a2', [tool('a', 'one'), tool('b', 'two'), tool('c', 'three')]),
    ];
    const { session } = await bringIn({ text: exported(fresh), store });
    const pruned = await bringIn({ text: exported(messages.slice(0, 2)), store });
    const grown = await bringIn({ text: exported(messages), store });
    expect([pruned.session, grown.session]).toEqual([session, session]);
    expect(pruned.sent.slice(2, 4)).toEqual([notice, notice]);
    expect(grown.sent).toEqual((await read(messages)).sent);
  });
});

describe('going back', () => {
  test('to a message leaves what follows it where it is, and ends before it', async () => {
    const { sent, entries } = await read(
      [...talk, asked('u4', text('Wrong.')), answered('a5', [text('Wrong it is.')])],
      {
        revert: { messageID: 'u4', snapshot: 'a1' },
      },
    );
    expect(sent).toEqual(said);
    expect(entries.find(({ type }) => type === 'leaf')).toMatchObject({ reason: 'rewind' });
    expect(JSON.stringify(entries)).toContain('Wrong it is.');
  });

  test('into an answer leaves what is before the position', async () => {
    const { sent } = await read(talk, { revert: { messageID: 'a2', partID: 'prt_a2_002' } });
    expect(sent).toEqual(['user: Read one.', 'assistant: Reading.']);
  });

  test('over a compaction brings back what it had replaced', async () => {
    const { sent } = await read([...talk, compaction('u6'), summed('a7', 'u6', 'Read.')], {
      revert: { messageID: 'u6' },
    });
    expect(sent).toEqual(said);
  });

  test('to a message that is not there is nothing', async () => {
    expect((await read(talk, { revert: { messageID: 'gone' } })).sent).toEqual(said);
  });
});

test('the first prompt of a sub-agent was written by a model, later ones by their authors', async () => {
  const { entries } = await read([...talk, asked('u4', text('And two?'))], { parentID: 'ses_other' });
  const users = messagesOf(entries).filter(({ message }) => message.role === 'user');
  expect(users.flatMap(({ message }) => message.parts.map(({ origin }) => origin))).toEqual(['model', 'human']);
});

describe('a session that goes on', () => {
  /** An answer as it is while it is written. */
  const running = ({ info, parts }: StoredMessage): StoredMessage => {
    if (info.role !== 'assistant') return { info, parts };
    const created = isObject(info.time) ? info.time.created : undefined;
    return { info: { ...info, time: { created }, finish: undefined }, parts: parts.slice(0, 2) };
  };
  const messages = [
    ...talk,
    compaction('u6', { tail_start_id: 'a3' }),
    summed('a7', 'u6', 'One was read.'),
    asked('u8', text('More.')),
    answered('a9', [text('Reading.'), prunedTool('call_9', 'two', 10)]),
    asked('u11', text('And more.')),
    answered('a12', [text('That is all.')]),
  ];

  test('is the same session, however much of it was there before', async () => {
    const whole = await read(messages);
    for (let length = 1; length <= messages.length; length += 1) {
      for (const last of [(reported: StoredMessage) => reported, running]) {
        const store = createMemoryStore();
        const some = messages.slice(0, length);
        await bringIn({ text: exported([...some.slice(0, -1), ...some.slice(-1).map(last)]), store });
        const { session, sent, codes } = await bringIn({ text: exported(messages), store });
        expect({ session, sent, codes }).toEqual({ session: whole.session, sent: whole.sent, codes: whole.codes });
      }
    }
  });
});

test('a part whose type is an object with a member toString is kept, and does not end the import', async () => {
  const part = { id: 'p1', messageID: 'a2', type: { toString: '' } };
  const file = [JSON.parse(exported([...talk, answered('a9', [part, text('More.')])]))];
  await expectSound(JSON.stringify(file[0]));
});

describe('an export that harm was done to', () => {
  const messages = [
    ...talk,
    compaction('u6', { tail_start_id: 'a3' }),
    summed('a7', 'u6', 'One was read.'),
    answered('a9', [prunedTool('call_9', 'two', 10)]),
    asked('u11', text('More.')),
  ];

  test.each([{}, { revert: { messageID: 'a2' } }, { revert: { messageID: 'u6' } }])(
    'is read into a sound log or refused: %j',
    async (more) => {
      const file = [JSON.parse(exported(messages, more))];
      await fc.assert(fc.asyncProperty(fc.oneof(harmed(file), torn(file)), expectSound), runs(60));
    },
  );
});
