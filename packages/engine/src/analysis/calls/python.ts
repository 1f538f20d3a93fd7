import type { JsonObject } from '../../json.ts';
import { textArgument } from './arguments.ts';
import type { FileChange } from './patch.ts';
import { isPath } from './paths.ts';
import type { FileRead } from './shell/reads.ts';

/** The functions that older OpenHands gave its model in Python, each with the path as its first argument. */
const known =
  /\b(open_file|create_file|edit_file_by_replace|insert_content_at_line|append_file)\(\s*(?:\w+\s*=\s*)?(['"])(.{1,1000}?)\2/g;

/** What a piece of Python does to files, where it uses the functions that are there for it. */
export function pythonCall(args: JsonObject): { readonly reads: FileRead[]; readonly changes: FileChange[] } {
  const code = textArgument({ from: args, names: ['code', 'command', 'content'] }) ?? '';
  const reads: FileRead[] = [];
  const changes: FileChange[] = [];
  for (const [, name, , path = ''] of code.matchAll(known)) {
    if (!isPath(path)) continue;
    if (name === 'open_file') reads.push({ path, isRaw: false, lines: 'some' });
    else changes.push({ path, op: 'edit', added: '', removed: '' });
  }
  return { reads, changes };
}
