import { describe, expect, test } from 'vitest';
import { bringIn } from '../fixtures/bring-in.ts';
import { call, claudeFile, text, uuid } from './lines.fixture.ts';

const read = (file: { readonly text: () => string }) => bringIn({ text: file.text() });

describe('the tree of lines', () => {
  test('a rewind leaves a branch behind; the live one is that of the last line', async () => {
    const file = claudeFile();
    file.user('one');
    file.answer('msg_1', text('first'));
    file.user('two');
    file.answer('msg_2', text('second'));
    file.user('two, again', { parentUuid: uuid(2) });
    file.answer('msg_3', text('third'));
    const { sent, live, entries } = await read(file);
    expect(sent).toEqual(['user: one', 'assistant: first', 'user: two, again', 'assistant: third']);
    const left = entries.find(({ type }) => type === 'leaf')?.parentId ?? null;
    expect((await live.contextAt({ leaf: left })).items).toHaveLength(4);
  });

  test('who goes back to one of several results goes back behind them all', async () => {
    const file = claudeFile();
    file.user('one');
    file.answer('msg_1', call('toolu_1'));
    file.answer('msg_1', call('toolu_2'));
    file.result('toolu_1', 'r1', { parentUuid: uuid(2) });
    file.result('toolu_2', 'r2', { parentUuid: uuid(3) });
    file.answer('msg_2', text('dead'));
    file.user('alive', { parentUuid: uuid(4) });
    expect((await read(file)).sent).toEqual([
      'user: one',
      'assistant: Read {} | Read {}',
      'tool: r1',
      'tool: r2',
      'user: alive',
    ]);
  });

  test('what follows progress and system lines comes after the answer before them', async () => {
    const file = claudeFile();
    file.user('one');
    file.answer('msg_1', call('toolu_1', {}, 'Bash'));
    file.line({ type: 'progress', data: { type: 'bash_progress', output: 'for the screen' }, toolUseID: 'toolu_1' });
    file.result('toolu_1', 'r1', { parentUuid: uuid(2) });
    file.answer('msg_2', text('done'));
    file.system('stop_hook_summary', { hookCount: 1 });
    file.system('turn_duration', { durationMs: 12 });
    file.user('two');
    const { sent, entries, warnings } = await read(file);
    expect(sent).toEqual(['user: one', 'assistant: Bash {}', 'tool: r1', 'assistant: done', 'user: two']);
    expect(entries.flatMap((entry) => (entry.type === 'custom' ? entry.customType : []))).toEqual([
      'claude-code:system:stop_hook_summary',
      'claude-code:system:turn_duration',
    ]);
    expect(warnings[0]?.message).toContain('lines of progress (1)');
  });

  test('a line with no parent begins anew; one whose parent is gone follows the line before', async () => {
    const file = claudeFile();
    file.user('one');
    file.answer('msg_1', text('first'));
    file.user('anew', { parentUuid: null });
    expect((await read(file)).sent).toEqual(['user: anew']);
    file.user('after a gap', { parentUuid: 'gone' });
    const { sent, codes, warnings } = await read(file);
    expect(sent).toEqual(['user: anew', 'user: after a gap']);
    expect({ codes, line: warnings[0]?.line }).toEqual({ codes: ['missing-parent'], line: 4 });
  });

  test('lines without uuids follow each other', async () => {
    const file = claudeFile();
    for (const content of ['one', 'two']) file.user(content, { uuid: undefined, parentUuid: undefined });
    file.answer('msg_1', text('three'), { uuid: undefined, parentUuid: undefined });
    file.answer('msg_1', text('four'), { uuid: undefined, parentUuid: undefined });
    expect((await read(file)).sent).toEqual(['user: one', 'user: two', 'assistant: three | four']);
  });

  test('a line that says nothing of the kind it claims is kept as it is', async () => {
    const file = claudeFile();
    file.user('one');
    file.line({ type: 'user', note: 'no message' });
    file.line({ type: 'assistant', message: 'no object' });
    file.user('two');
    const { sent, entries } = await read(file);
    expect(sent).toEqual(['user: one', 'user: two']);
    expect(entries.slice(1, 3)).toMatchObject([
      { type: 'unknown', kind: 'claude-code:user', value: { note: 'no message' } },
      { type: 'unknown', kind: 'claude-code:assistant', value: { message: 'no object' } },
    ]);
  });

  test('a duplicated line is read once', async () => {
    const file = claudeFile();
    file.user('one');
    file.answer('msg_1', text('first'));
    const { sent, warnings } = await bringIn({ text: file.text() + file.text() });
    expect(sent).toEqual(['user: one', 'assistant: first']);
    expect(warnings[0]?.message).toContain('repeated lines (2)');
  });
});

describe('a file that grows', () => {
  const file = claudeFile();
  file.state({ type: 'file-history-snapshot', messageId: 'm', snapshot: {} });
  file.user('one');
  file.answer('msg_1', text('Looking.'));
  file.answer('msg_1', call('toolu_1'));
  file.result('toolu_1', 'r1');
  file.answer('msg_1', call('toolu_2'));
  file.result('toolu_2', 'r2');
  file.answer('msg_2', text('Done.'), { about: { stop_reason: 'end_turn' } });
  file.state({ type: 'custom-title', customTitle: 'Looking around', sessionId: file.lines[1]?.sessionId });
  file.boundary();
  file.summary('Summary: all was looked at.');
  file.attachment({ type: 'nested_memory', path: '/repo/CLAUDE.md', content: { content: 'Use tabs.' } });
  file.user('two');
  file.answer('msg_3', text('Third.'));
  file.user('two, again', { parentUuid: uuid(12) });
  const lines = file.lines.map((line) => `${JSON.stringify(line)}\n`);

  test('is the same session at every length, with the same context as if read at once', async () => {
    const whole = await bringIn({ text: lines.join('') });
    for (let length = 1; length < lines.length; length += 1) {
      const part = await bringIn({ text: lines.slice(0, length).join('') });
      const once = await bringIn({ text: lines.join(''), store: part.store });
      expect({ length, sent: once.sent, session: once.session, codes: once.codes }).toEqual({
        length,
        sent: whole.sent,
        session: whole.session,
        codes: whole.codes,
      });
      expect(await bringIn({ text: lines.join(''), store: part.store })).toMatchObject({ added: 0 });
    }
  });

  test('an answer is unfinished only where the file ends and it may go on', async () => {
    const unfinished = async (length: number) =>
      (await bringIn({ text: lines.slice(0, length).join('') })).entries.filter(
        (entry) => entry.type === 'message' && JSON.stringify(entry.details).includes('"unfinished":true'),
      ).length;
    expect(await Promise.all(lines.map((_, index) => unfinished(index + 1)))).toEqual([
      0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0,
    ]);
  });
});
