import { LonghaulError } from '../errors.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../json.ts';
import { dialects } from '../message/index.ts';
import { aider } from './aider/format.ts';
import { claudeCode } from './claude-code/format.ts';
import { codex } from './codex/format.ts';
import { copilot } from './copilot/format.ts';
import type { DatabaseFormat, Format, LinesFormat, TextFormat } from './format.ts';
import { geminiDocument, geminiLines } from './gemini-cli/format.ts';
import { decompress, isTooDeep, refuseForeignBytes, utf8Text } from './lines/decode.ts';
import { type FileRecord, readRecords } from './lines/read-records.ts';
import { splitLines } from './lines/split-lines.ts';
import { opencodeDatabase, opencodeExport } from './opencode/format.ts';
import { openhands, openhandsDocument } from './openhands/format.ts';
import { own } from './own/format.ts';
import { type ImportFormat, importFormats, type ParsedSession } from './parsed-session.ts';
import { pi } from './pi/format.ts';
import { readPlain } from './plain/message-list.ts';
import { sweAgent } from './swe-agent/format.ts';
import { tauBench } from './tau-bench/format.ts';
import type { WarningList } from './warnings.ts';

/**
 * All session formats, in the order in which a file is matched against them. pi is the last of the line formats, because
 * its newer record kinds have few distinctive fields. Whatever matches none is treated as a list of messages.
 */
const formats: readonly Format[] = [
  own,
  claudeCode,
  codex,
  copilot,
  geminiLines,
  openhands,
  pi,
  geminiDocument,
  opencodeExport,
  openhandsDocument,
  sweAgent,
  tauBench,
  aider,
  opencodeDatabase,
];

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
export async function openSessionFile({
  bytes,
  path,
  format,
  limits,
  warnings,
}: {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Where the file is, for formats that have to be opened there. */
  readonly path?: string;
  /** Detected from the content if absent. */
  readonly format?: ImportFormat;
  readonly limits: ImportLimits;
  readonly warnings: WarningList;
}): Promise<ParsedSession> {
  const { start, all } = await peek(decompress(bytes));
  const beginning = new TextDecoder().decode(start);
  if (!beginning.startsWith(databaseStart)) refuseForeignBytes(start);
  if (beginning.replaceAll(String.fromCharCode(0), '').trim() === '') throw empty();
  const found = recognize(beginning);
  if (found && format !== undefined && found.name !== format) throw wrongFormat({ format, found: found.name });
  switch (found?.kind) {
    case 'database':
      if (path === undefined) throw needsPath();
      return found.read({ path, warnings });
    case 'text':
      return found.read({ lines: textLines({ bytes: all, limits, warnings }), beginning, warnings });
    case 'lines':
      return await openLines({ format: found, bytes: all, beginning, limits, warnings });
    default:
      return await openWhole({ bytes: all, format, limits, warnings });
  }
}

async function openLines({
  format,
  bytes,
  beginning,
  limits,
  warnings,
}: {
  readonly format: LinesFormat;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly beginning: string;
  readonly limits: ImportLimits;
  readonly warnings: WarningList;
}): Promise<ParsedSession> {
  const { isRecord, name } = format;
  const records = readRecords({ bytes, limit: limits.lineBytes, isRecord, warnings });
  const { done, value: first } = await records.next();
  if (done) throw brokenJson(beginning) ?? unknownFormat();
  return format.read({ first, records: rejectMixedFormats({ first, records, name }), beginning, warnings });
}

/** Two sessions of different agents in one file are no session: whose would it be? */
async function* rejectMixedFormats(of: {
  readonly first: FileRecord;
  readonly records: AsyncIterable<FileRecord>;
  readonly name: ImportFormat;
}): AsyncGenerator<FileRecord> {
  yield of.first;
  for await (const record of of.records) {
    const other = formatOfRecord(record.value);
    if (other && other.name !== of.name && !isOf(of.name, record.value)) throw mixed({ ...record, ...of, other });
    yield record;
  }
}

function isOf(name: ImportFormat, value: JsonObject): boolean {
  return formats.some((format) => format.kind === 'lines' && format.name === name && format.isRecord(value));
}

async function* textLines({
  bytes,
  limits,
  warnings,
}: {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly limits: ImportLimits;
  readonly warnings: WarningList;
}): AsyncGenerator<{ readonly number: number; readonly text: string }> {
  for await (const { number, bytes: line } of splitLines({ bytes, limit: limits.lineBytes })) {
    yield { number, text: utf8Text({ bytes: line, line: number, warnings }).replace(/\r$/, '') };
  }
}

async function openWhole({
  bytes,
  format,
  limits,
  warnings,
}: {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly format: ImportFormat | undefined;
  readonly limits: ImportLimits;
  readonly warnings: WarningList;
}): Promise<ParsedSession> {
  const text = await whole({ bytes, limit: limits.fileBytes, warnings });
  const value = parseJson(text) ?? (isOneValue(text) ? undefined : await messagesOf({ text, limits, warnings }));
  if (value === undefined) throw brokenJson(text) ?? unknownFormat();
  if (typeof value !== 'object' || value === null) throw unknownFormat();
  if (isTooDeep(value)) throw tooDeep();
  const document = formats.find((known) => known.kind === 'document' && known.isDocument(value));
  const dialect = dialects.find((name) => name === format);
  if (format !== undefined && document?.name !== format && (document || !dialect)) {
    throw wrongFormat({ format, found: document?.name });
  }
  if (document?.kind === 'document') return document.read({ value, warnings });
  // A single line of a file with a message a line is JSON as well.
  const list = isObject(value) && typeof value.role === 'string' ? [value] : value;
  return readPlain({ value: list, ...(dialect && { dialect }) });
}

