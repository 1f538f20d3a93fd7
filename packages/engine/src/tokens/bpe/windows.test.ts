import { expect, test } from 'vitest';
import { encodings } from '../encodings.ts';
import { createRandom, makeText, makeTrap, textKinds } from '../fixtures/texts.ts';
import { createTokenizer } from '../tokenizer.ts';
import { nextCut } from './windows.ts';

test.each(encodings)('%s: a text cut anywhere it may be cut has the same tokens as the whole', async (encoding) => {
  const tokenizer = await createTokenizer(encoding);
  const random = createRandom(2);
  const texts = [
    ...textKinds.map((kind) => makeText({ seed: 4, kind, length: 3_000 })),
    ...Array.from({ length: 3_000 }, () => `${makeTrap(random)}a ${makeTrap(random)}\n${makeTrap(random)}1\n`),
  ];
  for (const text of texts) {
    const parts: number[] = [];
    for (let from = 0; from < text.length; ) {
      const to = nextCut(text, from + 1);
      parts.push(...tokenizer.encode(text.slice(from, to)));
      from = to;
    }
    expect(parts).toEqual(tokenizer.encode(text));
  }
});
