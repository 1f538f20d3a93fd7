/**
 * Makes the files in `tables/` from the published rank files of tiktoken, which gpt-tokenizer ships unchanged.
 *
 *     node packages/engine/scripts/make-tables.ts
 *
 * A vocabulary is stored as its merges: the 256 single bytes in rank order, then for each further token the two
 * tokens that byte-pair encoding joins last to make it. The bytes of all tokens follow from that, and so does the
 * table of pairs that the counter merges by.
 */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

const root = new URL('../../../', import.meta.url);
const out = new URL('../tables/', import.meta.url);

/** The sha256 that tiktoken itself expects of its downloads (tiktoken_ext/openai_public.py). */
const sources = {
  o200k_base: '446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d',
  cl100k_base: '223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7',
};

/**
 * Letters, marks and digits that came with Unicode 17: unassigned, hence symbols, to the Unicode 16 of tiktoken 1.0.22.
 * Found by asking tiktoken about every code point; `npm run soak -- packages/engine/src/tokens` asks again.
 */
const laterThanUnicode16 = [
  [0x88f, 0x88f],
  [0xc5c, 0xc5c],
  [0xcdc, 0xcdc],
  [0x1acf, 0x1add],
  [0x1ae0, 0x1aeb],
  [0xa7ce, 0xa7ce],
  [0xa7cf, 0xa7cf],
  [0xa7d2, 0xa7d2],
  [0xa7d4, 0xa7d4],
  [0xa7f1, 0xa7f1],
  [0x10940, 0x10959],
  [0x10ec5, 0x10ec7],
  [0x10efa, 0x10efa],
  [0x10efb, 0x10efb],
  [0x11b60, 0x11b67],
  [0x11db0, 0x11ddb],
  [0x11de0, 0x11de9],
  [0x16ea0, 0x16eb8],
  [0x16ebb, 0x16ed3],
  [0x16ff2, 0x16ff6],
  [0x187f8, 0x187ff],
  [0x18d09, 0x18d1e],
  [0x18d80, 0x18df2],
  [0x1e6c0, 0x1e6de],
  [0x1e6e0, 0x1e6f5],
  [0x1e6fe, 0x1e6fe],
  [0x1e6ff, 0x1e6ff],
  [0x2b73a, 0x2b73f],
  [0x2cea2, 0x2cead],
  [0x323b0, 0x33479],
] as const;

for (const [name, expected] of Object.entries(sources)) {
  const file = await readFile(new URL(`node_modules/gpt-tokenizer/data/${name}.tiktoken`, root));
  const actual = createHash('sha256').update(file).digest('hex');
  if (actual !== expected) throw new Error(`${name}: sha256 is ${actual}, expected ${expected}`);
  await write(`${name}.bin`, merges(ranks(file.toString('latin1'))));
}
await write('classes.bin', classes());

/** The tokens in rank order, each as a string of bytes. */
function ranks(text: string): string[] {
  const tokens: string[] = [];
  for (const line of text.split('\n')) {
    const [bytes, rank] = line.split(' ');
    if (bytes && rank) tokens[Number(rank)] = Buffer.from(bytes, 'base64').toString('latin1');
  }
  return tokens;
}

/** 4 bytes: how many tokens; 256 bytes: the byte of each single-byte token; then 3 + 3 bytes a token: left and right. */
function merges(tokens: readonly string[]): Buffer {
  const rankOf = new Map(tokens.map((token, rank) => [token, rank]));
  const table = Buffer.alloc(4 + 256 + (tokens.length - 256) * 6);
  table.writeUInt32LE(tokens.length, 0);
  tokens.forEach((token, rank) => {
    if (rank < 256 !== (token.length === 1)) throw new Error(`token ${rank} has ${token.length} bytes`);
    if (rank < 256) {
      table[4 + rank] = token.charCodeAt(0);
      return;
    }
    const [left, right] = lastMerge({ token, rank, rankOf });
    table.writeUIntLE(left, 260 + (rank - 256) * 6, 3);
    table.writeUIntLE(right, 263 + (rank - 256) * 6, 3);
  });
  return table;
}

function lastMerge(of: { token: string; rank: number; rankOf: Map<string, number> }): [number, number] {
  const parts = [...of.token];
  for (;;) {
    let best = of.rank;
    let at = -1;
    for (let i = 0; i + 1 < parts.length; i++) {
      const rank = of.rankOf.get(`${parts[i]}${parts[i + 1]}`);
      if (rank !== undefined && rank < best) [best, at] = [rank, i];
    }
    if (at < 0) break;
    parts.splice(at, 2, `${parts[at]}${parts[at + 1]}`);
  }
  const [left, right] = parts.map((part) => of.rankOf.get(part));
  if (parts.length !== 2 || left === undefined || right === undefined) {
    throw new Error(`token ${of.rank} cannot be reached by merges`);
  }
  return [left, right];
}

/**
 * The class of every code point (see `src/tokens/bpe/classes.ts`), as runs: a varint of length * 16 + class. Frozen in
 * a file, so that the same text has the same count whatever Unicode version the running Node knows.
 */
function classes(): Buffer {
  const bytes: number[] = [];
  let length = 0;
  let current = -1;
  const flush = () => {
    if (length === 0) return;
    let value = length * 16 + current;
    for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
    bytes.push(value);
  };
  for (let code = 0; code < 0x11_0000; code++) {
    const found = classOf(code);
    if (found !== current) {
      flush();
      [current, length] = [found, 0];
    }
    length++;
  }
  flush();
  return Buffer.from(bytes);
}

function classOf(code: number): number {
  if (code >= 0xd800 && code < 0xe000) return 0;
  const char = String.fromCodePoint(code);
  if (laterThanUnicode16.some(([first, last]) => code >= first && code <= last)) return 0;
  if (/[\p{Lu}\p{Lt}]/u.test(char)) return 1;
  if (/\p{Ll}/u.test(char)) return 2;
  if (/[\p{Lm}\p{Lo}]/u.test(char)) return 3;
  if (/\p{M}/u.test(char)) return 4;
  if (/\p{N}/u.test(char)) return 5;
  if (char === ' ') return 8;
  if (char === '\r' || char === '\n') return 7;
  return /\p{White_Space}/u.test(char) ? 6 : 0;
}

async function write(name: string, bytes: Buffer): Promise<void> {
  await writeFile(new URL(name, out), bytes);
  const hash = createHash('sha256').update(bytes).digest('hex');
  process.stdout.write(`${name} ${bytes.length} bytes, sha256 ${hash}\n`);
}
