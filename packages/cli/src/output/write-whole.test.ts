import { LonghaulError } from 'longhaul';
import { expect, test } from 'vitest';
import { type MemoryWorld, memoryIo } from '../io/memory-io.ts';
import { writeWhole } from './write-whole.ts';

const write = async (world: MemoryWorld, replace = false, path = '/project/out.json') => {
  const io = memoryIo({
    files: { '/project/in.json': '[]', ...world.files },
    ...(world.failures && { failures: world.failures }),
  });
  const error = await writeWhole({ io, path, name: 'out.json', text: '[1,2,3]', replace, mode: 0o600 }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const files = Object.fromEntries([...io.content].map(([file, bytes]) => [file, new TextDecoder().decode(bytes)]));
  return { files, code: LonghaulError.is(error) ? error.code : error };
};

const whole = { '/project/in.json': '[]', '/project/out.json': '[1,2,3]' };

test('the file is there whole, and nothing else', async () => {
  expect(await write({})).toEqual({ files: whole, code: undefined });
});

test('an existing file is replaced only when asked', async () => {
  const files = { '/project/out.json': 'old' };
  expect(await write({ files }, true)).toEqual({ files: whole, code: undefined });
  expect(await write({ files })).toEqual({ files: { '/project/in.json': '[]', ...files }, code: 'output-exists' });
});

test.each([
  ['create', 'ENOSPC'],
  ['rename', 'EIO'],
] as const)('when the step %s fails, the old file stays whole and nothing half-written is left', async (step, code) => {
  const files = { '/project/out.json': 'old' };
  const result = await write({ files, failures: { [step]: code } }, true);
  expect(result).toEqual({ files: { '/project/in.json': '[]', ...files }, code: 'output-failed' });
});

test('a file system without links still works, and still does not overwrite', async () => {
  expect(await write({ failures: { link: 'EPERM' } })).toEqual({ files: whole, code: undefined });
  const files = { '/project/out.json': 'old' };
  expect((await write({ files, failures: { link: 'EPERM' } })).code).toBe('output-exists');
});

test('a missing folder is called so', async () => {
  expect((await write({}, false, '/nowhere/out.json')).code).toBe('output-folder-missing');
});
