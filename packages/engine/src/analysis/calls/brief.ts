import type { ParsedCall } from './call.ts';

/** A call in one line: the command, the file, or the first text argument. */
export function briefOf({ call, length = 160 }: { readonly call: ParsedCall; readonly length?: number }): string {
  const change = call.changes[0];
  const read = call.reads[0];
  if (call.shell) return oneLine({ text: call.shell.command, length });
  if (change) return oneLine({ text: `${verbs[change.op]} ${change.path}${more(call.changes.length)}`, length });
  if (read) return oneLine({ text: `read ${read.path}${more(call.reads.length)}`, length });
  const words = Object.values(call.args).find((value) => typeof value === 'string' && value.trim() !== '');
  return oneLine({ text: words === undefined ? call.name : `${call.name} ${words}`, length });
}

const verbs = { write: 'write', edit: 'edit', delete: 'delete' } as const;

function more(count: number): string {
  return count > 1 ? ` and ${count - 1} more` : '';
}

/** The first non-empty line, cut to a length without splitting a character, with `…` if anything was left out. */
export function oneLine({ text, length }: { readonly text: string; readonly length: number }): string {
  // Longer texts cannot contribute to the shown line.
  const start = text.slice(0, length * 4 + 400).trimStart();
  const end = start.search(/[\r\n]/);
  const line = (end < 0 ? start : start.slice(0, end)).trimEnd();
  const isWhole = line.length === text.trim().length;
  if (line.length <= length) return isWhole ? line : `${line} …`;
  const cut = line.slice(0, length);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)} …`;
}
