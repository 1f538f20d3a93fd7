import type { SourceItem } from '../../source.ts';
import type { ChosenLine } from '../chosen.ts';

/** So much of a call says what it was. */
const length = 70;
/** Nothing beyond this can be part of it. */
const longest = 600;

/**
 * Says of a result in a few words what was called. Looked up on demand: few results are quoted.
 *
 * @example
 * const callOf = callsOf({ items });
 */
export function callsOf({
  items,
  root,
}: {
  readonly items: readonly SourceItem[];
  /** The folder of the project: what lies in it is named from there. */
  readonly root?: string | undefined;
}): (line: ChosenLine) => string | undefined {
  const byHandle = new Map(items.map((item) => [item.handle, item]));
  const calls = new Map<string, string>();
  for (const { message } of items) {
    for (const part of message.parts)
      if (part.type === 'tool_call') calls.set(part.id, `${part.name} ${part.arguments}`);
  }
  return ({ handle, part = 1 }) => {
    const source = byHandle.get(handle)?.message.parts[part - 1];
    const call = source?.type === 'tool_result' ? calls.get(source.callId) : undefined;
    if (call === undefined) return undefined;
    return inShort(root === undefined ? call : call.slice(0, longest).replaceAll(`${root}/`, ''));
  };
}

/** The values of the arguments without their names: a command, a path, a pattern. */
function inShort(call: string): string {
  const bare = call
    .slice(0, longest)
    .replace(/\\[nrt]/g, ' ')
    .replace(/\\"/g, "'")
    .replace(/"(?:command|cmd|description|path|file_?path|pattern|query|input|prompt)":\s*/gi, '')
    .replace(/[{}"[\]]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return bare.length > length ? `${bare.slice(0, length).toWellFormed()}…` : bare;
}
