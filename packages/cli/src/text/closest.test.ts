import { expect, test } from 'vitest';
import { closest } from './closest.ts';

const candidates = ['provider', 'color', 'limits.fileBytes', 'debug', 'openai-chat'];

test.each([
  ['colour', 'color'],
  ['Color', 'color'],
  ['dbeug', 'debug'],
  ['providr', 'provider'],
  ['filebytes', 'limits.fileBytes'],
  ['openai', 'openai-chat'],
  ['colors', 'color'],
])('%s was meant as %s', (word, meant) => {
  expect(closest({ word, candidates })).toBe(meant);
});

test.each(['nonsense', '', 'x', 'telemetry', 'de'])('%j was meant as none of them', (word) => {
  expect(closest({ word, candidates })).toBeUndefined();
});

test('the nearest of several wins', () => {
  expect(closest({ word: 'cast', candidates: ['cost', 'cart', 'casts', 'cast'] })).toBe('cast');
});
