import { type Definition, definitionsOf } from './definitions.ts';

/** A run of whole lines that is found and shown as one. */
export interface Chunk {
  readonly text: string;
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** Names defined in it. */
  readonly symbols: readonly string[];
}

/** About 250 tokens. */
const targetChars = 1_000;
/** A definition begins a new chunk once this much is in the one before. */
const leastChars = 350;
const longestLine = 1_000;

/**
 * Cuts a text into chunks of about 250 tokens, along definitions where they are near, else along blank lines. Every line is
 * in exactly one chunk; what is left of an overlong line is cut off in the chunk, not in the count of lines.
 *
 * @example
 * chunksOf('function a() {}\n')[0]; // { text, startLine: 1, endLine: 1, symbols: ['a'] }
 */
export function chunksOf(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  const definitions = definitionsOf(text);
  let next = 0;
  let [chunkStart, firstLine, line] = [0, 1, 1];
  /** The best place to end the chunk that is open: behind the last blank line in it. */
  let blank: { readonly at: number; readonly line: number } | undefined;
  let symbols: Definition[] = [];

  const close = ({ at, before }: { readonly at: number; readonly before: number }) => {
    const body = text.slice(chunkStart, at);
    if (/\w\w/.test(body)) {
      const names = symbols.filter((one) => one.at < at).map(({ name }) => name);
      chunks.push({ text: shortened(body), startLine: firstLine, endLine: before - 1, symbols: names });
    }
    symbols = symbols.filter((one) => one.at >= at);
    [chunkStart, firstLine, blank] = [at, before, undefined];
  };

  for (let start = 0; start < text.length; line += 1) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline + 1;
    const found = definitions[next];
    if (found && found.at < end) {
      if (start - chunkStart >= leastChars) close({ at: start, before: line });
      symbols.push(found);
      next += 1;
      while ((definitions[next]?.at ?? end) < end) next += 1;
    }
    if (start > chunkStart && Math.min(end - start, longestLine) + (start - chunkStart) > targetChars) {
      const isUseful = blank && blank.at - chunkStart > leastChars;
      close(blank && isUseful ? { at: blank.at, before: blank.line } : { at: start, before: line });
    }
    if (end - start <= 2 && text.slice(start, end).trim() === '') blank = { at: end, line: line + 1 };
    start = end;
  }
  if (chunkStart < text.length) close({ at: text.length, before: line });
  return chunks;
}

function shortened(body: string): string {
  if (body.length <= targetChars) return body;
  return body
    .split('\n')
    .map((one) => (one.length > longestLine ? one.slice(0, longestLine) : one))
    .join('\n');
}
