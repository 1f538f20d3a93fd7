import { expect, test } from 'vitest';
import { framed } from './content.ts';

const content = [{ type: 'text', origin: 'tool', text: 'a.txt' }] as const;
const after = (text: string) => [...content, { type: 'text', origin: 'engine', text }];

test('the record of a command surrounds its output', () => {
  const metadata = { prefix: '[More]\n', suffix: '\n[End]', py_interpreter_path: '/bin/python', exit_code: 2 };
  expect(framed({ content, metadata })).toEqual([
    { type: 'text', origin: 'engine', text: '[More]\n' },
    ...after('\n[End]\n[Python interpreter: /bin/python]\n[Command finished with exit code 2]'),
  ]);
});

test('a command that still runs has no exit code', () => {
  const metadata = { exit_code: -1, working_dir: '/w' };
  expect(framed({ content, metadata })).toEqual(after('\n[Current working directory: /w]'));
});

test('without a record there is only the output', () => {
  expect(framed({ content, metadata: undefined })).toEqual(content);
});
