import { toolKind } from '../../analysis/index.ts';
import { isArray, isObject, type Json, type JsonObject, parseJson } from '../../json.ts';
import { inferSchema } from './schema.ts';

/** Results of more bytes are kept aside. */
const threshold = 8192;

/** A result that is kept aside, and what the model reads in its place. */
export interface Offloaded {
  /** How large it is, how to read it, what is in it, its beginning and its end. */
  readonly pointer: string;
  /** Of the result in UTF-8. */
  readonly bytes: number;
  /** The result, JSON indented: what to write where it is kept as a file. */
  readonly content: string;
  readonly schema?: JsonObject;
}

/**
 * The replacement of a large result: a pointer with its size, schema and handle, and its beginning and end, so that it
 * rarely has to be recalled. `undefined` for small results, and for tools whose results are needed as they are: files
 * that are read, skills, answers of agents, recall itself.
 *
 * @example
 * const aside = offload({ text, name: 'fetch', handle: '@12.1' });
 * const shown = aside?.pointer ?? text;
 */
export function offload({
  text,
  name,
  handle,
  above = threshold,
  previewLines = 20,
}: {
  readonly text: string;
  /** Of the tool. */
  readonly name: string;
  /** Where recall finds it. */
  readonly handle: string;
  /** Bytes. */
  readonly above?: number;
  readonly previewLines?: number;
}): Offloaded | undefined {
  if (text.length * 3 <= above || !isOffloadable(name)) return undefined;
  const bytes = Buffer.byteLength(text);
  if (bytes <= above) return undefined;
  const value = parseJson(text);
  const json = value !== undefined && (isObject(value) || isArray(value)) ? value : undefined;
  const schema = json === undefined ? undefined : inferSchema({ value: json });
  const content = json === undefined ? text : (indented(json) ?? text);
  const lines = text.split('\n').length;
  const pointer = [
    `[${kilobytes(bytes)} kB${json === undefined ? '' : ' of JSON'} in ${lines} ${lines === 1 ? 'line' : 'lines'} kept aside as ${handle}. ${howTo({ handle, lines })}]`,
    ...(schema ? [`Schema: ${bounded({ text: JSON.stringify(schema), length: longestSchema })}`] : []),
    ...preview({ text: content, count: previewLines }),
  ].join('\n');
  return { pointer, bytes, content, ...(schema && { schema }) };
}

function isOffloadable(name: string): boolean {
  const kind = toolKind(name);
  return kind !== 'read' && kind !== 'skill' && kind !== 'agent' && !/recall|memory/i.test(name);
}

/** Nesting that JSON.parse survived can still be too deep to write. */
function indented(value: Json): string | undefined {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return undefined;
  }
}

function howTo({ handle, lines }: { readonly handle: string; readonly lines: number }): string {
  const part = lines > 1 ? `recall ${handle}:1-80 for lines of it` : `recall ${handle} with page 1, 2, … for its text`;
  return `Use ${part}, or search for words in it.`;
}

const longestSchema = 2000;
const longestLine = 200;

/** The first and the last lines, each cut where it is too long to be read. */
function preview({ text, count }: { readonly text: string; readonly count: number }): string[] {
  const lines = text.split('\n');
  const short = (all: readonly string[]) => all.map((line) => bounded({ text: line, length: longestLine }));
  const tail = Math.max(1, Math.floor(count / 4));
  if (lines.length <= count + tail) return ['Preview:', ...short(lines)];
  return ['Beginning:', ...short(lines.slice(0, count)), 'End:', ...short(lines.slice(-tail))];
}

function bounded({ text, length }: { readonly text: string; readonly length: number }): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut} …`;
}

function kilobytes(bytes: number): string {
  return (bytes / 1024).toFixed(1);
}
