import { LonghaulError } from 'longhaul';
import { expect, test } from 'vitest';
import { type MemoryWorld, memoryIo } from '../io/memory-io.ts';
import { readText } from './read-text.ts';

const limit = { bytes: 100, hint: 'Raise it.' };

const read = (content: string | Uint8Array, world: MemoryWorld = {}) => {
  const { files } = memoryIo({ files: { '/project/a.json': content }, ...world });
  return readText({ name: 'a.json', from: { files, path: '/project/a.json' }, limit });
};

const causeOf = async (promise: Promise<unknown>) => {
  const error = await promise.catch((thrown: unknown) => thrown);
  return LonghaulError.is(error) ? `${error.code}: ${error.message}` : error;
};

test('a byte order mark is left out', async () => {
  expect(await read('\ufeff[]')).toBe('[]');
});

test('bytes that are not UTF-8 are reported with their line', async () => {
  const bytes = new Uint8Array([...Buffer.from('[\n"é",\n"'), 0xff, ...Buffer.from('"]')]);
  expect(await causeOf(read(bytes))).toBe('not-utf8: a.json is not UTF-8 text: see line 3.');
});

test('UTF-16 is called by its name', async () => {
  expect(await causeOf(read(Buffer.from('\ufeff[]', 'utf16le')))).toBe('not-utf8: a.json is UTF-16 text, not UTF-8.');
});

test.each(['', ' \n\t\n', '\ufeff'])('%j is empty', async (text) => {
  expect(await causeOf(read(text))).toBe('file-empty: a.json is empty.');
});

test('a file over the limit is refused without being read', async () => {
  const cause = await causeOf(read('x'.repeat(101), { failures: { read: 'EIO' } }));
  expect(cause).toBe('file-too-large: a.json has 101 bytes, more than the limit of 100 bytes.');
});

test('a stream over the limit is left as soon as that is known', async () => {
  let taken = 0;
  async function* endless() {
    for (;;) {
      taken += 1;
      yield new Uint8Array(60);
    }
  }
  const cause = await causeOf(readText({ name: 'standard input', from: { stream: endless() }, limit }));
  expect(cause).toBe('file-too-large: standard input exceeds the limit of 100 bytes.');
  expect(taken).toBe(2);
});

test.each([
  ['EACCES', 'file-unreadable: Permission denied: a.json cannot be read by this user.'],
  ['EISDIR', 'file-is-folder: a.json is a folder, not a file.'],
  ['EIO', 'file-unreadable: a.json cannot be read: EIO: made up for a test.'],
])('%s', async (code, message) => {
  expect(await causeOf(read('[]', { failures: { read: code } }))).toBe(message);
});
