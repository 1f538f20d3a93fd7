import { describe, expect, test } from 'vitest';
import { type MemoryWorld, memoryIo } from '../io/memory-io.ts';
import { run } from '../run.ts';

const files = {
  '/project/a.txt': 'Hello, world!',
  '/project/empty.txt': '',
  '/project/src/b.ts': 'const a = 1;\n',
  '/project/src/deep/c.ts': 'const b = 2;\n',
  '/project/src/deep/image.png': new Uint8Array([0x89, 0x50, 0, 0]),
  '/project/src/out/made.js': 'made()',
  '/project/src/.gitignore': 'out/\n',
  '/project/binary.dat': new Uint8Array([65, 0, 66]),
  '/project/latin1.txt': new Uint8Array([0x63, 0x61, 0x66, 0xe9]),
};

const count = async (args: string[], world: MemoryWorld = {}) => {
  const io = memoryIo({ ...world, files: { ...files, ...world.files } });
  const code = await run({ argv: ['count', ...args], io });
  return { code, ...io.printed };
};

const json = async (args: string[], world?: MemoryWorld) => {
  const { code, stdout } = await count([...args, '--json'], world);
  return { code, value: JSON.parse(stdout) };
};

describe('counting', () => {
  test('a table with shares and the sum', async () => {
    expect(await count(['a.txt', 'empty.txt', 'src/b.ts'])).toEqual({
      code: 0,
      stdout: [
        'tokens    share  file',
        '     4   40.0 %  a.txt',
        '     0    0.0 %  empty.txt',
        '     6   60.0 %  src/b.ts',
        '    10  100.0 %  3 files, o200k_base',
        '',
      ].join('\n'),
      stderr: '',
    });
  });

  test('the same for a program', async () => {
    expect(await json(['a.txt', '--encoding', 'cl100k_base'])).toEqual({
      code: 0,
      value: {
        encoding: 'cl100k_base',
        exact: true,
        files: [{ file: 'a.txt', tokens: 4, share: 1, bytes: 13 }],
        total: { files: 1, tokens: 4, bytes: 13 },
        passedOver: 0,
        errors: [],
      },
    });
  });

  test('standard input', async () => {
    const { value } = await json(['-'], { stdin: 'Hello, world!' });
    expect(value.files).toMatchObject([{ file: '-', tokens: 4 }]);
  });

  test('folders in the order of names, without what is ignored and what is no text', async () => {
    const { code, value } = await json(['src']);
    expect(code).toBe(0);
    expect(value.files.map(({ file }: { file: string }) => file)).toEqual([
      'src/.gitignore',
      'src/b.ts',
      'src/deep/c.ts',
    ]);
    expect(value.passedOver).toBe(1);
  });

  test('the ignore files of the repository around a folder hold in it', async () => {
    const around = { '/project/.git/HEAD': 'ref', '/project/.gitignore': '/src/deep\n' };
    const { value } = await json(['src'], { files: around });
    expect(value.files.map(({ file }: { file: string }) => file)).toEqual(['src/.gitignore', 'src/b.ts']);
  });

  test('by a model whose vocabulary is public, next to its window', async () => {
    const { value } = await json(['a.txt', '--model', 'gpt-4o']);
    expect(value).toMatchObject({ encoding: 'o200k_base', model: 'gpt-4o', exact: true, window: 128_000 });
    expect((await count(['a.txt', '--model', 'gpt-4o'])).stdout).toContain('of the window of 128,000 tokens.');
  });

  test('by a model whose vocabulary is not: an estimate and its bound', async () => {
    const { value } = await json(['a.txt', '--model', 'claude-sonnet-4-5']);
    expect(value).toMatchObject({ model: 'claude-sonnet-4-5', exact: false });
    expect(value.total.bound).toBeGreaterThan(value.total.tokens);
    expect((await count(['a.txt', '--model', 'claude-sonnet-4-5'])).stdout).toMatch(
      /Upper bound of the estimate: \d+ tokens/,
    );
  });
});

describe('what cannot be counted', () => {
  test('is named in a line each, and the rest is counted', async () => {
    const { code, stdout, stderr } = await count(['nope.txt', 'binary.dat', 'a.txt', 'latin1.txt']);
    expect(code).toBe(2);
    expect(stdout).toContain('     4  100.0 %  1 file, o200k_base');
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^longhaul: nope\.txt does not exist\./),
      expect.stringMatching(/^longhaul: binary\.dat is not text\./),
      expect.stringMatching(/^longhaul: latin1\.txt is not UTF-8 text\./),
    ]);
  });

  test('is listed among the errors in JSON', async () => {
    const { code, value } = await json(['nope.txt', 'a.txt']);
    expect(code).toBe(2);
    expect(value.total.tokens).toBe(4);
    expect(value.errors).toMatchObject([{ file: 'nope.txt', code: 'file-not-found' }]);
  });

  test('an unreadable file and one over the limit', async () => {
    const unreadable = await count(['a.txt'], { failures: { read: 'EACCES' } });
    expect(unreadable).toMatchObject({ code: 2, stdout: '' });
    expect(unreadable.stderr).toContain('a.txt cannot be read by this user');
    expect((await count(['a.txt', '--limits-file-bytes', '5'])).stderr).toContain('a.txt is larger than 5 bytes');
  });

  test('an encoding there is not, and two ways at once', async () => {
    const unknown = await count(['a.txt', '--encoding', 'o200k']);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain('Unknown encoding "o200k".\n  Did you mean o200k_base?');
    expect((await count(['a.txt', '--encoding', 'o200k_base', '--model', 'gpt-4o'])).code).toBe(2);
  });

  test('control characters in a name do not reach the terminal', async () => {
    const { stderr } = await count(['\u001b[2J']);
    expect(stderr).not.toContain('\u001b');
  });
});

describe('the bar', () => {
  const large = { '/project/large.txt': 'one line of text\n'.repeat(600_000) };

  test('is shown on a terminal for large inputs, and taken away', async () => {
    const { stderr } = await count(['large.txt', '--no-color'], { files: large, terminal: true });
    expect(stderr).toContain('100 % of');
    expect(stderr.endsWith('\r\u001b[K')).toBe(true);
  });

  test('is not shown in a pipe, for small inputs, or to programs', async () => {
    expect((await count(['large.txt'], { files: large })).stderr).toBe('');
    expect((await count(['a.txt'], { terminal: true })).stderr).toBe('');
    expect((await count(['large.txt', '--json'], { files: large, terminal: true })).stderr).toBe('');
  });
});
