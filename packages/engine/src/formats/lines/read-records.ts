import { LonghaulError } from '../../errors.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../json.ts';
import type { WarningList } from '../warnings.ts';
import { describeForeignBytes, isTooDeep } from './decode.ts';
import { splitLines } from './split-lines.ts';

/** One JSON object of a JSONL file. */
export interface FileRecord {
  readonly line: number;
  readonly value: JsonObject;
  /** The bytes of its line, for counting how far a reader has come. */
  readonly bytes: number;
}

/** A record that holds raw line feeds is in pieces; this many lines, and this many tries, may make one. */
const mostPieces = 500;

/** Accidents cost lines. A file that has lost more of them than it has left is not what it was taken for. */
const mostLost = 20;

const nul = String.fromCharCode(0);

/**
 * The records of a JSONL file, with what accidents do to such files mended: NUL bytes from a power loss (Copilot CLI
 * #2217), records joined in one line, raw line feeds inside a record (#2649), a torn last line. What cannot be mended is
 * left out with a warning that names the line. Never more than a line in memory.
 *
 * @example
 * for await (const { value } of readRecords({ bytes, limit, isRecord, warnings })) { … }
 */
export async function* readRecords({
  bytes,
  limit,
  isRecord,
  warnings,
}: {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The longest line, in bytes. */
  readonly limit: number;
  /** Whether an object found inside a damaged line is a record of this format. */
  readonly isRecord: (value: JsonObject) => boolean;
  readonly warnings: WarningList;
}): AsyncGenerator<FileRecord> {
  const decoder = new TextDecoder();
  let [records, lostLines] = [0, 0];
  let torn: { readonly line: number; readonly pieces: string[]; length: number } | undefined;

  for await (const { number: line, bytes: raw, ended } of splitLines({ bytes, limit })) {
    const text = withoutNul(decoder.decode(raw), line);
    if (text.trim() === '') continue;
    const value = parseJson(text);
    // A last line that is torn inside a character is torn, and no more need be said of it.
    if (ended || value !== undefined) describeForeignBytes({ bytes: raw, line, warnings });
    if (isObject(value) && !isTooDeep(value)) {
      yield* giveUp();
      records += 1;
      yield { line, value, bytes: raw.length };
      continue;
    }
    const whole = torn && joined(torn, text);
    if (whole && torn) {
      warnings.add({
        code: 'raw-line-feed',
        message: `A record was spread over ${torn.pieces.length + 1} lines; it was put together.`,
        line: torn.line,
      });
      const { line: first } = torn;
      torn = undefined;
      records += 1;
      yield { line: first, value: whole, bytes: raw.length };
      continue;
    }
    const { values, lost } = salvage({ text, isRecord });
    const sound = values.filter((found) => !isTooDeep(found));
    if (sound.length > 0) {
      yield* giveUp();
      warnings.add({ code: 'joined-lines', message: joinedMessage(sound.length, lost), line });
      records += sound.length;
      for (const found of sound) yield { line, value: found, bytes: raw.length };
      continue;
    }
    if (value !== undefined || !ended) {
      yield* giveUp();
      warnings.add(value === undefined ? tornTail(line, text) : strange(line, value));
    } else if (torn && torn.pieces.length < mostPieces && torn.length + text.length < limit) {
      torn.pieces.push(text);
      torn.length += text.length;
    } else {
      yield* giveUp();
      torn = { line, pieces: [text], length: text.length };
    }
  }
  yield* giveUp();
  if (lostLines > mostLost && lostLines > records) throw mostlyLost({ records, lost: lostLines });

  /** The torn lines before cannot be completed any more. */
  function* giveUp(): Generator<never> {
    if (!torn) return;
    torn.pieces.forEach((piece, index) => {
      const line = (torn?.line ?? 0) + index;
      lostLines += 1;
      warnings.add({
        code: 'bad-line',
        message: `This line is no JSON; its ${piece.length} characters were left out.`,
        line,
      });
    });
    torn = undefined;
  }

  function withoutNul(text: string, line: number): string {
    if (!text.includes(nul)) return text;
    const clean = text.replaceAll(nul, '');
    warnings.add({ code: 'nul-bytes', message: `${text.length - clean.length} NUL bytes were left out.`, line });
    return clean;
  }
}

