import { expect, test } from 'vitest';
import { thinkingParts } from './content-parts.ts';

const signed = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };

test('a signed block goes back to the provider that signed it', () => {
  expect(thinkingParts({ blocks: [signed], text: 'Hm.' })).toEqual([
    { type: 'thinking', origin: 'model', text: 'Hm.', signature: 'c2ln', wire: { dialect: 'anthropic' } },
  ]);
});

test('where there are no blocks, there may be a text', () => {
  expect(thinkingParts({ blocks: undefined, text: 'Hm.' })).toEqual([
    { type: 'thinking', origin: 'model', text: 'Hm.' },
  ]);
  expect(thinkingParts({ blocks: [], text: null })).toEqual([]);
});
