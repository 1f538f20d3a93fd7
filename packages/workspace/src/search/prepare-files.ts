import { hash as digest } from 'node:crypto';
import type { WorkspaceFile } from './files.ts';
import { readTextFile } from './regular.ts';
import { writeParts } from './words.ts';

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

/** Reads files, cuts them into chunks and splits their identifiers: all of indexing that needs no database. */
export function prepareFiles({
  root,
  files,
}: {
  readonly root: string;
  readonly files: readonly FileToPrepare[];
}): PreparedFile[] {
  return files.map(({ indexedHash, ...file }) => {
    const { text, bytes } = readTextFile({ root, path: file.path }) ?? { text: '', bytes: Buffer.alloc(0) };
    const hash = digest('sha1', bytes, 'base64');
    const words = new WordWriter({ capacity: 4 * file.path.length });
    words.addWithParts(file.path);
    const pathWords = words.text();
    // A file with nothing to find has no chunks; it is remembered as well, so that it is not read at each start.
    return { ...file, hash, pathWords, ...(hash !== indexedHash && { chunks: preparedChunks({ text, bytes }) }) };
  });
}

/** The space that is written to; it is reused, because most files are small. */
let space = Buffer.allocUnsafe(1024 * 1024);

/** Texts in UTF-8 one after the other, without a buffer for each. */
class WordWriter {
  /** Where the next text begins. */
  end = 0;

  constructor({ capacity }: { readonly capacity: number }) {
    if (space.length < capacity) space = Buffer.allocUnsafe(2 * capacity);
  }

  add(text: string): void {
    this.end += space.write(text, this.end);
  }

  /** Some bytes of a file. */
  copy({ bytes, from, to }: { readonly bytes: Buffer; readonly from: number; readonly to: number }): void {
    this.end += bytes.copy(space, this.end, from, to);
  }

  /** The parts of identifiers in what was written since an offset. */
  addParts(from: number): void {
    this.end = writeParts({ text: space, from, end: this.end, to: space, at: this.end });
  }

  addWithParts(names: string): void {
    if (names === '') return;
    const from = this.end;
    this.add(names);
    const { end } = this;
    space[end] = 0x20;
    this.end = writeParts({ text: space, from, end, to: space, at: end + 1 });
  }

  text(): string {
    return space.toString('utf8', 0, this.end);
  }

  /** The size of what is allocated counts: a view of a larger buffer would be copied with all of it. */
  bytes(): Uint8Array {
    const own = new Uint8Array(this.end);
    own.set(space.subarray(0, this.end));
    return own;
  }
}

function preparedChunks({ text, bytes }: { readonly text: string; readonly bytes: Buffer }): PreparedChunks {
  // Where every character is one byte, offsets in the text are offsets in the bytes.
  const isAscii = bytes.length === text.length;
  const chunks = chunksOf(text);
  const places = new Uint32Array(chunks.length * numbersPerChunk);
  // The text with its parts, and the names with theirs, take at most three times their bytes each.
  const words = new WordWriter({ capacity: 6 * bytes.length + 3 * chunks.length });
  const symbols = chunks.map(({ symbols: names, text: body, startLine, endLine, from, to }, index) => {
    const joined = names.join(' ');
    const at = index * numbersPerChunk;
    places[at] = startLine;
    places[at + 1] = endLine;
    words.addWithParts(joined);
    const { end: start } = words;
    places[at + 2] = start;
    if (isAscii && body.length === to - from) words.copy({ bytes, from, to });
    else words.add(body);
    places[at + 3] = words.end;
    words.addParts(start);
    places[at + 4] = words.end;
    return joined;
  });
  return { symbols, places, words: words.bytes() };
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
    const name = mayDefine({ text, start, end }) ? definedName({ text, start }) : undefined;
    if (name !== undefined) {
      if (start - chunkStart >= leastChars) close({ at: start, before: line });
      symbols.push({ name, at: start });
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
  'my',
);

const notNames = new Set(
  'if for while switch catch return function else do try with new await typeof super print assert'.split(' '),
);

/** The name that the line at an offset defines. */
function definedName({ text, start }: { readonly text: string; readonly start: number }): string | undefined {
  definition.lastIndex = start;
  const match = definition.exec(text);
  const name = match?.[1] ?? match?.[2] ?? match?.[3];
  return name && !notNames.has(name) ? name : undefined;
}

/** Words that begin a definition: the keywords of the expression above. */
const beginnings = new Set(
  'export default declare public private protected internal static abstract final sealed async override readonly pub unsafe extern virtual inline partial open data suspend const let var val function class interface enum type namespace module def func fn struct trait impl union record object protocol extension macro_rules sub mod fun'.split(
    ' ',
  ),
);
const [tab, blank, dollar, openParenthesis, openAngle, hash] = [0x09, 0x20, 0x24, 0x28, 0x3c, 0x23];

/** Whether a line may begin a definition, by its first word and what follows it: the expression is tried on few lines. */
function mayDefine(of: { readonly text: string; readonly start: number; readonly end: number }): boolean {
  const { text, start, end } = of;
  let at = start;
  while (at < end && isBlankCode(text.charCodeAt(at))) at += 1;
  const isPrivate = text.charCodeAt(at) === hash;
  if (isPrivate) at += 1;
  const word = at;
  while (at < end && isWordCode(text.charCodeAt(at))) at += 1;
  if (at === word) return false;
  const next = text.charCodeAt(at);
  if (next === openParenthesis || next === openAngle) return true;
  if (next === blank || next === tab) {
    const second = text.charCodeAt(at + 1);
    if (second === openParenthesis || second === openAngle) return true;
  }
  const length = at - word;
  return !isPrivate && length > 1 && length < 12 && beginnings.has(text.slice(word, at));
}

function isBlankCode(code: number): boolean {
  return code === blank || code === tab;
}

function isWordCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === dollar
  );
}
