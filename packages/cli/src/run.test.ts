import { describe, expect, test } from 'vitest';
import { exitCodes } from './errors/exit-codes.ts';
import { type MemoryWorld, memoryIo } from './io/memory-io.ts';
import { run } from './run.ts';

const call = async (argv: readonly string[], world: MemoryWorld = {}) => {
  const io = memoryIo(world);
  const code = await run({ argv, io });
  return { code, ...io.printed };
};

const one = (word: string) => [word];

describe('help', () => {
  test('names every command, every exit code and where settings live', async () => {
    const { code, stdout, stderr } = await call(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const text of ['check FILE', 'config show|schema', 'demo', 'longhaul.config.json', '.config/longhaul']) {
      expect(stdout).toContain(text);
    }
    for (const { meaning } of exitCodes) expect(stdout).toContain(meaning);
  });

  test.each([
    ...['check', 'demo', 'import', 'export', 'sessions', 'show', 'tree', 'context', 'search', 'recall', 'move'].map(
      one,
    ),
    ...['edit', 'rewind', 'undo', 'redo', 'fork', 'label', 'delete', 'doctor', 'stats'].map(one),
    ['config', 'show'],
    ['config', 'schema'],
  ])('%s %s has examples', async (...words) => {
    const { code, stdout } = await call([...words.filter(Boolean), '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Examples:');
  });

  test('does not need settings that are right', async () => {
    expect((await call(['--help'], { env: { LONGHAUL_NONSENSE: '1' } })).code).toBe(0);
    expect((await call(['config', 'schema'], { env: { LONGHAUL_NONSENSE: '1' } })).code).toBe(0);
  });

  test('is what a call without a command gets, as an error', async () => {
    const { code, stdout, stderr } = await call([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('longhaul COMMAND [options]');
  });
});

describe('without a command', () => {
  test('without a key it says how to get a model, and that the demo needs none', async () => {
    const { code, stderr } = await call([]);
    expect(code).toBe(2);
    for (const words of ['ANTHROPIC_API_KEY', 'Ollama', 'longhaul demo', 'longhaul models', 'longhaul --help']) {
      expect(stderr).toContain(words);
    }
  });

  test('with a key it names the provider', async () => {
    const { stderr } = await call([], { env: { OPENAI_API_KEY: 'k' } });
    expect(stderr).toMatch(/Models:\n {2}openai +key from OPENAI_API_KEY\n/);
    expect(stderr).not.toContain('Ollama');
  });

  test.each([[['fix the bug']], [['fix', 'the', 'bug']]])('%j suggests -p', async (argv) => {
    const { code, stderr } = await call(argv);
    expect(code).toBe(2);
    expect(stderr).toContain('To run the agent with this prompt: longhaul -p "fix the bug"\n');
  });
});

describe('a wrong command line is reported in two lines', () => {
  test.each([
    [['chekc'], 'Unknown command "chekc". Did you mean check?', 'longhaul --help'],
    [['help', 'chekc'], 'Unknown command "chekc". Did you mean check?', 'longhaul --help'],
    [['help', 'zzzzzz'], 'Unknown command "zzzzzz".', 'longhaul --help'],
    [['config', 'shwo'], 'Unknown command "shwo". Did you mean show?', 'longhaul config --help'],
    [['check', 'a', '--repiar'], 'Unknown option "--repiar". Did you mean --repair?', 'longhaul check --help'],
    [['check'], 'Missing required argument "FILE".', 'longhaul check --help'],
    [
      ['check', 'a', 'b'],
      'Too many arguments for "check": expected 1 argument but got 2: a, b.',
      'longhaul check --help',
    ],
    [['check', 'a', '--output'], 'Option "--output <file>" needs a value.', 'longhaul check --help'],
  ])('%j', async (argv, cause, help) => {
    const { code, stdout, stderr } = await call(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(`longhaul: ${cause}\n  Run \`${help}\` for usage.\n`);
  });
});

describe('a failure for a program', () => {
  test.each([
    [['chekc', '--json'], 'unknown-command'],
    [['help', 'nope', '--json'], 'unknown-command'],
    [['check', '--json'], 'missing-argument'],
    [['check', 'a', '--nonsense', '--json'], 'unknown-option'],
    [['--json'], 'missing-command'],
    [['check', 'missing.json', '--json'], 'file-not-found'],
    [['check', 'a', '--provider', 'x', '--json'], 'bad-setting'],
  ])('%j is one JSON value with the code %s', async (argv, errorCode) => {
    const { code, stdout, stderr } = await call(argv);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      error: { code: errorCode, message: expect.any(String), hint: expect.any(String) },
    });
  });
});

test('the version for a program', async () => {
  const { code, stdout } = await call(['--version', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
});

describe('a bug of ours', () => {
  const io = () => ({
    ...memoryIo(),
    stdin: () => {
      throw new TypeError('x is not a function');
    },
  });

  test('is reported in one line with a hint, and exits with 70', async () => {
    const world = io();
    expect(await run({ argv: ['check', '-'], io: world })).toBe(70);
    expect(world.printed.stderr).toBe(
      'longhaul: Internal error: TypeError: x is not a function.\n' +
        '  This is a bug in longhaul. Please report it with the output of the same command with --debug; your input was not changed.\n',
    );
  });

  test('shows its stack with --debug, on standard error also under --json', async () => {
    const world = io();
    await run({ argv: ['check', '-', '--debug', '--json'], io: world });
    expect(JSON.parse(world.printed.stdout)).toMatchObject({ error: { code: 'internal' } });
    expect(world.printed.stderr).toContain('caused by: TypeError: x is not a function\n    at ');
  });
});

test('the setting debug works from a file as well', async () => {
  const files = { '/project/longhaul.config.json': '{ "debug": true }' };
  expect((await call(['check', 'missing.json'], { files })).stderr).toContain('code: file-not-found');
});

test('--no-color and --color never win over a terminal, for failures too', async () => {
  for (const flags of [['--no-color'], ['--color', 'never']]) {
    const { stderr } = await call(['chekc', ...flags], { terminal: true });
    expect(stderr).not.toContain('\u001b');
  }
  expect((await call(['chekc'], { terminal: true })).stderr).toContain('\u001b[31mlonghaul:');
});

test('--no-debug wins over the environment', async () => {
  const env = { LONGHAUL_DEBUG: '1' };
  expect((await call(['check', 'missing.json'], { env })).stderr).toContain('code: file-not-found');
  expect((await call(['check', 'missing.json', '--no-debug'], { env })).stderr).not.toContain('code:');
});