/** Whether it can only have been meant as one value: a file with a message a line has lines, each an object. */
function isOneValue(text: string): boolean {
  const json = text.trim();
  return json.startsWith('[') || !json.includes('\n');
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
  try {
    for await (const { value } of readRecords({ bytes, limit: of.limits.lineBytes, isRecord, warnings: found })) {
      list.push(value);
    }
  } catch (error) {
    if (LonghaulError.is(error) && error.code === 'mostly-no-json') return undefined;
    throw error;
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

/** The first bytes of a file, and all of it. */
async function peek(
  bytes: AsyncIterable<Uint8Array>,
): Promise<{ readonly start: Uint8Array; readonly all: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  const taken: Uint8Array[] = [];
  let length = 0;
  while (length < peekLength) {
    const { done, value } = await iterator.next();
    if (done) break;
    taken.push(value);
    length += value.length;
  }
  return { start: Buffer.concat(taken).subarray(0, peekLength), all: chain() };

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

async function whole(of: {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly limit: number;
  readonly warnings: WarningList;
}): Promise<string> {
  const lines: string[] = [];
  let length = 0;
  const counted = async function* () {
    for await (const piece of of.bytes) {
      length += piece.length;
      if (length > of.limit) throw tooLarge(of.limit);
      yield piece;
    }
  };
  for await (const { number, bytes } of splitLines({ bytes: counted(), limit: of.limit })) {
    lines.push(utf8Text({ bytes, line: number, warnings: of.warnings }));
  }
  return lines.join('\n');
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function empty(): LonghaulError {
  return new LonghaulError({
    code: 'file-empty',
    message: 'The file is empty.',
    hint: 'See whether the program that writes it has finished, or name another file.',
  });
}

/** What begins as JSON and is none was meant to be a file of one value; lines of JSON are read one by one. */
function brokenJson(text: string): LonghaulError | undefined {
  const json = text.replace(/^\ufeff/, '').trim();
  const end = json.startsWith('{') ? '}' : json.startsWith('[') ? ']' : undefined;
  if (end === undefined) return undefined;
  return new LonghaulError({
    code: 'broken-json',
    message: json.endsWith(end) ? 'It begins as JSON, and is not valid.' : 'It begins as JSON, and its end is missing.',
    hint: 'See whether the program that writes it has finished, and whether it was copied as a whole.',
  });
}

function unknownFormat(): LonghaulError {
  return new LonghaulError({
    code: 'not-a-session',
    message: 'This is no session, and no list of messages, of a format that is known.',
    hint: `Give a session of one of these, or messages as JSON: ${importFormats.join(', ')}.`,
  });
}

function tooDeep(): LonghaulError {
  return new LonghaulError({
    code: 'nested-too-deep',
    message: 'It has lists and objects inside each other more than 1000 levels deep.',
    hint: 'See whether it is the file you meant; no provider accepts such a conversation.',
  });
}

function tooLarge(limit: number): LonghaulError {
  return new LonghaulError({
    code: 'file-too-large',
    message: `A list of messages is read as a whole, and this one is larger than ${limit} bytes.`,
    hint: 'If it is meant to be so large, raise the limit of a file.',
  });
}

function wrongFormat({
  format,
  found,
}: {
  readonly format: ImportFormat;
  readonly found: ImportFormat | undefined;
}): LonghaulError {
  return new LonghaulError({
    code: 'wrong-format',
    message: `This is no session of the format ${format}${found === undefined ? '' : `; it looks like ${found}`}.`,
    hint: 'Omit the format to detect it from the content.',
  });
}

function mixed(of: { readonly line: number; readonly name: ImportFormat; readonly other: LinesFormat }): LonghaulError {
  return new LonghaulError({
    code: 'mixed-formats',
    message: `Line ${of.line} is of a session of ${of.other.name}, in a file of ${of.name}.`,
    hint: 'Give each session a file of its own.',
  });
}

function needsPath(): LonghaulError {
  return new LonghaulError({
    code: 'needs-a-path',
    message: 'This is a database, which can only be read where it is.',
    hint: 'Name the file itself instead of passing on its bytes.',
  });
}

/** So much of a file is looked at to tell what it is. */
const peekLength = 64 * 1024;

/** What tells a file is among the first lines, if it is anywhere. */
const linesToLookAt = 5;

const linesFormats = formats.filter((format) => format.kind === 'lines');

/** How every SQLite database begins. */
const databaseStart = 'SQLite format 3';

/**
 * Detects the format from the beginning of a file: `undefined` for a single JSON value and for lists of messages, which
 * are detected after parsing. A truncated first line is sufficient, and so are the records after a missing one.
 *
 * @example
 * recognize('{"type":"session","version":3,"id":"…"}\n')?.name; // 'pi'
 */
function recognize(beginning: string): LinesFormat | TextFormat | DatabaseFormat | undefined {
  if (beginning.startsWith(databaseStart)) return formats.find((format) => format.kind === 'database');
  const text = beginning.replaceAll(String.fromCharCode(0), '').replace(/^\ufeff/, '');
  const looked = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, linesToLookAt);
  for (const line of looked) {
    const value = parseJson(line);
    const found = isObject(value) ? formatOfRecord(value) : undefined;
    if (found) return found;
  }
  for (const line of looked) {
    const found = linesFormats.find(({ startsLike }) => startsLike?.test(line.trimStart()));
    if (found) return found;
  }
  return formats.filter((format) => format.kind === 'text').find(({ isText }) => isText(text));
}

/** The format that a record is of. */
function formatOfRecord(value: JsonObject): LinesFormat | undefined {
  return linesFormats.find(({ isRecord }) => isRecord(value));
}
