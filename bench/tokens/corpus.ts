import { globSync, readFileSync, statSync } from 'node:fs';
import { makeText } from '../../packages/engine/src/tokens/fixtures/texts.ts';

export interface Class {
  readonly name: string;
  readonly texts: readonly string[];
  readonly bytes: number;
}

const megabyte = 1_000_000;
const largest = 64_000;

/** Files of the installed packages by kind, and seeded text for what they lack; the same on every machine. */
export function readCorpus({ scale }: { scale: number }): Class[] {
  return [
    fromFiles({ name: 'code', pattern: 'node_modules/**/*.{ts,js,mjs}', bytes: 4 * megabyte * scale }),
    fromFiles({ name: 'markdown', pattern: 'node_modules/**/*.md', bytes: 2 * megabyte * scale }),
    fromFiles({ name: 'json', pattern: 'node_modules/**/*.json', bytes: 1.5 * megabyte * scale }),
    made({ name: 'cjk', bytes: 1 * megabyte * scale }),
    made({ name: 'log', bytes: 1 * megabyte * scale }),
    made({ name: 'base64', bytes: 0.5 * megabyte * scale }),
  ];
}

/** Lines of the corpus: what a meter or a list of messages counts. */
export function shortStrings(corpus: readonly Class[]): Class {
  const texts = corpus.flatMap(({ texts: all }) => all.slice(0, 12).flatMap((text) => text.split('\n').slice(0, 400)));
  return { name: 'short', texts, bytes: size(texts) };
}

function fromFiles({ name, pattern, bytes }: { name: string; pattern: string; bytes: number }): Class {
  // Tokenizers' own tables and generated parsers are no ordinary text.
  const skipped = /tokenizer|tiktoken|\.min\.|unicode/;
  const files = globSync(pattern).filter((file) => !skipped.test(file));
  const texts: string[] = [];
  let total = 0;
  for (const file of files.map((path) => ({ path, key: spread(path) })).sort((a, b) => a.key - b.key)) {
    if (total >= bytes) break;
    const stat = statSync(file.path);
    if (!stat.isFile() || stat.size > largest) continue;
    texts.push(readFileSync(file.path, 'utf8'));
    total += stat.size;
  }
  return { name, texts, bytes: size(texts) };
}

function made({ name, bytes }: { name: 'cjk' | 'log' | 'base64'; bytes: number }): Class {
  const texts: string[] = [];
  for (let total = 0, seed = 1; total < bytes; seed++) {
    const text = makeText({ seed, kind: name, length: name === 'cjk' ? 16_000 : 48_000 });
    texts.push(text);
    total += Buffer.byteLength(text);
  }
  return { name, texts, bytes: size(texts) };
}

/** An order that mixes packages and is the same everywhere. */
function spread(path: string): number {
  let hash = 0;
  for (let i = 0; i < path.length; i++) hash = (Math.imul(hash, 31) + path.charCodeAt(i)) | 0;
  return Math.imul(hash, 0x9e37_79b1) >>> 0;
}

function size(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
