import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { runs } from '../../testing/runs.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { answer, call, geminiHeader, longTalk, person, ran, record, response } from '../fixtures/gemini-file.ts';
import { expectGrown, expectSound, harmed, torn } from '../fixtures/harm.ts';
import { jsonl } from '../fixtures/pi-file.ts';

const lines = (records: readonly JsonObject[]) => bringIn({ text: jsonl([geminiHeader, ...records]) });
const checkpoint = (messages: readonly JsonObject[]): JsonObject => ({ $set: { messages } });

const context = person('c0', '<session_context>\nLinux\n</session_context>');
const snapshot = '<state_snapshot>\n<overall_goal>Read files.</overall_goal>\n</state_snapshot>';
const thanks = 'Got it. Thanks for the additional context!';

/** Two files are read, then something else is asked. */
const talk = [
  checkpoint([context]),
  person('u1', 'Read one.'),
  ...ran('g2', 'Reading.', [call('call_2', 'one one one')]),
  person('u3', 'Read two.'),
  ...ran('g4', '', [call('call_4', 'two two two')]),
  answer('g5', 'Read.'),
  person('u6', 'Sum up.'),
];
const said = [
  'user: <session_context>\nLinux\n</session_context>',
  'user: Read one.',
  'assistant: Reading. | read_file {"file_path":"call_2"}',
  'tool: one one one',
  'user: Read two.',
  'assistant: read_file {"file_path":"call_4"}',
  'tool: two two two',
  'assistant: Read.',
  'user: Sum up.',
];
const call2 = [
  { text: 'Reading.' },
  { functionCall: { id: 'call_2', name: 'read_file', args: { file_path: 'call_2' } } },
];
const call4 = [{ functionCall: { id: 'call_4', name: 'read_file', args: { file_path: 'call_4' } } }];

describe('a checkpoint', () => {
  test('of what is there already changes nothing, also under new ids and in another shape', async () => {
    const again = [
      record('n0', 'user', '<session_context>\nLinux\n</session_context>'),
      person('n1', 'Read one.'),
      record('n2', 'gemini', call2),
      record('n3', 'user', [response('call_2', 'one one one')]),
      person('n4', 'Read two.'),
      record('n5', 'gemini', call4),
      record('n6', 'user', [response('call_4', 'two two two')]),
      record('n7', 'gemini', [{ text: 'Read.' }]),
      person('n8', 'Sum up.'),
    ];
    const before = await lines(talk);
    const after = await lines([...talk, checkpoint(again)]);
    expect(after.entries).toEqual(before.entries);
    // The new ids are the ones that later records speak of.
    const back = await lines([...talk, checkpoint(again), { $rewindTo: 'n8' }, person('u9', 'Stop.')]);
    expect(back.sent).toEqual([...said.slice(0, 8), 'user: Stop.']);
    expect(back.codes).not.toContain('missing-parent');
  });

  test('that masks old tool outputs is a prune, and the output stays in the log', async () => {
    const masked = record('g2', 'gemini', 'Reading.', { toolCalls: [call('call_2', '<masked>, see /tmp/out.txt')] });
    const rest = [
      person('u3', 'Read two.'),
      record('g4', 'gemini', call4, { toolCalls: [call('call_4', 'two two two')] }),
    ];
    const kept = [context, person('u1', 'Read one.'), masked, ...rest, answer('g5', 'Read.'), person('u6', 'Sum up.')];
    const { sent, entries } = await lines([...talk, checkpoint(kept), answer('g7', 'Summed.')]);
    expect(sent).toEqual([...said.with(3, 'tool: <masked>, see /tmp/out.txt'), 'assistant: Summed.']);
    const result = entries.find((entry) => JSON.stringify(entry).includes('one one one'));
    expect(entries.slice(-4, -2)).toMatchObject([
      { type: 'prune', targets: [{ entry: result?.id, notice: '<masked>, see /tmp/out.txt' }] },
      { type: 'epoch', reason: 'prune' },
    ]);
  });

  test('that takes the end off is a step back', async () => {
    const kept = [context, person('u1', 'Read one.')];
    const { sent, entries } = await lines([...talk, checkpoint(kept), person('u7', 'Read three.')]);
    expect(sent).toEqual([...said.slice(0, 2), 'user: Read three.']);
    expect(entries.filter(({ type }) => type === 'epoch')).toEqual([]);
  });

  test('that changes anything else is what is sent from then on', async () => {
    const kept = [person('u3', 'Read two.'), context, person('u9', 'Something new.')];
    const { sent, entries } = await lines([...talk, checkpoint(kept), person('u10', 'Go on.')]);
    expect(sent).toEqual([said[4], said[0], 'user: Something new.', 'user: Go on.']);
    expect(entries.find(({ type }) => type === 'epoch')).toMatchObject({ reason: 'import' });
  });
});

