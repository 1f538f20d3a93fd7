import { isArray, isObject, type Json, type JsonObject, parseJson } from '../../json.ts';
import type { ToolCallPart } from '../../message/index.ts';

/** Argument names that agents use for the same thing; the first one present counts. */
export const argumentNames = {
  path: [
    'file_path',
    'filePath',
    'path',
    'absolute_path',
    'target_file',
    'notebook_path',
    'filename',
    'file',
    'relative_workspace_path',
  ],
  paths: ['paths', 'files', 'filePaths'],
  content: ['content', 'file_text', 'contents', 'code'],
  before: ['old_string', 'old_str', 'oldString', 'oldText', 'search'],
  after: ['new_string', 'new_str', 'newString', 'newText', 'replace', 'new_source', 'code', 'content'],
  edits: ['edits', 'replacements'],
  patch: ['patchText', 'input', 'patch', 'diff'],
  command: ['command', 'cmd', 'script'],
  directory: ['workdir', 'directory', 'cwd', 'working_directory', 'dir_path'],
  shell: ['bash_id', 'shell_id', 'shellId', 'sessionId', 'session_id', 'task_id', 'id'],
} as const;

/** The arguments of a call as an object; empty if they are free text or not an object. */
export function argumentsOf(call: ToolCallPart): JsonObject {
  if (call.freeform) return {};
  const value = parseJson(call.arguments);
  return isObject(value) ? value : {};
}

/** The first of the named arguments that is a string, or a number as a string. */
export function textArgument({
  from,
  names,
}: {
  readonly from: JsonObject;
  readonly names: readonly string[];
}): string | undefined {
  for (const name of names) {
    const value = from[name];
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

/** The first of the named arguments that is a list. */
export function listArgument({
  from,
  names,
}: {
  readonly from: JsonObject;
  readonly names: readonly string[];
}): readonly Json[] | undefined {
  return names.map((name) => from[name]).find(isArray);
}

export function numberArgument({ from, name }: { readonly from: JsonObject; readonly name: string }) {
  const value = from[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function isTrue({ from, names }: { readonly from: JsonObject; readonly names: readonly string[] }): boolean {
  return names.some((name) => from[name] === true);
}
