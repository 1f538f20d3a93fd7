import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  anthropicBroken,
  anthropicLegal,
  geminiLegal,
  openaiBroken,
  openaiLegal,
  responsesLegal,
} from './conversations.ts';
import { folder, longhaul, makePipe } from './longhaul.ts';

const jsonl = (list: readonly unknown[]) => list.map((item) => `${JSON.stringify(item)}\n`).join('');

describe('a legal conversation: exit code 0', () => {
  test.each([
    ['a list of Anthropic messages', JSON.stringify(anthropicLegal), 'anthropic'],
    ['a list of OpenAI chat messages', JSON.stringify(openaiLegal), 'openai-chat'],
    ['a request of OpenAI Responses', JSON.stringify(responsesLegal), 'openai-responses'],
    ['a request of Gemini', JSON.stringify(geminiLegal), 'gemini'],
    ['JSONL', jsonl(anthropicLegal), 'anthropic'],
    ['JSON with a byte order mark', `\ufeff${JSON.stringify(openaiLegal)}`, 'openai-chat'],
  ])('%s', async (_, input, dialect) => {
    const { code, stdout, stderr } = await longhaul({ args: ['check', '-'], input });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^standard input: valid for ${dialect} \\(\\d messages\\)\\n$`));
  });
});

describe('a broken conversation: exit code 1', () => {
  test('is reported with its position', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'chat.json'), JSON.stringify(openaiBroken));
    const { code, stdout, stderr } = await longhaul({ args: ['check', 'chat.json'], cwd });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(
      /^chat\.json: not valid for openai-chat, 1 problem \(5 messages\)\n {2}message 2, part 0 .*call_1/,
    );
    expect(stdout).not.toContain('\u001b');
  });

  test('is reported as JSON', async () => {
    const { code, stdout, stderr } = await longhaul({ args: ['check', '-', '--json'], input: jsonl(anthropicBroken) });
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      file: '-',
      dialect: 'anthropic',
      provider: 'anthropic',
      legal: false,
      messages: 4,
      problems: [{ code: 'unanswered-call', message: expect.any(String), at: { message: 1, part: 0 } }],
    });
  });
});

describe.skipIf(process.platform === 'win32')('an output that is no plain file', () => {
  test.each([[[]], [['--force']]])('a pipe is refused and stays, %j', async (flags) => {
    const cwd = folder();
    writeFileSync(join(cwd, 'chat.json'), JSON.stringify(anthropicBroken));
    makePipe({ path: join(cwd, 'pipe') });
    const args = ['check', 'chat.json', '--repair', '--output', 'pipe', '--json', ...flags];
    const { code, stdout } = await longhaul({ args, cwd });
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.code).toBe('output-not-a-file');
    expect(lstatSync(join(cwd, 'pipe')).isFIFO()).toBe(true);
  });

  test.each([['old'], [undefined]])('nothing is written through a link, where its target was %j', async (before) => {
    const cwd = folder();
    writeFileSync(join(cwd, 'chat.json'), JSON.stringify(anthropicBroken));
    mkdirSync(join(cwd, 'real'));
    if (before !== undefined) writeFileSync(join(cwd, 'real', 'out.json'), before);
    symlinkSync(join('real', 'out.json'), join(cwd, 'link.json'));
    const args = ['check', 'chat.json', '--repair', '--output', 'link.json', '--force', '--json'];
    const { code, stdout } = await longhaul({ args, cwd });
    expect({ code, error: JSON.parse(stdout).error.code }).toEqual({ code: 2, error: 'output-is-link' });
    expect(lstatSync(join(cwd, 'link.json')).isSymbolicLink()).toBe(true);
    expect(readdirSync(join(cwd, 'real'))).toEqual(before === undefined ? [] : ['out.json']);
  });
});

describe('the repaired copy', () => {
  test('is valid for its provider, and the input is unchanged', async () => {
    const cwd = folder();
    const text = JSON.stringify(anthropicBroken);
    writeFileSync(join(cwd, 'chat.json'), text, { mode: 0o600 });
    const args = ['check', 'chat.json', '--provider', 'openai-responses', '--repair', '--output', 'fixed.json'];
    const made = await longhaul({ args, cwd });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain('a valid copy is in fixed.json');
    expect(await longhaul({ args: ['check', 'fixed.json', '--json'], cwd })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, 'chat.json'), 'utf8')).toBe(text);
    expect(readdirSync(cwd).sort()).toEqual(['chat.json', 'fixed.json']);
    if (process.platform !== 'win32') expect(statSync(join(cwd, 'fixed.json')).mode & 0o777).toBe(0o600);
  });

  test('is JSON alone on standard output, with the report on standard error', async () => {
    const { code, stdout, stderr } = await longhaul({
      args: ['check', '-', '--repair'],
      input: jsonl(anthropicBroken),
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(5);
    expect(stderr).toContain('1 repair:');
  });

  test('does not replace a file unless forced', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'chat.json'), JSON.stringify(anthropicBroken));
    writeFileSync(join(cwd, 'old.json'), 'precious');
    const args = ['check', 'chat.json', '--repair', '--output', 'old.json'];
    const refused = await longhaul({ args, cwd });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/^longhaul: old\.json already exists\.\n.*--force/);
    expect(readFileSync(join(cwd, 'old.json'), 'utf8')).toBe('precious');
    expect(await longhaul({ args: [...args, '--force'], cwd })).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(cwd, 'old.json'), 'utf8'))).toHaveLength(5);
  });
});

describe('bad input: one clear line, exit code 2, nothing written', () => {
  const latin1 = new Uint8Array([0x5b, 0x22, 0xe9, 0x22, 0x5d]);
  test.each<[string, string | Uint8Array | undefined, string[], string, string]>([
    ['a missing file', undefined, [], 'file-not-found', 'input does not exist.'],
    ['an empty file', '', [], 'file-empty', 'input is empty.'],
    [
      'not JSON',
      '[\n  {"role": user}\n]',
      [],
      'not-json',
      'input is not valid JSON: line 2, column 12: found "u", expected a value.',
    ],
    [
      'JSONL with a bad line',
      `${jsonl(anthropicLegal)}{"role"\n`,
      [],
      'not-json',
      'input is not valid JSON: line 6, column 8: the text ends, expected ":".',
    ],
    ['not UTF-8', latin1, [], 'not-utf8', 'input is not UTF-8 text: see line 1.'],
    [
      'no conversation',
      '{"hello":"world"}',
      [],
      'not-a-conversation',
      'input: This is no conversation: the object has no list of messages of a known dialect.',
    ],
    [
      'an unknown provider',
      '[]',
      ['--provider', 'nonsense'],
      'bad-setting',
      '--provider must be one of "auto", "anthropic", "openai-chat", "openai-responses", "gemini", not "nonsense".',
    ],
    [
      'a mistyped provider',
      '[]',
      ['--provider', 'gemni'],
      'bad-setting',
      '--provider must be one of "auto", "anthropic", "openai-chat", "openai-responses", "gemini", not "gemni". Did you mean "gemini"?',
    ],
    [
      'a missing folder for the output',
      JSON.stringify(anthropicBroken),
      ['--output', 'none/out.json'],
      'output-folder-missing',
      'none/out.json cannot be written: its folder does not exist.',
    ],
    [
      'a bomb',
      `${'['.repeat(5000)}${']'.repeat(5000)}`,
      [],
      'nested-too-deep',
      'input is nested more than 1000 levels deep.',
    ],
  ])('%s', async (_, content, flags, errorCode, cause) => {
    const cwd = folder();
    if (content !== undefined) writeFileSync(join(cwd, 'input'), content);
    const before = readdirSync(cwd);
    const args = ['check', 'input', '--repair', ...flags];
    const [forPerson, forProgram] = await Promise.all([
      longhaul({ args, cwd }),
      longhaul({ args: [...args, '--json'], cwd }),
    ]);
    expect(forPerson).toMatchObject({ code: 2, stdout: '' });
    expect(forPerson.stderr.split('\n')).toEqual([`longhaul: ${cause}`, expect.stringMatching(/^ {2}\S.*\.$/), '']);
    expect(forProgram).toMatchObject({ code: 2, stderr: '' });
    expect(JSON.parse(forProgram.stdout)).toEqual({
      error: { code: errorCode, message: cause, hint: expect.any(String) },
    });
    expect(readdirSync(cwd)).toEqual(before);
  });

  test('a folder', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'chats'));
    const { code, stderr } = await longhaul({ args: ['check', 'chats'], cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^longhaul: chats is a folder, not a file\.\n/);
  });

  test('200 MB are refused unread', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'huge.json'), '');
    truncateSync(join(cwd, 'huge.json'), 200 * 1024 * 1024);
    // Too little memory to hold the file, were it read.
    const env = { NODE_OPTIONS: '--max-old-space-size=64' };
    const { code, stderr } = await longhaul({ args: ['check', 'huge.json'], cwd, env });
    expect(code).toBe(2);
    expect(stderr).toBe(
      'longhaul: huge.json has 200 MiB, more than the limit of 64 MiB.\n' +
        '  Raise the limit with --limits-file-bytes.\n',
    );
  });

  test('standard input without end is left at the limit', async () => {
    const args = ['check', '-', '--limits-file-bytes', '1000', '--json'];
    const { code, stdout } = await longhaul({ args, input: ' '.repeat(100_000) });
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.code).toBe('file-too-large');
  });
});
