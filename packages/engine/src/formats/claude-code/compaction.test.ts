import { describe, expect, test } from 'vitest';
import { bringIn } from '../fixtures/bring-in.ts';
import { call, claudeFile, text, uuid } from './lines.fixture.ts';

const read = (file: { readonly text: () => string }) => bringIn({ text: file.text() });

/** Two turns, in five lines. */
function begun() {
  const file = claudeFile();
  file.user('one');
  file.answer('msg_1', call('toolu_1'));
  file.result('toolu_1', 'r1');
  file.answer('msg_2', text('first'));
  file.user('two');
  return file;
}

describe('a compaction', () => {
  test('is an entry, and from then on the model sees the summary as it was sent', async () => {
    const file = begun();
    file.boundary();
    file.summary('This session is being continued from a previous conversation. Summary: one.');
    file.answer('msg_3', text('second'));
    const { sent, entries, live, codes } = await read(file);
    expect(sent).toEqual([
      'user: This session is being continued from a previous conversation. Summary: one.',
      'assistant: second',
    ]);
    expect(codes).toEqual(['left-out']);
    const compaction = entries.find(({ type }) => type === 'compaction');
    expect(compaction).toMatchObject({
      summary: 'This session is being continued from a previous conversation. Summary: one.',
      trigger: 'auto',
      tokensBefore: 155_000,
      firstKeptId: null,
      details: { 'claude-code': { uuids: [uuid(6), uuid(7)] } },
    });
    expect(entries.find(({ type }) => type === 'epoch')).toMatchObject({
      parentId: compaction?.id,
      items: { list: [{ made: { role: 'user', parts: [{ origin: 'engine' }] } }] },
    });
    const before = await live.contextAt({ leaf: compaction?.parentId ?? null });
    expect(before.items.map(({ message }) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  });

  test('by hand says so; what the client attaches again comes behind its summary', async () => {
    const file = begun();
    file.boundary({ trigger: 'manual' });
    file.attachment({ type: 'nested_memory', path: '/repo/CLAUDE.md', content: { content: 'Use tabs.' } });
    file.summary('Summary: one.', { parentUuid: uuid(6) });
    file.attachment({ type: 'file', filename: '/repo/a.ts', content: { type: 'text', file: { content: 'let a;' } } });
    file.user('three');
    const { sent, entries } = await read(file);
    expect(sent).toEqual([
      'user: Summary: one.',
      'user: /repo/CLAUDE.md: | Use tabs.',
      'user: /repo/a.ts: | let a;',
      'user: three',
    ]);
    expect(entries.find(({ type }) => type === 'compaction')).toMatchObject({ trigger: 'manual' });
  });

  test('of an old version has no boundary', async () => {
    const file = begun();
    file.summary('Summary: one.', { parentUuid: null });
    file.user('three');
    const { sent, entries } = await read(file);
    expect(sent).toEqual(['user: Summary: one.', 'user: three']);
    expect(entries.filter(({ type }) => type === 'leaf')).toEqual([]);
  });

  test('keeps what newer versions preserve, behind the summary; what follows the last of it follows the summary', async () => {
    const file = begun();
    file.boundary({ preservedSegment: { headUuid: uuid(4), anchorUuid: uuid(7), tailUuid: uuid(5) } });
    file.summary('Summary: one.');
    file.answer('msg_3', text('second'), { parentUuid: uuid(5) });
    const { sent, entries } = await read(file);
    expect(sent).toEqual(['user: Summary: one.', 'assistant: first', 'user: two', 'assistant: second']);
    const first = entries.find((entry) => entry.type === 'message' && JSON.stringify(entry).includes('msg_2'));
    expect(entries.find(({ type }) => type === 'compaction')).toMatchObject({ firstKeptId: first?.id });
  });

  test('keeps an answer with all its results, in whichever of its lines the kept part begins or ends', async () => {
    const file = begun();
    file.boundary({
      preservedMessages: { anchorUuid: uuid(7), uuids: [uuid(2), uuid(3)], allUuids: [uuid(2), uuid(3)] },
    });
    file.summary('Summary: one.');
    expect((await read(file)).sent).toEqual(['user: Summary: one.', 'assistant: Read {}', 'tool: r1']);
  });

  test('of what came later has its summary last', async () => {
    const file = begun();
    file.boundary({ preservedSegment: { headUuid: uuid(1), anchorUuid: uuid(6), tailUuid: uuid(4) } });
    file.summary('Summary: two.');
    file.user('three');
    expect((await read(file)).sent).toEqual([
      'user: one',
      'assistant: Read {}',
      'tool: r1',
      'assistant: first',
      'user: Summary: two.',
      'user: three',
    ]);
  });

  test('after a compaction follows it; moving before both restores everything', async () => {
    const file = begun();
    file.boundary();
    file.summary('Summary: one.');
    file.user('three');
    file.boundary();
    file.summary('Summary: one to three.');
    expect((await read(file)).sent).toEqual(['user: Summary: one to three.']);
    file.user('two, again', { parentUuid: uuid(4) });
    expect((await read(file)).sent).toEqual([
      'user: one',
      'assistant: Read {}',
      'tool: r1',
      'assistant: first',
      'user: two, again',
    ]);
  });

  test('without a summary begins anew with what follows, and says so', async () => {
    const file = begun();
    file.boundary();
    file.user('three');
    const { sent, codes } = await read(file);
    expect(sent).toEqual(['user: three']);
    expect(codes).toContain('no-summary');
    const bare = begun();
    bare.boundary();
    bare.user('three', { uuid: undefined, parentUuid: undefined });
    expect((await read(bare)).sent).toEqual(['user: three']);
  });

  test('whose summary is not there yet changes nothing, and is a note', async () => {
    const file = begun();
    file.boundary();
    const { sent, entries, codes } = await read(file);
    expect(sent).toHaveLength(5);
    expect(codes).toContain('no-summary');
    expect(entries.at(-1)).toMatchObject({ customType: 'claude-code:system:compact_boundary' });
  });
});
