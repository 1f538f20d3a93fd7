import { chmodSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith, textOf, toolsIn } from './tools.fixture.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('read', () => {
  test('numbers lines, and reports the range', async () => {
    const cwd = folderWith({ a: 'one\ntwo\nthree\n' });
    const { say } = toolsIn({ cwd });
    expect(await say('read', { file_path: 'a' })).toBe('1\tone\n2\ttwo\n3\tthree');
    expect(await say('read', { file_path: 'a', offset: 2, limit: 1 })).toBe(
      '2\ttwo\n[Showing lines 2-2 of 3. Use offset 3 for the next lines.]',
    );
    expect(await say('read', { file_path: 'a', offset: 9 })).toBe('[a has 3 lines; there is no line 9.]');
  });

  test.each([
    ['UTF-8 with a mark', Buffer.from('\ufeffGrüße\n')],
    ['UTF-16, little end first', Buffer.from('\ufeffGrüße\r\n', 'utf16le')],
    ['UTF-16, big end first', Buffer.from('\ufeffGrüße\n', 'utf16le').swap16()],
  ])('understands %s', async (_, data) => {
    expect(await toolsIn({ cwd: folderWith({ a: data }) }).say('read', { file_path: 'a' })).toBe('1\tGrüße');
  });

  test('detects images by content, not by name', async () => {
    const { call } = toolsIn({ cwd: folderWith({ 'notes.txt': png }) });
    const { content } = await call('read', { file_path: 'notes.txt' });
    expect(content[1]).toEqual({
      type: 'image',
      origin: 'tool',
      source: { kind: 'base64', mediaType: 'image/png', data: png.toString('base64') },
    });
  });

  test.each([
    ['binary', Buffer.from([1, 2, 0, 3]), /is binary/],
    ['another encoding', Buffer.from([0x47, 0xfc, 0x0a]), /is binary, or text in an encoding/],
    ['a large image', Buffer.concat([png, Buffer.alloc(4_000_000)]), /the limit is 3750000/],
  ])('rejects %s with a sentence', async (_, data, sentence) => {
    const outcome = await toolsIn({ cwd: folderWith({ a: data }) }).call('read', { file_path: 'a' });
    expect([outcome.isError, textOf(outcome)]).toEqual([true, expect.stringMatching(sentence)]);
  });

  test('a huge file is read only as far as requested', async () => {
    const line = `${'x'.repeat(99)}\n`;
    const cwd = folderWith({ big: line.repeat(300_000), long: 'y'.repeat(5_000_000) });
    const { say } = toolsIn({ cwd });
    const before = process.memoryUsage().arrayBuffers;
    const text = await say('read', { file_path: 'big', offset: 299_999, limit: 5 });
    expect(text).toMatch(/^299999\tx+\n300000\tx+\n\[Showing lines 299999-300000 of 300000\.\]$/);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
    expect(await say('read', { file_path: 'big' })).toMatch(/of more than \d+\. Use offset \d+ for the next/);
    const one = await say('read', { file_path: 'long' });
    expect(one.length).toBeLessThan(2100);
    expect(one).toContain('4998000 characters of this line left out');
  });

  test('shows escape sequences, so that no terminal interprets them', async () => {
    const cwd = folderWith({ a: 'a\u001b]0;t\u0007b' });
    expect(await toolsIn({ cwd }).say('read', { file_path: 'a' })).toBe('1\ta\u241b]0;t\u2407b');
  });

  test('reports invalid arguments', async () => {
    const { say } = toolsIn({ cwd: folderWith() });
    expect(await say('read', { path: 'a' })).toBe(
      'read has no argument "path". read takes `file_path`, `offset`, `limit`.',
    );
    expect(await say('read', {})).toMatch(/^read needs file_path\./);
    expect(await say('read', { file_path: 7 })).toMatch(/^file_path must be a string\./);
    expect(await say('read', { file_path: 'a', limit: -1 })).toMatch(/^limit must be a whole number from 1 on\./);
    expect(await say('read', { file_path: 'nope' })).toMatch(/nope does not exist\. Use ls or find/);
  });
});

describe('write', () => {
  test('creates folders, keeps the mode, leaves no temporary file, returns the diff', async () => {
    const cwd = folderWith({ 'run.sh': 'old\n' });
    chmodSync(join(cwd, 'run.sh'), 0o755);
    const { call } = toolsIn({ cwd });
    const { details } = await call('write', { file_path: 'run.sh', content: 'new\n' });
    expect(details).toEqual({
      path: 'run.sh',
      diff: '--- a/run.sh\n+++ b/run.sh\n@@ -1,1 +1,1 @@\n-old\n+new\n',
      added: 1,
      removed: 1,
    });
    expect(statSync(join(cwd, 'run.sh')).mode & 0o777).toBe(0o755);
    await call('write', { file_path: 'a/b/c.txt', content: '' });
    expect(readFileSync(join(cwd, 'a/b/c.txt'), 'utf8')).toBe('');
    expect([...readdirSync(cwd), ...readdirSync(join(cwd, 'a/b'))].toSorted()).toEqual(['a', 'c.txt', 'run.sh']);
  });

  test('does not overwrite changes made since it was read', async () => {
    const cwd = folderWith({ a: 'one' });
    const { say } = toolsIn({ cwd });
    await say('read', { file_path: 'a' });
    writeFileSync(join(cwd, 'a'), 'by hand');
    expect(await say('write', { file_path: 'a', content: 'x' })).toMatch(/has changed since you read it/);
    expect(await say('edit', { file_path: 'a', old_string: 'hand', new_string: 'x' })).toMatch(/has changed since/);
    expect(readFileSync(join(cwd, 'a'), 'utf8')).toBe('by hand');
    await say('read', { file_path: 'a' });
    expect(await say('write', { file_path: 'a', content: 'x' })).toMatch(/^Replaced a/);
    expect(await say('write', { file_path: 'a', content: 'y' })).toMatch(/^Replaced a/);
  });
});

