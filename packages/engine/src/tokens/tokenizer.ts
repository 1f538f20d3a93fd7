import { LonghaulError } from '../errors.ts';
import { createCounter } from './bpe/counter.ts';
import { loadTables } from './bpe/tables.ts';
import { nextCut } from './bpe/windows.ts';
import { type Encoding, encodings } from './encodings.ts';

/** Counts the tokens of text. Text that looks like a special token is ordinary text. */
export interface Tokenizer {
  readonly encoding: string;
  count(text: string): number;
  /** The ids of the tokens, in order. */
  encode(text: string): number[];
  /** The count, or `limit` if that is less; stops as soon as it is reached. */
  countUpTo(text: string, limit: number): number;
}

/** How much text is turned into bytes at once: enough to make the call cheap, little enough to stay in the cache. */
const windowChars = 16_384;

/** What one giant run needed is not kept for the next. */
const keptBytes = 2 ** 20;

/** Text this short is copied by hand: calling into the runtime's encoder costs more. */
const handCopied = 24;

const utf8 = new TextEncoder();

/**
 * A counter that answers exactly as tiktoken does, in time linear to the text, whatever the text is.
 *
 * @example
 * const tokenizer = await createTokenizer('o200k_base');
 * tokenizer.count('Hello, world!'); // 4
 * tokenizer.countUpTo('a very long text', 2); // 2: two or more
 */
export async function createTokenizer(encoding: Encoding): Promise<Tokenizer> {
  if (!encodings.includes(encoding)) {
    throw new LonghaulError({
      code: 'tokens-unknown-encoding',
      message: `There is no encoding called ${JSON.stringify(encoding)}.`,
      hint: `Use one of ${encodings.join(', ')}; for other models use createEstimator.`,
    });
  }
  const counter = createCounter(await loadTables(encoding));
  let scratch = new Uint8Array(windowChars * 3);
  return {
    encoding,
    count: (text) => walk(text, Number.POSITIVE_INFINITY),
    countUpTo: (text, limit) => Math.min(walk(text, limit), limit),
    encode,
  };

  function walk(text: string, limit: number): number {
    let total = 0;
    for (let from = 0; from < text.length && total < limit; ) {
      const to = windowEnd(text, from);
      const length = fill(text, from, to);
      total += counter.count(scratch, length, limit - total);
      from = to;
    }
    release();
    return total;
  }

  function encode(text: string): number[] {
    const ids: number[] = [];
    for (let from = 0; from < text.length; ) {
      const to = windowEnd(text, from);
      const length = fill(text, from, to);
      counter.encode(scratch, length, ids);
      from = to;
    }
    release();
    return ids;
  }

  function release(): void {
    if (scratch.length > keptBytes) scratch = new Uint8Array(windowChars * 3);
  }

  /** Puts the UTF-8 of `text[from, to)` into `scratch` and answers its length. */
  function fill(text: string, from: number, to: number): number {
    if (to - from <= handCopied) {
      let at = from;
      for (; at < to; at++) {
        const code = text.charCodeAt(at);
        if (code > 127) break;
        scratch[at - from] = code;
      }
      if (at === to) return to - from;
    }
    if ((to - from) * 3 > scratch.length) scratch = new Uint8Array((to - from) * 3);
    return utf8.encodeInto(from === 0 && to === text.length ? text : text.slice(from, to), scratch).written;
  }
}

function windowEnd(text: string, from: number): number {
  return text.length - from <= windowChars ? text.length : nextCut(text, from + windowChars);
}
