import { expect, test } from 'vitest';
import { call, human, model, result, type Said } from '../fixtures/items.ts';
import { lastExchange } from './propose.ts';

const items = (...said: readonly Said[]) => said.map((message) => ({ message, tokens: 10 }));

test('the latest words of a person that were answered, with everything after them', () => {
  const history = items(
    human('first'),
    model('done'),
    human('second'),
    call('1', 'read', {}),
    result('1', 'x'),
    model('y'),
  );
  expect(lastExchange({ items: history, headCount: 0, most: 100 })).toBe(40);
});

test('words that wait for an answer belong to it, they are not all of it', () => {
  expect(lastExchange({ items: items(human('a'), model('b'), human('c')), headCount: 0, most: 100 })).toBe(30);
});

test('of a turn that is too long, the latest answer with its results', () => {
  const rounds = [1, 2, 3, 4].flatMap((id) => [call(`${id}`, 'read', {}), result(`${id}`, 'x')]);
  expect(lastExchange({ items: items(human('a'), ...rounds), headCount: 0, most: 50 })).toBe(20);
});

test('nothing where one answer is too long, or nothing was answered', () => {
  expect(lastExchange({ items: items(human('a'), model('b')), headCount: 0, most: 5 })).toBe(0);
  expect(lastExchange({ items: items(human('a')), headCount: 0, most: 50 })).toBe(0);
});
