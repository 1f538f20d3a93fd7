import { isObject, parseJson } from '../../json.ts';
import { isOwnRecord } from './own/read.ts';
import { isPiHeader, isPiRecord } from './pi/header.ts';

/** How a file is to be read: line by line as one of the two session formats, or as a whole. */
export type Kind = 'longhaul' | 'pi' | 'plain';

/** So much of a file is looked at to tell what it is. */
export const peekLength = 64 * 1024;

const headerStart = /^\ufeff?\s*\{\s*"type"\s*:\s*"session"/;

/** A header is among the first lines, if it is anywhere. */
const linesToLookAt = 5;

/**
 * Tells from the beginning of a file what it is. A header that is only half there still tells it, and so do the entries
 * behind one that is gone.
 *
 * @example
 * recognise('{"type":"session","version":3,"id":"…"}\n'); // 'pi'
 */
export function recognise(beginning: string): Kind {
  const text = beginning.replaceAll(String.fromCharCode(0), '').replace(/^\ufeff/, '');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const looked = lines.slice(0, linesToLookAt);
  for (const line of looked) {
    const value = parseJson(line);
    if (!isObject(value)) continue;
    if (isOwnRecord(value)) return 'longhaul';
    if (isPiHeader(value) || isPiRecord(value)) return 'pi';
  }
  const torn = looked.find((line) => headerStart.test(line));
  if (torn === undefined) return 'plain';
  return /"format"\s*:\s*"longhaul"/.test(torn) ? 'longhaul' : 'pi';
}

/** The members of a header that can still be read in its torn line. */
export function headerPieces(beginning: string): { readonly [name: string]: string } {
  const [line = ''] = beginning.split('\n');
  if (!headerStart.test(line)) return {};
  const found = [...line.matchAll(/"(id|timestamp|cwd|name)"\s*:\s*("(?:[^"\\]|\\.)*")/g)];
  return Object.fromEntries(found.map(([, name, text = '']) => [name, String(parseJson(text) ?? '')]));
}
