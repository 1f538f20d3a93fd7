import { expect, test } from 'vitest';
import { wishesOf } from './early-flags.ts';

test.each([
  [['chekc', '--json'], { json: true }],
  [['check', '--', '--json'], { json: false }],
  [['--color', 'never'], { color: 'never' }],
  [['--color=always', 'x'], { color: 'always' }],
  [['always'], { color: 'auto' }],
  [['--no-color', '--color', 'always'], { color: 'never' }],
  [['--debug'], { debug: true }],
])('%j', (argv, wishes) => {
  expect(wishesOf({ argv, env: {} })).toMatchObject(wishes);
});