/** The record that pieces and a last line make with the line feeds between them escaped, as they should have been. */
function joined(torn: { readonly pieces: readonly string[] }, last: string): JsonObject | undefined {
  // Only a line that closes an object can complete a record: it saves most of the tries.
  if (!last.trimEnd().endsWith('}')) return undefined;
  const value = parseJson([...torn.pieces, last].join('\\n'));
  return isObject(value) && !isTooDeep(value) ? value : undefined;
}

function mostlyLost({ records, lost }: { readonly records: number; readonly lost: number }): LonghaulError {
  return new LonghaulError({
    code: 'mostly-no-json',
    message: `${lost} lines of it are no JSON, and only ${records} are.`,
    hint: 'Check whether the file contains something else as well.',
  });
}

function joinedMessage(records: number, lost: number): string {
  const rest = lost > 0 ? `; ${lost} characters of a torn one were left out` : '';
  return records === 1
    ? `A whole record was found behind a torn one${rest}.`
    : `${records} records stood in one line${rest}.`;
}

function tornTail(line: number, text: string): { code: string; message: string; line: number } {
  return { code: 'torn-tail', message: `The last line is torn; its ${text.length} characters were left out.`, line };
}

function strange(line: number, value: Json): { code: string; message: string; line: number } {
  const what = isObject(value) ? 'an object with too many levels' : 'JSON, but no object';
  return { code: 'bad-line', message: `This line is ${what}; it was left out.`, line };
}

/** What was got out of a line that is not one JSON value. */
interface Salvaged {
  readonly values: readonly JsonObject[];
  /** How many characters of the line belong to no value. */
  readonly lost: number;
}

/** Where a record may begin inside a line. Inside a JSON string the quotes would be escaped. */
const opening = /\{\s*"/g;

/** What comes behind an object that is part of another; behind a record the line ends, or the next one begins. */
const isInside = /^\s*[\]},]/;
const margin = 16;

/** How many times the length of a line may be looked through: a line of nothing but openings must not take for ever. */
const mostPasses = 16;

/**
 * Extracts records from a line that holds several without line feeds between them, or a truncated record followed by a
 * whole one (an append after a missing final newline, Copilot CLI #4098; pi #8345). Only what `isRecord` accepts counts:
 * a truncated record may end in a complete inner object. Objects inside a list, or followed by more members, are inner
 * objects as well.
 *
 * @example
 * salvage({ text: '{"type":"a"}{"type":"b"}', isRecord: () => true }).values.length; // 2
 */
function salvage({
  text,
  isRecord,
}: {
  readonly text: string;
  readonly isRecord: (value: JsonObject) => boolean;
}): Salvaged {
  const values: JsonObject[] = [];
  let kept = 0;
  let work = mostPasses * Math.max(text.length, 4096);
  opening.lastIndex = 0;
  for (let found = opening.exec(text); found && work > 0; found = opening.exec(text)) {
    const start = found.index;
    const end = endOfObject(text, start);
    work -= (end ?? text.length) - start;
    const value = end === undefined ? undefined : objectOf(parseJson(text.slice(start, end)));
    if (end !== undefined && value && isRecord(value) && !isInside.test(text.slice(end, end + margin))) {
      values.push(value);
      kept += end - start;
      opening.lastIndex = end;
    } else {
      opening.lastIndex = start + 1;
    }
  }
  return { values, lost: text.trim().length - kept };
}

/** Where the object that begins at `start` ends, by counting braces outside strings; `undefined` when it does not. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x22) {
      at = endOfString(text, at);
      if (at < 0) return undefined;
    } else if (character === 0x7b) {
      depth += 1;
    } else if (character === 0x7d) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** The place of the closing quote; -1 where there is none. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

function objectOf(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}
