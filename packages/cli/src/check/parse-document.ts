import { isRecord } from '../input/is-record.ts';
import { parseJsonText } from '../input/parse-json.ts';

/**
 * The value of a file: JSON, or JSONL with one message a line, which becomes a list. Which it is is told from the text;
 * the name decides only where the text leaves it open.
 *
 * @example
 * parseDocument({ text: '{"role":"user","content":"hi"}\n', name: 'chat.jsonl' }); // [{ role: 'user', content: 'hi' }]
 */
export function parseDocument({ text, name }: { readonly text: string; readonly name: string }): unknown {
  const named = /\.(jsonl|ndjson)$/i.test(name);
  const whole = tryParse(text);
  if (whole !== undefined) return isOneMessage({ value: whole, named }) ? [whole] : whole;
  const lines = text.split('\n');
  const first = lines.find((line) => line.trim() !== '') ?? '';
  // The first line of JSONL is a whole object; that of JSON over several lines is not.
  if (!named && !isRecord(tryParse(first))) return parseJsonText({ text, name });
  return lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [parseJsonText({ text: line, name, firstLine: index + 1 })],
  );
}

/** JSONL of a single line is JSON as well: the text of one message. */
function isOneMessage({ value, named }: { readonly value: unknown; readonly named: boolean }): boolean {
  if (!isRecord(value)) return false;
  const isRequest = ['messages', 'input', 'contents'].some((member) => member in value);
  return !isRequest && (named || typeof value.role === 'string');
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
