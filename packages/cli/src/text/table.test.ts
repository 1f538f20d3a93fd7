import { expect, test } from 'vitest';
import { paintFor } from './paint.ts';
import { columns } from './table.ts';

test('columns are aligned, without blanks at the end', () => {
  expect(columns({ rows: [['a', 'bb', 'c'], ['long', 'b', ''], ['x']], indent: '  ' })).toEqual([
    '  a     bb  c',
    '  long  b',
    '  x',
  ]);
});

test('colors do not count as width', () => {
  const { strong } = paintFor({ output: { isTerminal: true }, choice: 'always', env: {} });
  expect(
    columns({
      rows: [
        [strong('a'), 'b'],
        ['aaa', 'b'],
      ],
    })[0],
  ).toBe(`${strong('a')}    b`);
});
