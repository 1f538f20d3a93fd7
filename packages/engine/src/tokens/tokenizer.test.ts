import { get_encoding } from 'tiktoken';
import { describe, expect, test } from 'vitest';
import { encodings } from './encodings.ts';
import { createRandom, makeText, makeTrap, textKinds, traps } from './fixtures/texts.ts';
import { createTokenizer } from './tokenizer.ts';

describe.each(encodings)('%s', (encoding) => {
  const oracle = get_encoding(encoding);
  const expected = (text: string) => [...oracle.encode(text, [], [])];

  test.each(textKinds)('gives the same tokens as tiktoken for %s', async (kind) => {
    const tokenizer = await createTokenizer(encoding);
    const text = makeText({ seed: 1, kind, length: 40_000 });
    expect(tokenizer.encode(text)).toEqual(expected(text));
    expect(tokenizer.count(text)).toBe(tokenizer.encode(text).length);
  });

  test('gives the same tokens as tiktoken for every trap and every pair of traps', async () => {
    const tokenizer = await createTokenizer(encoding);
    for (const first of traps) {
      for (const second of ['', ...traps]) {
        const text = first + second;
        expect(tokenizer.encode(text), JSON.stringify(text)).toEqual(expected(text));
      }
    }
  });

  test('gives the same tokens as tiktoken for 4,000 short texts made of traps', async () => {
    const tokenizer = await createTokenizer(encoding);
    const random = createRandom(7);
    for (let i = 0; i < 4_000; i++) {
      const text = makeTrap(random);
      const ids = tokenizer.encode(text);
      expect(ids, JSON.stringify(text)).toEqual(expected(text));
      expect(tokenizer.count(text)).toBe(ids.length);
    }
  });

  test('gives the same tokens as tiktoken for runs longer than one window', async () => {
    const tokenizer = await createTokenizer(encoding);
    const random = createRandom(3);
    const letters = Array.from({ length: 3_000 }, () => random.pick('abcdefghijklmnopqrstuvwxyz')).join('');
    for (const text of ['a'.repeat(3_000), ' '.repeat(3_000), '中'.repeat(1_000), '😀'.repeat(700), letters]) {
      expect(tokenizer.encode(text)).toEqual(expected(text));
    }
  });

  test('counts the empty text as nothing', async () => {
    const tokenizer = await createTokenizer(encoding);
    expect(tokenizer.count('')).toBe(0);
    expect(tokenizer.encode('')).toEqual([]);
    expect(tokenizer.countUpTo('', 0)).toBe(0);
  });

  test('counts up to a limit and no further', async () => {
    const tokenizer = await createTokenizer(encoding);
    const random = createRandom(11);
    for (let i = 0; i < 200; i++) {
      const text = makeTrap(random);
      const count = tokenizer.count(text);
      for (const limit of [0, count - 1, count, count + 1, 1_000]) {
        if (limit >= 0) expect(tokenizer.countUpTo(text, limit)).toBe(Math.min(count, limit));
      }
    }
  });
});

test('names the encodings there are when asked for another', async () => {
  // @ts-expect-error what a caller without types may do
  await expect(createTokenizer('p50k_base')).rejects.toMatchObject({ code: 'tokens-unknown-encoding' });
});