describe('edit', () => {
  const edited = async (
    before: string | Buffer,
    ...edits: { old_string: string; new_string: string; all?: boolean }[]
  ) => {
    const cwd = folderWith({ a: before });
    const text = await toolsIn({ cwd }).say('edit', { file_path: 'a', edits });
    return { text, after: readFileSync(join(cwd, 'a')) };
  };

  test('several at once, in order, all or none', async () => {
    const good = await edited('a b c', { old_string: 'a', new_string: 'b2' }, { old_string: 'b2', new_string: '$&' });
    expect([good.text, good.after.toString()]).toEqual(['Edited a: 2 places changed.', '$& b c']);
    const bad = await edited('a b c', { old_string: 'a', new_string: 'x' }, { old_string: 'nope', new_string: '' });
    expect([bad.text, bad.after.toString()]).toEqual([
      expect.stringMatching(/^Edit 2: old_string is not in a/),
      'a b c',
    ]);
  });

  test('keeps line endings, byte order marks and encodings', async () => {
    const windows = await edited('\ufeffa\r\nb\r\nc\r\n', { old_string: 'a\nb', new_string: 'x\ny\nz' });
    expect(windows.after.toString()).toBe('\ufeffx\r\ny\r\nz\r\nc\r\n');
    const wide = await edited(Buffer.from('\ufeffÄ\n', 'utf16le').swap16(), { old_string: 'Ä', new_string: 'Ö' });
    expect(wide.after.swap16().toString('utf16le')).toBe('\ufeffÖ\n');
    const mixed = await edited('a\r\nb\nc', { old_string: 'b\nc', new_string: 'd\ne' });
    expect(mixed.after.toString()).toBe('a\r\nd\ne');
  });

  test('reports how often and where a text occurs, unless all are replaced', async () => {
    const many = await edited('x\ny\nx\n', { old_string: 'x', new_string: 'z' });
    expect(many.text).toMatch(/occurs 2 times in a, in lines 1, 3\. Nothing was changed\. Add surrounding lines/);
    const all = await edited('x\ny\nx\n', { old_string: 'x', new_string: 'z', all: true });
    expect(all.after.toString()).toBe('z\ny\nz\n');
  });

  test('reports the closest match', async () => {
    const spaces = await edited('if (a) {\n\treturn 1;\n}\n', {
      old_string: 'if (a) {\n  return 1;\n}',
      new_string: '',
    });
    expect(spaces.text).toMatch(/closest match is in line 1, which differs only in spaces:\nif \(a\) \{\n\treturn 1;/);
    const like = await edited('x\nconst total = price * count;\n', {
      old_string: 'const total = price * amount;',
      new_string: '',
    });
    expect(like.text).toMatch(/closest match is in line 2:\nconst total = price \* count;/);
    const nothing = await edited('abc', { old_string: 'wholly other words', new_string: '' });
    expect(nothing.text).toMatch(/nothing in it is similar/);
  });

  test('concurrent edits are applied one after the other', async () => {
    const cwd = folderWith({ a: Array.from({ length: 20 }, (_, at) => `line ${at};`).join('\n') });
    const { say } = toolsIn({ cwd });
    const all = Array.from({ length: 20 }, (_, at) =>
      say('edit', { file_path: 'a', old_string: `line ${at};`, new_string: `done ${at};` }),
    );
    expect(new Set(await Promise.all(all))).toEqual(new Set(['Edited a: 1 place changed.']));
    expect(readFileSync(join(cwd, 'a'), 'utf8')).not.toContain('line');
  });

  test('of two agents with the same file one has to read again, and nothing is lost', async () => {
    const cwd = folderWith({ a: 'one two' });
    const [first, second] = [toolsIn({ cwd }), toolsIn({ cwd })];
    await first.say('read', { file_path: 'a' });
    await second.say('read', { file_path: 'a' });
    utimesSync(join(cwd, 'a'), 1, 1);
    await first.say('read', { file_path: 'a' });
    expect(await first.say('edit', { file_path: 'a', old_string: 'one', new_string: '1' })).toMatch(/^Edited/);
    expect(await second.say('edit', { file_path: 'a', old_string: 'two', new_string: '2' })).toMatch(
      /has changed since/,
    );
    expect(readFileSync(join(cwd, 'a'), 'utf8')).toBe('1 two');
  });
});
