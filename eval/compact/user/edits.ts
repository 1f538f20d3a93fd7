import type { ToolCallPart } from 'longhaul/message';

/** What an edit took away, or looked for, and what it put there, line by line. */
export interface Edit {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const oldNames = ['old_string', 'oldString', 'oldText', 'old_str'];
const newNames = ['new_string', 'newString', 'newText', 'new_str', 'content', 'file_text'];
/** A shorter line (`});`) is in any file. */
const shortestLine = 12;

/**
 * The edit that a call makes, by the names that agents give to its arguments, or as a patch; `undefined` where it makes
 * none. Written apart from the engine's own reading of calls, so that it can judge it.
 */
export function editOf(call: ToolCallPart): Edit | undefined {
  const before: string[] = [];
  const after: string[] = [];
  const visit = (value: unknown, name = ''): void => {
    if (typeof value === 'string') {
      if (value.startsWith('*** Begin Patch')) visitPatch(value);
      else if (oldNames.includes(name)) before.push(value);
      else if (newNames.includes(name)) after.push(value);
    } else if (Array.isArray(value)) for (const one of value) visit(one);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) visit(member, key);
    }
  };
  const visitPatch = (patch: string) => {
    for (const line of patch.split('\n')) {
      if (/^[ -]/.test(line)) before.push(line.slice(1));
      if (/^\+/.test(line)) after.push(line.slice(1));
    }
  };
  if (call.freeform) visit(call.arguments);
  else visit(parsed(call.arguments));
  const edit = { before: linesOf(before), after: linesOf(after) };
  return edit.before.length + edit.after.length === 0 ? undefined : edit;
}

function linesOf(texts: readonly string[]): string[] {
  const lines = texts.flatMap((text) => text.split('\n')).map((line) => line.trim());
  return [...new Set(lines)].filter((line) => line.length >= shortestLine);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
