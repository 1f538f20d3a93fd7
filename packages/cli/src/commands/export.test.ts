import { describe, expect, test } from 'vitest';
import { base, header, jsonl, said, withSession } from './sessions.fixture.ts';

const text = (io: { readonly content: Map<string, Uint8Array> }, path: string) =>
  new TextDecoder().decode(io.content.get(path));

describe('export', () => {
  test.each(['longhaul', 'pi'])('in the format %s is given back by import as the same session', async (format) => {
    const { call, json, io, id } = await withSession();
    expect((await call('export', id, '--format', format, '-o', 'out.jsonl')).code).toBe(0);
    await call('delete', id, '--yes');
    expect((await json('import', 'out.jsonl')).value).toMatchObject({ sessionId: id, format, messages: 3 });
    const written = [...io.content.keys()].filter((path) => path.startsWith('/project/'));
    expect(written.sort()).toEqual(['/project/out.jsonl', '/project/pi.jsonl']);
  });

  test('goes to standard output as the file alone', async () => {
    const { call, id } = await withSession();
    const { stdout, stderr } = await call('export', id);
    expect(stderr).toBe('');
    const types = stdout.trimEnd().split('\n');
    expect(types.map((line) => JSON.parse(line).type)).toEqual([
      ...['session', 'message', 'message', 'message', 'message', 'leaf', 'message'],
    ]);
  });

  test('on a terminal control characters are shown, into a pipe go the very bytes', async () => {
    const hostile = 'a\u001b]0;owned\u0007\u009b2Jb';
    const file = jsonl([header, base('01', null, said('user', hostile))]);
    const both = [true, false].map(async (terminal) => {
      const { call, id } = await withSession({ files: { '/project/pi.jsonl': file }, terminal });
      return (await call('export', id, '--format', 'markdown', '--no-color')).stdout;
    });
    const [shown = '', piped = ''] = await Promise.all(both);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them.
    expect(shown).not.toMatch(/[\u001b\u0007\u009b]/);
    expect(shown).toContain('owned');
    expect(piped).toContain('\u009b2Jb');
  });

  test.each([
    ['out.html', 'html', '<!doctype html>'],
    ['out.HTM', 'html', '<!doctype html>'],
    ['out.md', 'markdown', '# List the files.'],
    ['out.jsonl', 'longhaul', '{"type":"session","format":"longhaul"'],
    ['out.json', 'anthropic', '{\n  "messages": ['],
  ])('to %s is in the format that the name says: %s', async (output, format, beginning) => {
    const { json, io, id } = await withSession();
    const { value } = await json('export', id, '-o', output);
    expect(value).toMatchObject({ sessionId: id, format, output, warnings: [] });
    const written = text(io, `/project/${output}`);
    expect(written.slice(0, beginning.length)).toBe(beginning);
    expect(value.lines).toBe(written.split('\n').length - 1);
  });

  test('as a request is in the words of the provider that is asked for', async () => {
    const { json, id } = await withSession();
    const { value } = await json('export', id, '--provider', 'gemini', '-o', 'out.json');
    expect(value.format).toBe('gemini');
    const { value: other } = await json('export', id, '--format', 'openai-chat');
    expect(JSON.parse(other.text).messages[0]).toEqual({ role: 'user', content: 'List the files.' });
  });

  test('for a program holds the lines, or the text where there are none', async () => {
    const { json, id } = await withSession();
    expect((await json('export', id, '--format', 'transcript')).value.lines[0].type).toBe('session.start');
    expect((await json('export', id, '--format', 'markdown')).value.text).toContain('## 1. List the files.');
  });

  test('masks keys, says so, and leaves the copy of the session itself as it is', async () => {
    const key = ['sk', 'ant-api03-Zx8Qw2Lm5Tn7Vb3Rk9Yp'].join('-');
    const file = jsonl([header, base('01', null, said('user', `Use ${key}.`))]);
    const { call, io, id } = await withSession({ files: { '/project/pi.jsonl': file } });
    for (const [name, isThere] of [
      ['a.md', false],
      ['a.html', false],
      ['a.json', false],
      ['a.jsonl', true],
    ] as const) {
      const { stderr } = await call('export', id, '-o', name);
      expect(text(io, `/project/${name}`).includes(key)).toBe(isThere);
      expect(stderr.includes('masked')).toBe(!isThere);
    }
    await call('export', id, '-o', 'b.md', '--no-mask');
    expect(text(io, '/project/b.md')).toContain(key);
    await call('export', id, '-o', 'b.jsonl', '--mask');
    expect(text(io, '/project/b.jsonl')).not.toContain(key);
  });

  test('does not replace a file unless forced, and refuses formats there are not', async () => {
    const { json, id } = await withSession();
    expect((await json('export', id, '--output', 'pi.jsonl')).value.error.code).toBe('output-exists');
    const { error } = (await json('export', id, '--format', 'markdwn')).value;
    expect(error).toMatchObject({
      code: 'unknown-format',
      message: expect.stringContaining('Did you mean "markdown"?'),
    });
    expect((await json('export', id, '--output', 'pi.jsonl', '--force')).value).toMatchObject({ lines: 7 });
  });

  test('that fails half-way leaves no file behind', async () => {
    const { json, io, id } = await withSession({ failures: { create: 'ENOSPC' } });
    expect((await json('export', id, '-o', 'out.html')).value.error.code).toBe('output-failed');
    expect([...io.content.keys()]).toEqual(['/project/pi.jsonl']);
  });
});

test.each(['out.txt', 'out', 'session.jsonl.bak'])(
  'a file name that implies no format (%s) is refused, because the default format is not masked',
  async (output) => {
    const { json, io, id } = await withSession();
    const { code, value } = await json('export', id, '--output', output);
    expect(code).toBe(2);
    expect(value.error).toMatchObject({ code: 'unknown-format', hint: expect.stringContaining('.jsonl') });
    expect([...io.content.keys()]).not.toContain(`/project/${output}`);
    expect((await json('export', id, '--output', output, '--format', 'markdown')).code).toBe(0);
  },
);
