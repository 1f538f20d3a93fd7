import { parseJson } from '../../../json.ts';

const headerStart = /^\ufeff?\s*\{\s*"type"\s*:\s*"session"/;

/** The members of a header that can still be read in its torn line. */
export function headerPieces(beginning: string): { readonly [name: string]: string } {
  const [line = ''] = beginning.split('\n');
  if (!headerStart.test(line)) return {};
  const found = [...line.matchAll(/"(id|timestamp|cwd|name)"\s*:\s*("(?:[^"\\]|\\.)*")/g)];
  return Object.fromEntries(found.map(([, name, text = '']) => [name, String(parseJson(text) ?? '')]));
}
