import { isObject, type Json, type JsonObject, parseJson } from '../../json.ts';

/** What was got out of a line that is not one JSON value. */
export interface Salvaged {
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
 * Takes records out of a line that holds several without line feeds between them, or the torn beginning of one and then a
 * whole one (an append after a missing final newline, Copilot CLI #4098; pi #8345). Whatever `isRecord` does not know is
 * no record: a torn record may end in a whole object of its inside. Nor is what stands in a list or has more behind it:
 * that is of the inside, too.
 *
 * @example
 * salvage({ text: '{"type":"a"}{"type":"b"}', isRecord: () => true }).values.length; // 2
 */
export function salvage({
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
