import { describe, expect, test } from 'vitest';
import { type MemoryWorld, memoryIo } from '../io/memory-io.ts';
import { run } from '../run.ts';

const call = { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'ls', input: {} }] };
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'a.txt' }] };
const legal = [{ role: 'user', content: 'list' }, call, result];
const broken = [{ role: 'user', content: 'list' }, call, { role: 'user', content: 'go on' }];
const chat = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'list' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'ls', arguments: '{}' } }],
  },
  { role: 'user', content: 'go on' },
];

const check = async ({ value, args = [], ...world }: { value: unknown; args?: string[] } & MemoryWorld) => {
  const io = memoryIo({ ...world, files: { '/project/a.json': JSON.stringify(value), ...world.files } });
  const code = await run({ argv: ['check', 'a.json', ...args], io });
  const fileText = (path: string) => new TextDecoder().decode(io.content.get(path));
  return { code, ...io.printed, fileText, files: [...io.content.keys()] };
};

describe('the verdict', () => {
  test('a legal conversation', async () => {
    expect(await check({ value: legal })).toMatchObject({
      code: 0,
      stdout: 'a.json: valid for anthropic (3 messages)\n',
      stderr: '',
    });
  });

  test('a broken one, with places and what to do', async () => {
    const { code, stdout } = await check({ value: broken });
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      'a.json: not valid for anthropic, 1 problem (3 messages)',
      expect.stringMatching(/^ {2}message 1, part 0 {2}.*toolu_1.*\.$/),
      'Run it again with --repair to get a valid copy.',
      '',
    ]);
  });

  test('--repair is advised only where it would work', async () => {
    const { code, stdout } = await check({ value: [] });
    expect(code).toBe(1);
    expect(stdout).not.toContain('--repair');
  });

  test('an empty name is no folder', async () => {
    const io = memoryIo({ files: { '/project/a.json': '[]' } });
    expect(await run({ argv: ['check', ''], io })).toBe(2);
    expect(io.printed.stderr).toMatch(/^longhaul: The file name is empty\.\n/);
  });

  test('by the rules of another provider', async () => {
    const { code, stdout } = await check({ value: legal, args: ['--provider', 'gemini'] });
    expect(code).toBe(0);
    expect(stdout).toBe('a.json: valid for gemini (3 messages, written as anthropic)\n');
  });

  test('the provider may come from a settings file', async () => {
    const files = { '/project/longhaul.config.json': '{ "provider": "openai-chat" }' };
    expect((await check({ value: legal, files })).stdout).toContain('valid for openai-chat');
  });

  test('places are counted in the file, head included', async () => {
    const { stdout } = await check({ value: chat, args: ['--json'] });
    expect(JSON.parse(stdout)).toMatchObject({
      dialect: 'openai-chat',
      messages: 4,
      problems: [{ code: 'unanswered-call', at: { message: 2 } }],
    });
  });

  test('plain texts are read as the dialect that was asked for', async () => {
    const value = [{ role: 'user', content: 'hi' }];
    expect((await check({ value })).stdout).toContain('valid for openai-chat (1 message)');
    const { stdout } = await check({ value, args: ['--provider', 'anthropic', '--repair', '--json'] });
    expect(JSON.parse(stdout)).toMatchObject({ dialect: 'anthropic', repaired: value });
  });

  test('control characters in a conversation do not reach the terminal', async () => {
    const value = JSON.parse(JSON.stringify(broken).replaceAll('toolu_1', '\\u001b[2J'));
    expect((await check({ value })).stdout).not.toContain('\u001b');
  });
});

describe('the repaired copy', () => {
  test('goes to standard output, the report to standard error', async () => {
    const { code, stdout, stderr } = await check({ value: broken, args: ['--repair'] });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(4);
    expect(stderr).toContain('1 repair:');
    expect(stderr).toContain('the copy is valid');
  });

  test('goes to a file, the report to standard output', async () => {
    const { code, stdout, stderr, fileText, files } = await check({
      value: broken,
      args: ['--repair', '--output', 'b.json'],
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('a valid copy is in b.json');
    expect(JSON.parse(fileText('/project/b.json'))).toHaveLength(4);
    expect(fileText('/project/a.json')).toBe(JSON.stringify(broken));
    expect(files).toEqual(['/project/a.json', '/project/b.json']);
  });

  test('is JSONL where the name of the file asks for it', async () => {
    const { fileText } = await check({ value: legal, args: ['--repair', '--output', 'b.jsonl'] });
    expect(fileText('/project/b.jsonl')).toBe(legal.map((message) => `${JSON.stringify(message)}\n`).join(''));
  });

  test('of a legal conversation is the conversation', async () => {
    const { stdout, stderr } = await check({ value: legal, args: ['--repair'] });
    expect(JSON.parse(stdout)).toEqual(legal);
    expect(stderr).toContain('nothing to repair');
  });

  test('is in the dialect of the provider', async () => {
    const { stdout } = await check({ value: chat, args: ['--repair', '--provider', 'gemini', '--json'] });
    expect(JSON.parse(stdout)).toMatchObject({
      legal: false,
      repairs: [expect.anything()],
      repaired: { systemInstruction: expect.anything(), contents: expect.any(Array) },
    });
  });

  test('under --json names the file it was written to', async () => {
    const { stdout } = await check({ value: broken, args: ['--repair', '--output', 'b.json', '--json'] });
    const answer = JSON.parse(stdout);
    expect(Object.keys(answer)).toEqual([
      'file',
      'dialect',
      'provider',
      'legal',
      'messages',
      'problems',
      'repairs',
      'output',
    ]);
    expect(answer.output).toBe('b.json');
  });

  test('that cannot be made is no: exit code 1, and nothing is written', async () => {
    const { code, stderr, files } = await check({ value: [], args: ['--repair', '--output', 'b.json'] });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^longhaul: a\.json cannot be made valid for openai-chat: /);
    expect(files).toEqual(['/project/a.json']);
  });
});

describe('the output is refused, and nothing is written', () => {
  test.each([
    [['--output', 'b.json'], 'bad-usage'],
    [['--repair', '--output', 'b.json'], 'output-exists'],
    [['--repair', '--output', './a.json', '--force'], 'output-is-input'],
    [['--repair', '--output', '../project', '--force'], 'file-is-folder'],
    [['--repair', '--output', 'none/b.json'], 'output-folder-missing'],
  ])('%j', async (args, errorCode) => {
    const { code, stdout, files, fileText } = await check({
      value: broken,
      args: [...args, '--json'],
      files: { '/project/b.json': 'old' },
    });
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.code).toBe(errorCode);
    expect(files).toHaveLength(2);
    expect(fileText('/project/b.json')).toBe('old');
  });

  test('a full disk leaves the old file as it was', async () => {
    const { code, files, fileText } = await check({
      value: broken,
      args: ['--repair', '--output', 'b.json', '--force'],
      files: { '/project/b.json': 'old' },
      failures: { create: 'ENOSPC' },
    });
    expect(code).toBe(2);
    expect(files).toHaveLength(2);
    expect(fileText('/project/b.json')).toBe('old');
  });
});
