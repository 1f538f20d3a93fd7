import { isObject, type JsonObject, parseJson } from '../json.ts';
import type { DatabaseFormat, LinesFormat, TextFormat } from './format.ts';
import { formats } from './registry.ts';

/** So much of a file is looked at to tell what it is. */
export const peekLength = 64 * 1024;

/** What tells a file is among the first lines, if it is anywhere. */
const linesToLookAt = 5;

const linesFormats = formats.filter((format) => format.kind === 'lines');

/** How every SQLite database begins. */
export const databaseStart = 'SQLite format 3';

/**
 * Tells from the beginning of a file what it is, as far as that can be told: `undefined` for one JSON value and for
 * lists of messages, which are known when they were read. A first line that is only half there still tells it, and so do
 * the records behind one that is gone.
 *
 * @example
 * recognise('{"type":"session","version":3,"id":"…"}\n')?.name; // 'pi'
 */
export function recognise(beginning: string): LinesFormat | TextFormat | DatabaseFormat | undefined {
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
export function formatOfRecord(value: JsonObject): LinesFormat | undefined {
  return linesFormats.find(({ isRecord }) => isRecord(value));
}
