import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { nodeIo } from './node-io.ts';

test.each([
  ['a terminal', true, '{"text":"a\\u009b2Jb"}'],
  ['a pipe', false, '{"text":"a\u009b2Jb"}'],
])('control characters of eight bits in JSON, on %s', async (_, isTTY, expected) => {
  const stdout = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const io = nodeIo({ process: { stdout, stderr: new PassThrough(), env: {}, platform: 'linux' } as never });
  await io.stdout.write(JSON.stringify({ text: 'a\u009b2Jb' }));
  expect(String(stdout.read())).toBe(expected);
});
