import { type JsonObject, parseJson } from '../../json.ts';

/**
 * The members of a header that can still be read in its torn line; none where the file does not begin with one.
 *
 * @example
 * headerPieces({ beginning: '{"type":"session","id":"0f3a","cw', start: /"session"/, names: ['id', 'cwd'] }); // { id: '0f3a' }
 */
export function headerPieces({
  beginning,
  start,
  names,
}: {
  readonly beginning: string;
  /** What only the line of a header has. */
  readonly start: RegExp;
  /** The members that are asked for: texts only. */
  readonly names: readonly string[];
}): JsonObject {
  const [line = ''] = beginning.split('\n');
  if (!start.test(line)) return {};
  const pattern = new RegExp(`"(${names.join('|')})"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`, 'g');
  return Object.fromEntries([...line.matchAll(pattern)].map(([, name, text = '']) => [name, parseJson(text)]));
}

/** What is left of the header of a session of pi, or of ours. */
export function sessionPieces(beginning: string): JsonObject {
  const start = /^\ufeff?\s*\{\s*"type"\s*:\s*"session"/;
  return headerPieces({ beginning, start, names: ['id', 'timestamp', 'cwd', 'name'] });
}