describe('a compression', () => {
  const tail = [
    person('u3', 'Read two.'),
    record('g4', 'gemini', call4, { toolCalls: [call('call_4', 'two two two')] }),
  ];
  const end = [answer('g5', 'Read.'), person('u6', 'Sum up.')];
  const compressed = [said[0], `user: ${snapshot}`, `assistant: ${thanks}`, ...said.slice(4)];

  test('in a checkpoint is a compaction, with what the client kept', async () => {
    const list = checkpoint([
      context,
      person('s7', snapshot),
      record('s8', 'gemini', [{ text: thanks }]),
      ...tail,
      ...end,
    ]);
    const { sent, entries } = await lines([...talk, list, answer('g9', 'Summed.')]);
    expect(sent).toEqual([...compressed, 'assistant: Summed.']);
    const first = entries.find((entry) => JSON.stringify(entry).includes('"Read two."'));
    expect(entries.slice(-4, -2)).toMatchObject([
      { type: 'compaction', summary: snapshot, firstKeptId: first?.id, tokensBefore: 100, trigger: 'import' },
      { type: 'epoch', reason: 'compaction' },
    ]);
  });

  test('in a patch is one as well', async () => {
    const order = ['c0', 's7', 's8', 'u3', 'g4', 'g5', 'u6'];
    const { sent, entries } = await lines([
      ...talk,
      person('s7', snapshot),
      record('s8', 'gemini', [{ text: thanks }]),
      { $patch: { removeIds: ['u1', 'g2'], orderIds: order } },
      answer('g9', 'Summed.'),
    ]);
    expect(sent).toEqual([...compressed, 'assistant: Summed.']);
    expect(entries.filter(({ type }) => type === 'compaction')).toMatchObject([{ summary: snapshot }]);
  });

  test('is known once, however often the list is written again', async () => {
    const list = checkpoint([context, person('s7', snapshot), ...tail, ...end]);
    const { entries, sent } = await lines([...talk, list, list, answer('g9', 'Summed.'), person('u10', 'More.'), list]);
    expect(entries.filter(({ type }) => type === 'compaction')).toHaveLength(1);
    // The last one takes two messages off again.
    expect(sent).toEqual([said[0], `user: ${snapshot}`, ...said.slice(4)]);
  });

  test('stays in force when the person goes back to what it kept, and to what came after', async () => {
    const list = checkpoint([context, person('s7', snapshot), ...tail, ...end]);
    const before = await lines([...talk, list, answer('g9', 'Summed.'), { $rewindTo: 'g5' }, person('u10', 'Again.')]);
    expect(before.sent).toEqual([said[0], `user: ${snapshot}`, ...said.slice(4, 7), 'user: Again.']);
    const after = await lines([...talk, list, answer('g9', 'Summed.'), { $rewindTo: 'g9' }, person('u10', 'Again.')]);
    expect(after.sent).toEqual([said[0], `user: ${snapshot}`, ...said.slice(4), 'user: Again.']);
  });
});

describe('a patch', () => {
  test('masks a result, wherever it was written', async () => {
    const masks = [
      { updates: [{ id: 'g2', toolCalls: [{ id: 'call_2', result: [response('call_2', '<masked>')] }] }] },
      { updates: [{ id: 'f3', content: [response('call_2', '<masked>')] }] },
      { id: 'f3', content: [response('call_2', '<masked>')] },
    ];
    const written = talk.toSpliced(6, 0, record('f3', 'user', [response('call_2', 'one one one')]));
    for (const $patch of masks) {
      const { sent, entries } = await lines([...written, { $patch }]);
      expect(sent).toEqual(said.with(3, 'tool: <masked>'));
      expect(entries.slice(-2)).toMatchObject([{ type: 'prune' }, { type: 'epoch' }]);
    }
  });

  test('that says the same in other words changes nothing', async () => {
    const $patch = {
      updates: [
        { id: 'g2', content: call2 },
        { id: 'u1', content: 'Read one.' },
        { id: 'gone', content: 'x' },
      ],
    };
    expect((await lines([...talk, { $patch }])).entries).toEqual((await lines(talk)).entries);
  });

  test('replaces a message', async () => {
    const { sent } = await lines([...talk, { $patch: { updates: [{ id: 'u1', content: [{ text: 'Read 1.' }] }] } }]);
    expect(sent).toEqual(said.with(1, 'user: Read 1.'));
  });
});

test('going back to a message that is not there begins anew, as in the client, and is said', async () => {
  const { sent, codes } = await lines([...talk, { $rewindTo: 'nowhere' }, person('u9', 'Hello.')]);
  expect(sent).toEqual(['user: Hello.']);
  expect(codes).toContain('missing-parent');
});

test('the client can go back to a line of the screen', async () => {
  const { sent, codes } = await lines([
    ...talk,
    record('i7', 'info', 'Cancelled.'),
    person('u8', 'No.'),
    { $rewindTo: 'i7' },
  ]);
  expect(sent).toEqual(said);
  expect(codes).not.toContain('missing-parent');
});

test('a message that is written again later replaces the first one', async () => {
  const { sent } = await lines([...talk, person('u1', 'Read the first one.')]);
  expect(sent).toEqual(said.with(1, 'user: Read the first one.'));
});

describe('whatever is done to the records', () => {
  const all = [
    ...longTalk(),
    checkpoint([person('u1', 'Read the file.'), person('s20', snapshot), person('u10', 'Now the right thing.')]),
    { $patch: { updates: [{ id: 'u10', content: 'Now.' }], removeIds: ['u1'], orderIds: ['u10', 's20'] } },
    answer('g21', 'So it is.'),
  ];

  test('it is read into a sound log or refused', async () => {
    await fc.assert(fc.asyncProperty(fc.oneof(harmed(all), torn(all)), expectSound), runs(100));
  });

  test('it is in the end the same however it grew', async () => {
    await fc.assert(
      fc.asyncProperty(harmed(all), fc.nat(), (text, lines) => expectGrown({ text, lines })),
      runs(100),
    );
  });
});
