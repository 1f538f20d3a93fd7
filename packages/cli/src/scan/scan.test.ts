import { describe, expect, test } from 'vitest';
import { choose } from './scan.ts';

describe('a choice from a list of nine', () => {
  test.each<[string, readonly number[]]>([
    ['', []],
    ['  ', []],
    ['none', []],
    ['3', [3]],
    ['1,3-5', [1, 3, 4, 5]],
    [' 5-6, 1 2 ,,5 ', [1, 2, 5, 6]],
    ['ALL', [1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ])('%j', (reply, chosen) => {
    expect(choose({ reply, amount: 9 })).toEqual(chosen);
  });

  test.each(['0', '10', '1-10', '5-3', 'two', '1;2', '-1', '1-', '99999999999999999999'])('%j is none', (reply) => {
    expect(() => choose({ reply, amount: 9 })).toThrow('is not a selection from a list of 9; nothing was imported.');
  });
});
