import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { codecs, type Dialect, dialects, type Json, readConversation } from 'longhaul/message';

/**
 * Looks for messages of any dialect anywhere in the JSON and JSONL files of a folder, and gives each to the codec of
 * its dialect and back. Prints how many came back equal, and how many parts the codec knew.
 */
export function run(folder: string): void {
  const tally = new Map(dialects.map((dialect) => [dialect, { items: 0, equal: 0, parts: 0, opaque: 0 }]));
  for (const value of documents(folder)) {
    for (const item of candidates(value)) count({ item, tally });
  }
  console.log('dialect            items   equal   parts  opaque');
  for (const [dialect, row] of tally) {
    const cells = [row.items, row.equal, row.parts, row.opaque].map((cell) => String(cell).padStart(8));
    console.log(`${dialect.padEnd(16)}${cells.join('')}`);
  }
  const isWhole = [...tally.values()].every(({ items, equal }) => items === equal);
  process.exitCode = isWhole ? 0 : 1;
}

function count(input: {
  readonly item: Json;
  readonly tally: Map<Dialect, { items: number; equal: number; parts: number; opaque: number }>;
}): void {
  const dialect = dialectOf(input.item);
  const row = dialect && input.tally.get(dialect);
  if (!row) return;
  const codec = codecs[dialect];
  const messages = codec.decode([input.item]);
  row.items += 1;
  if (isDeepStrictEqual(codec.encode(messages), [input.item])) row.equal += 1;
  for (const part of messages.flatMap(({ parts }) => parts)) {
    row.parts += 1;
    if (part.type === 'opaque') row.opaque += 1;
  }
}

function dialectOf(item: Json): Dialect | undefined {
  try {
    return readConversation({ value: [item] }).dialect;
  } catch {
    return undefined;
  }
}

/** Every object in the value that could be an item: it has a role with content or parts, or the type of a Responses item. */
function* candidates(value: Json): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  const record = value as Record<string, Json>;
  const isItem =
    (typeof record.role === 'string' && (record.content !== undefined || record.parts !== undefined)) ||
    (typeof record.type === 'string' && /^(function|custom_tool)_call(_output)?$|^reasoning$/.test(record.type));
  if (isItem) yield value;
  else for (const member of Object.values(record)) yield* candidates(member);
}

function* documents(folder: string): Generator<Json> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(jsonl?|traj)$/.test(entry.name)) continue;
    const text = readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8');
    const chunks = entry.name.endsWith('.jsonl') ? text.split('\n').filter(Boolean) : [text];
    for (const chunk of chunks) {
      try {
        yield JSON.parse(chunk) as Json;
      } catch {
        console.error(`${entry.name}: a line is no JSON and was left out`);
      }
    }
  }
}
