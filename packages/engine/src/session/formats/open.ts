import { LonghaulError } from '../../errors.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../json.ts';
import type { Dialect } from '../../message/index.ts';
import { isTooDeep } from './lines/depth.ts';
import { type FileRecord, readRecords } from './lines/read-records.ts';
import { isOwnHeader, isOwnRecord, readOwn } from './own/read.ts';
import { isPiHeader, isPiRecord, readPi } from './pi/header.ts';
import { readPlain } from './plain/read.ts';
import type { ImportFormat, Reading } from './reading.ts';
import { headerPieces, peekLength, recognise } from './recognise.ts';
import type { WarningList } from './report.ts';

/** How much of a file may be in memory at once. */
export interface ImportLimits {
  /** The longest line of a session file, in bytes. */
  readonly lineBytes: number;
  /** The largest file that is read as a whole: a list of messages or a request body. */
  readonly fileBytes: number;
}

const mebibyte = 1024 * 1024;

/** Enough for any line and any list of messages that an agent has written; a larger one is another file by mistake. */
export const defaultLimits: ImportLimits = { lineBytes: 64 * mebibyte, fileBytes: 64 * mebibyte };

/**
 * Opens a file of any known format, up to its entries. The bytes are read as they are asked for.
 *
 * @example
 * const reading = await openReading({ bytes: createReadStream(path), limits: defaultLimits, warnings });
 */
export async function openReading({
  bytes,
  format,
  limits,
  warnings,
}: {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Told from the content unless it is given. */
  readonly format?: ImportFormat;
  readonly limits: ImportLimits;
  readonly warnings: WarningList;
}): Promise<Reading> {
  const { beginning, all } = await peek(bytes);
  if (beginning.replaceAll(String.fromCharCode(0), '').trim() === '') throw empty();
  const kind =
    format === undefined ? recognise(beginning) : format === 'pi' || format === 'longhaul' ? format : 'plain';
  if (kind === 'plain') {
    const dialect = format as Dialect | undefined;
    return await openPlain({ bytes: all, dialect, limits, warnings });
  }
  const isRecord = kind === 'pi' ? isPiRecord : isOwnRecord;
  const records = readRecords({ bytes: all, limit: limits.lineBytes, isRecord, warnings });
  const { done, value: first } = await records.next();
  const isHeader = !done && (kind === 'pi' ? isPiHeader(first.value) : isOwnHeader(first.value));
  if (done || !(isHeader || isRecord(first.value))) throw foreign();
  if (isHeader) {
    const { value: header } = first;
    return kind === 'pi'
      ? readPi({ header, records, first: undefined, warnings })
      : readOwn({ header, records, warnings });
  }
  const pieces = headerPieces(beginning);
  const rest = after(first, records);
  return kind === 'pi'
    ? readPi({ header: pieces, records: rest, first, warnings })
    : readOwn({ header: pieces, records: rest, warnings });
}

async function openPlain({
  bytes,
  dialect,
  limits,
  warnings,
}: {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly dialect: Dialect | undefined;
  readonly limits: ImportLimits;
  readonly warnings: WarningList;
}): Promise<Reading> {
  const text = await whole({ bytes, limit: limits.fileBytes });
  const value = parseJson(text) ?? (await messagesOf({ text, limits, warnings }));
  if (value === undefined || typeof value !== 'object' || value === null) throw foreign();
  if (isTooDeep(value)) throw tooDeep();
  // A single line of a file with a message a line is JSON as well.
  const list = isObject(value) && typeof value.role === 'string' ? [value] : value;
  return readPlain({ value: list, ...(dialect && { dialect }) });
}

/** A message a line; `undefined` where no line is one. */
async function messagesOf(of: {
  readonly text: string;
  readonly limits: ImportLimits;
  readonly warnings: WarningList;
}): Promise<Json | undefined> {
  const isRecord = (value: JsonObject) => typeof value.role === 'string' || typeof value.type === 'string';
  const bytes = once(new TextEncoder().encode(of.text));
  const list: Json[] = [];
  const found = createCollector(of.warnings);
  for await (const { value } of readRecords({ bytes, limit: of.limits.lineBytes, isRecord, warnings: found })) {
    list.push(value);
  }
  if (list.length === 0) return undefined;
  found.passOn();
  return list;
}

/** Holds warnings back until it is known that the file is what it was taken for. */
function createCollector(to: WarningList): WarningList & { readonly passOn: () => void } {
  const list: WarningList['list'][number][] = [];
  return { list, add: (warning) => void list.push(warning), passOn: () => list.forEach(to.add) };
}

/** The beginning of a file, and all of it. */
async function peek(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ readonly beginning: string; readonly all: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const taken: Uint8Array[] = [];
  let length = 0;
  while (length < peekLength) {
    const { done, value } = await iterator.next();
    if (done) break;
    taken.push(value);
    length += value.length;
  }
  const decoder = new TextDecoder();
  const text = taken.map((piece) => decoder.decode(piece.subarray(0, peekLength), { stream: true })).join('');
  return { beginning: text, all: chain() };

  async function* chain(): AsyncGenerator<Uint8Array> {
    try {
      yield* taken;
      for (;;) {
        const { done, value } = await iterator.next();
        if (done) return;
        yield value;
      }
    } finally {
      await iterator.return?.();
    }
  }
}

async function whole(of: { readonly bytes: AsyncIterable<Uint8Array>; readonly limit: number }): Promise<string> {
  const pieces: string[] = [];
  const decoder = new TextDecoder();
  let length = 0;
  for await (const piece of of.bytes) {
    length += piece.length;
    if (length > of.limit) throw tooLarge(of.limit);
    pieces.push(decoder.decode(piece, { stream: true }));
  }
  return pieces.join('') + decoder.decode();
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* after(first: FileRecord, rest: AsyncIterable<FileRecord>): AsyncGenerator<FileRecord> {
  yield first;
  yield* rest;
}

function empty(): LonghaulError {
  return new LonghaulError({
    code: 'file-empty',
    cause: 'The file is empty.',
    next: 'See whether the program that writes it has finished, or name another file.',
  });
}

function foreign(): LonghaulError {
  return new LonghaulError({
    code: 'not-a-session',
    cause: 'This is no session, and no list of messages, of a format that is known.',
    next: 'Give a session of Longhaul or pi (JSON lines), or messages of Anthropic, OpenAI or Gemini (JSON).',
  });
}

function tooDeep(): LonghaulError {
  return new LonghaulError({
    code: 'nested-too-deep',
    cause: 'It has lists and objects inside each other more than 1000 levels deep.',
    next: 'See whether it is the file you meant; no provider accepts such a conversation.',
  });
}

function tooLarge(limit: number): LonghaulError {
  return new LonghaulError({
    code: 'file-too-large',
    cause: `A list of messages is read as a whole, and this one is larger than ${limit} bytes.`,
    next: 'If it is meant to be so large, raise the limit of a file.',
  });
}
