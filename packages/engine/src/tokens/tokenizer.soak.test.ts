import { get_encoding } from 'tiktoken';
import { describe, expect, test } from 'vitest';
import { readCorpus } from '../../../../bench/tokens/corpus.ts';
import { encodings } from './encodings.ts';
import { createRandom, makeText, makeTrap, textKinds } from './fixtures/texts.ts';
import { createTokenizer } from './tokenizer.ts';

/** What takes too long for `npm test`: `npm run soak -- packages/engine/src/tokens`. */
const isSoak = Number(process.env.SOAK_FACTOR ?? 1) > 1;

describe.runIf(isSoak).each(encodings)('%s', (encoding) => {
  const oracle = get_encoding(encoding);

  async function differing(texts: Iterable<string>) {
    const tokenizer = await createTokenizer(encoding);
    const wrong: string[] = [];
    let [count, bytes] = [0, 0];
    for (const text of texts) {
      const expected = oracle.encode(text, [], []);
      const ids = tokenizer.encode(text);
      const same = ids.length === expected.length && ids.every((id, i) => id === expected[i]);
      if (!same || tokenizer.count(text) !== expected.length) wrong.push(text.slice(0, 80));
      count++;
      bytes += Buffer.byteLength(text);
    }
    console.log(`${encoding}: ${count} texts, ${(bytes / 1e6).toFixed(1)} MB, ${wrong.length} differ from tiktoken`);
    return wrong;
  }

  test('equals tiktoken on 20 MB of code, Markdown, JSON, logs, CJK and base64', async () => {
    expect(await differing(readCorpus({ scale: 4 }).flatMap(({ texts }) => texts))).toEqual([]);
  });

  test('equals tiktoken on generated text of every kind, with seeds never used before', async () => {
    const seed = Date.now();
    const texts = textKinds.map((kind, i) => makeText({ seed: seed + i, kind, length: 300_000 }));
    expect(await differing(texts), `seed ${seed}`).toEqual([]);
  });

  test('equals tiktoken on 200,000 short texts made of traps', async () => {
    const random = createRandom(Date.now());
    expect(await differing(Array.from({ length: 200_000 }, () => makeTrap(random)))).toEqual([]);
  });

  test('equals tiktoken around every code point, so that each is of the right class', async () => {
    expect(await differing(aroundEveryCodePoint())).toEqual([]);
  });
});

/** In these places a character of another class would lead to another count. */
function* aroundEveryCodePoint(): Generator<string> {
  for (let code = 0; code < 0x11_0000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const x = String.fromCodePoint(code);
    yield `${x}'s HEL${x}lo ${x}Hello  ${x}the  ${x}  the`;
    yield `12${x}34//${x}//\n//\n.${x}'s THE${x}THE`;
  }
}
