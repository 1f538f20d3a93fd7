import { hash as digest } from 'node:crypto';
import type { WorkspaceFile } from './files.ts';
import { readText } from './regular.ts';
import { caseParts } from './words.ts';

/** A file that may have to be indexed. */
export interface FileToPrepare extends WorkspaceFile {
  /** The hash of the content that is in the index. */
  readonly indexedHash?: string;
}

/** A file as it goes into the index. */
export interface PreparedFile extends WorkspaceFile {
  readonly hash: string;
  /** The path with the parts of its names. */
  readonly pathWords: string;
  /** Absent where the content is in the index already. */
  readonly chunks?: PreparedChunks;
}

/** The chunks of a file with the words that they are found by, as few objects: they are copied from thread to thread. */
export interface PreparedChunks {
  /** The names defined in each chunk. */
  readonly symbols: readonly string[];
  /** For each chunk its first and last line, and where each of its three texts ends in `words`. */
  readonly places: Uint32Array;
  /** UTF-8: for each chunk the definitions with their parts, its text, and the parts of its identifiers. */
  readonly words: Uint8Array;
}

/** Numbers of a chunk in `places`. */
export const numbersPerChunk = 5;

/** Identifiers repeat, so their parts are remembered. */
const known = new Map<string, string>();

/** Reads files, cuts them into chunks and splits their identifiers: all of indexing that needs no database. */
export function prepareFiles({
  root,
  files,
}: {
  readonly root: string;
  readonly files: readonly FileToPrepare[];
}): PreparedFile[] {
  return files.map(({ indexedHash, ...file }) => {
    const text = readText({ root, path: file.path }) ?? '';
    const hash = digest('sha1', text, 'base64');
    const pathWords = withParts(file.path);
    // A file with nothing to find has no chunks; it is remembered as well, so that it is not read at each start.
    return { ...file, hash, pathWords, ...(hash !== indexedHash && { chunks: preparedChunks(text) }) };
  });
}

function withParts(names: string): string {
  return names === '' ? '' : `${names} ${caseParts({ bytes: Buffer.from(names), known })}`;
}

function preparedChunks(text: string): PreparedChunks {
  const encoded = Buffer.from(text);
  // Where every character is one byte, offsets in the text are offsets in the bytes.
  const bytes = encoded.length === text.length ? encoded : undefined;
  const chunks = chunksOf(text).map(({ symbols: names, text: body, startLine, endLine, from, to }) => {
    const symbols = names.join(' ');
    const content = bytes && body.length === to - from ? bytes.subarray(from, to) : Buffer.from(body);
    const texts = [Buffer.from(withParts(symbols)), content, Buffer.from(caseParts({ bytes: content, known }))];
    return { startLine, endLine, symbols, texts };
  });
  const places = new Uint32Array(chunks.length * numbersPerChunk);
  // The size of what is allocated counts: a view of a larger buffer would be copied with all of it.
  const size = chunks.reduce((sum, { texts }) => sum + texts.reduce((all, { length }) => all + length, 0), 0);
  const words = new Uint8Array(size);
  let end = 0;
  for (const [index, { startLine, endLine, texts }] of chunks.entries()) {
    const ends = texts.map((one) => {
      words.set(one, end);
      end += one.length;
      return end;
    });
    places.set([startLine, endLine, ...ends], index * numbersPerChunk);
  }
  return { symbols: chunks.map(({ symbols }) => symbols), places, words };
}

/** What the worker of the indexer does. */
export const prepareMethods = { prepare: prepareFiles };

/** A run of whole lines that is found and shown as one. */
interface CodeChunk {
  readonly text: string;
  /** Its offsets in the text of the file. */
  readonly from: number;
  readonly to: number;
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
export function chunksOf(text: string): CodeChunk[] {
  const chunks: CodeChunk[] = [];
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
      chunks.push({
        text: shortened(body),
        from: chunkStart,
        to: at,
        startLine: firstLine,
        endLine: before - 1,
        symbols: names,
      });
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

/** A definition as a scan by lines finds it: fast enough for every file of a large workspace. */
interface Definition {
  readonly name: string;
  /** Offset of the line it begins on. */
  readonly at: number;
}

/**
 * One line that begins a definition, in any of the usual languages: a keyword and a name, or a name with parameters and an
 * opening brace. Bounded repetitions keep it linear.
 */
const definition = new RegExp(
  [
    '^(?:',
    // Variables of a module; those inside of functions are no definitions.
    '(?:export[ \\t])?(?:declare[ \\t])?(?:const|let|var|val|static)[ \\t]{1,8}(?:mut[ \\t])?([A-Za-z_$][\\w$]{0,80})|',
    '[ \\t]{0,24}(?:(?:export|default|declare|public|private|protected|internal|static|abstract|final|sealed|async|override|',
    'readonly|pub(?:\\([a-z]{1,10}\\))?|unsafe|extern|virtual|inline|partial|open|data|suspend)[ \\t]){0,5}',
    '(?:(?:function\\*?|class|interface|enum|type|namespace|module|def|func|fn|struct|trait|impl|union|record|object|protocol|',
    'extension|macro_rules!|sub|mod|fun)[ \\t]{1,8}(?:\\([^()\\n]{0,80}\\)[ \\t])?(?:self\\.)?([A-Za-z_$][\\w$]{0,80})',
    '|#?([A-Za-z_$][\\w$]{1,80})[ \\t]?(?:<[^<>\\n]{0,80}>)?\\([^\\n]{0,300}[{:,(][ \\t]?$))',
  ].join(''),
  'gm',
);

const notNames = new Set(
  'if for while switch catch return function else do try with new await typeof super print assert'.split(' '),
);

/** The definitions of a text, in order. */
function definitionsOf(text: string): Definition[] {
  const found: Definition[] = [];
  definition.lastIndex = 0;
  for (let match = definition.exec(text); match; match = definition.exec(text)) {
    const name = match[1] ?? match[2] ?? match[3];
    if (name && !notNames.has(name)) found.push({ name, at: match.index });
  }
  return found;
}
