import type { ToolCallPart } from 'longhaul/message';
import { isRecord } from '../input/is-record.ts';

/** What a call did to a file, as far as its arguments tell. */
export interface Touch {
  readonly path: string;
  readonly kind: 'read' | 'write';
}

/** The tools of Claude Code, Codex, Copilot, Gemini CLI, opencode, OpenHands and pi that read files, in lower case. */
const readers: ReadonlySet<string> = new Set([
  'notebookread',
  'open',
  'read',
  'read_file',
  'read_many_files',
  'view',
  'view_image',
]);

/** Those that change them. */
const writers: ReadonlySet<string> = new Set([
  'create',
  'create_file',
  'edit',
  'edit_file',
  'edit_notebook_file',
  'insert_edit_into_file',
  'multi_replace_string_in_file',
  'multiedit',
  'notebookedit',
  'replace',
  'replace_string_in_file',
  'write',
  'write_file',
]);

/** Those that do either, as their argument `command` says. */
const editors: ReadonlySet<string> = new Set(['file_editor', 'str_replace_based_edit_tool', 'str_replace_editor']);

const pathKeys = ['file_path', 'filePath', 'path', 'absolute_path', 'notebook_path'] as const;

/** How `apply_patch` names its files, wherever the patch stands: as a tool's text, in an argument, in a shell command. */
const patchStart = '*** Begin Patch';
const patchedFile = /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\r?$/gm;

/**
 * The files that a call read or changed, each once. Commands of a shell are not taken apart.
 *
 * @example
 * filesTouched({ type: 'tool_call', origin: 'model', id: 'a', name: 'Read', arguments: '{"file_path":"/a.ts"}' });
 * // [{ path: '/a.ts', kind: 'read' }]
 */
export function filesTouched(call: ToolCallPart): readonly Touch[] {
  const args = argumentsOf(call);
  const patched = patchesIn(args).flatMap((text) => [...text.matchAll(patchedFile)].map(([, path = '']) => path));
  const kind = kindOf({ name: call.name.toLowerCase(), args });
  const named = kind === undefined ? [] : pathsIn(args);
  return [
    ...[...new Set(patched)].map((path) => ({ path, kind: 'write' as const })),
    ...(kind === undefined ? [] : [...new Set(named)].map((path) => ({ path, kind }))),
  ];
}

function argumentsOf({ arguments: text, freeform }: ToolCallPart): unknown {
  if (freeform) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function kindOf({ name, args }: { readonly name: string; readonly args: unknown }): Touch['kind'] | undefined {
  if (readers.has(name)) return 'read';
  if (writers.has(name)) return 'write';
  if (!editors.has(name)) return undefined;
  return isRecord(args) && args.command === 'view' ? 'read' : 'write';
}

/** Paths among the arguments, and in lists of edits one level below. */
function pathsIn(args: unknown): string[] {
  if (!isRecord(args)) return [];
  const own = pathKeys.map((key) => args[key]).filter((path) => typeof path === 'string' && path !== '');
  const below = Object.values(args)
    .filter((value) => Array.isArray(value))
    .flatMap((list: unknown[]) => list.flatMap((item) => pathsIn(item)));
  return [...(own as string[]), ...below];
}

function patchesIn(args: unknown): string[] {
  if (typeof args === 'string') return args.includes(patchStart) ? [args] : [];
  if (Array.isArray(args)) return args.flatMap(patchesIn);
  return isRecord(args) ? Object.values(args).flatMap(patchesIn) : [];
}
