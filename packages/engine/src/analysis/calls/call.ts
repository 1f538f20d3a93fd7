import { isObject, type JsonObject, parseJson } from '../../json.ts';
import type { ToolCallPart } from '../../message/index.ts';
import { argumentNames, argumentsOf, isTrue, listArgument, numberArgument, textArgument } from './arguments.ts';
import { type FileChange, patchChanges } from './patch.ts';
import { isPath, resolvePath } from './paths.ts';
import { type ShellEffects, shellEffects } from './shell/effects.ts';
import type { FileRead } from './shell/reads.ts';
import { plainName, type ToolKind, toolKind } from './tools.ts';

/** A tool call as far as the engine understands it. Whether it succeeded is in the result. */
export interface ParsedCall {
  readonly name: string;
  readonly kind: ToolKind | undefined;
  readonly args: JsonObject;
  readonly reads: readonly FileRead[];
  readonly changes: readonly FileChange[];
  readonly shell?: ShellCall;
}

interface ShellCall {
  readonly command: string;
  readonly effects: ShellEffects;
  /** The requested working directory. */
  readonly directory?: string;
  readonly isBackground: boolean;
  /** Whether the agent marks every failure, so that a result without a mark means exit code 0. */
  readonly isMarking: boolean;
  /** The shell id given by the model. */
  readonly id?: string;
}

/**
 * Reads a tool call of any known agent.
 *
 * @example
 * readCall({ part, directory: '/home/me/project' }).changes; // [{ path: 'src/a.ts', op: 'edit', … }]
 */
export function readCall({
  part,
  directory,
}: {
  readonly part: ToolCallPart;
  /** The working directory of the session, which relative shell paths refer to. */
  readonly directory?: string | undefined;
}): ParsedCall {
  const kind = toolKind(part.name);
  const args = argumentsOf(part);
  const base = { name: part.name, kind, args, reads: [], changes: [] };
  switch (kind) {
    case 'read':
      return { ...base, reads: readsOf({ args, name: part.name }) };
    case 'write':
    case 'edit':
      return { ...base, changes: changesOf({ args, kind, name: part.name }) };
    case 'editor':
      return { ...base, ...editorCall(args) };
    case 'patch':
      return { ...base, changes: patchChanges(patchText({ part, args })) };
    case 'python':
      return { ...base, ...pythonCall(args) };
    case 'shell': {
      const shell = shellOf({ part, args, directory });
      return shell ? { ...base, reads: shell.effects.reads, changes: shell.effects.changes, shell } : base;
    }
    default:
      return base;
  }
}

/** A patch comes as an argument, as free text, or (Copilot CLI) as a JSON string. */
function patchText({ part, args }: { readonly part: ToolCallPart; readonly args: JsonObject }): string {
  if (part.freeform) return part.arguments;
  const named = textArgument({ from: args, names: argumentNames.patch });
  if (named !== undefined) return named;
  const value = part.arguments.startsWith('"') ? parseJson(part.arguments) : undefined;
  return typeof value === 'string' ? value : part.arguments;
}

function readsOf({ args, name }: { readonly args: JsonObject; readonly name: string }): FileRead[] {
  const lines = rangeOf(args);
  return pathsOf(args).map((path) => ({ path, ...(lines && { lines }), isRaw: !lines && isRawReader({ args, name }) }));
}

/** pi and Gemini CLI return the raw file; others number its lines or wrap it. */
function isRawReader({ args, name }: { readonly args: JsonObject; readonly name: string }): boolean {
  const plain = plainName(name);
  if (plain === 'read') return typeof args.path === 'string';
  return plain === 'readfile' && (typeof args.file_path === 'string' || typeof args.absolute_path === 'string');
}

function pathsOf(args: JsonObject): string[] {
  const one = textArgument({ from: args, names: argumentNames.path });
  if (one !== undefined) return isPath(one) ? [one] : [];
  const many = listArgument({ from: args, names: argumentNames.paths }) ?? [];
  return many.filter((path): path is string => typeof path === 'string' && isPath(path) && !/[*?]/.test(path));
}

function rangeOf(args: JsonObject): FileRead['lines'] {
  const range = listArgument({ from: args, names: ['view_range', 'line_range', 'range'] });
  if (range && typeof range[0] === 'number') {
    const to = typeof range[1] === 'number' && range[1] > 0 ? range[1] : Number.MAX_SAFE_INTEGER;
    return { from: range[0], to };
  }
  const first = firstNumber({ args, names: ['start_line', 'startLine', 'offset'] });
  const last = firstNumber({ args, names: ['end_line', 'endLine'] });
  const limit = numberArgument({ from: args, name: 'limit' });
  if (first === undefined && last === undefined && limit === undefined) return undefined;
  const from = Math.max(1, first ?? 1);
  return { from, to: last ?? (limit === undefined ? Number.MAX_SAFE_INTEGER : from + limit - 1) };
}

function firstNumber({ args, names }: { readonly args: JsonObject; readonly names: readonly string[] }) {
  return names.map((name) => numberArgument({ from: args, name })).find((value) => value !== undefined);
}

function changesOf({
  args,
  kind,
  name,
}: {
  readonly args: JsonObject;
  readonly kind: 'write' | 'edit';
  readonly name: string;
}): FileChange[] {
  const path = textArgument({ from: args, names: argumentNames.path });
  const edits = listArgument({ from: args, names: argumentNames.edits })?.filter(isObject) ?? [];
  if (path === undefined) return edits.flatMap((edit) => changesOf({ args: edit, kind: 'edit', name }));
  if (!isPath(path)) return [];
  if (plainName(name) === 'deletefile') return [{ path, op: 'delete', added: '', removed: '' }];
  if (kind === 'write') {
    const added = textArgument({ from: args, names: argumentNames.content }) ?? '';
    return [{ path, op: 'write', added, removed: '' }];
  }
  const pairs = edits.length > 0 ? edits : [args];
  return [{ path, op: 'edit', added: joined(pairs, 'after'), removed: joined(pairs, 'before') }];
}

function joined(edits: readonly JsonObject[], side: 'before' | 'after'): string {
  return edits.map((edit) => textArgument({ from: edit, names: argumentNames[side] }) ?? '').join('\n');
}

function editorCall(args: JsonObject): Pick<ParsedCall, 'reads' | 'changes'> {
  const path = textArgument({ from: args, names: argumentNames.path });
  if (path === undefined || !isPath(path)) return { reads: [], changes: [] };
  switch (args.command) {
    case 'view': {
      const lines = rangeOf(args);
      return { reads: [{ path, ...(lines && { lines }), isRaw: false }], changes: [] };
    }
    case 'create':
    case 'write':
      return { reads: [], changes: changesOf({ args, kind: 'write', name: '' }) };
    default:
      return { reads: [], changes: changesOf({ args, kind: 'edit', name: '' }) };
  }
}

function shellOf({
  part,
  args,
  directory,
}: {
  readonly part: ToolCallPart;
  readonly args: JsonObject;
  readonly directory: string | undefined;
}): ShellCall | undefined {
  const command = part.freeform ? part.arguments : commandOf(args);
  if (command === undefined) return undefined;
  const own = textArgument({ from: args, names: argumentNames.directory });
  const where = own === undefined ? directory : resolvePath({ path: own, base: directory });
  const effects = shellEffects({
    line: command,
    directory: where === directory ? undefined : where,
    isWindows: /powershell|pwsh|^cmd$/.test(plainName(part.name)),
  });
  const id = textArgument({ from: args, names: ['shellId', 'sessionId', 'session_id'] });
  const isRequested =
    isTrue({ from: args, names: ['run_in_background', 'is_background', 'isBackground', 'background', 'detach'] }) ||
    args.mode === 'async' ||
    args.mode === 'detached';
  return {
    command,
    effects,
    ...(own !== undefined && { directory: own }),
    isBackground: isRequested || effects.isBackground,
    isMarking: isMarking({ name: part.name, args }),
    ...(id !== undefined && { id }),
  };
}

/** Claude Code, Gemini CLI, pi and our own agent; opencode's tool has the same name but more arguments. */
function isMarking({ name, args }: { readonly name: string; readonly args: JsonObject }): boolean {
  if (name === 'Bash' || name === 'run_shell_command') return true;
  return (
    name === 'bash' &&
    Object.keys(args).every((key) => /^(?:command|timeout|workdir|background|outside_sandbox)$/.test(key))
  );
}

/** Codex passes a program and its arguments: `["bash", "-lc", "…"]`. */
function commandOf(args: JsonObject): string | undefined {
  const list = listArgument({ from: args, names: argumentNames.command });
  if (!list) return textArgument({ from: args, names: argumentNames.command });
  const words = list.filter((word): word is string => typeof word === 'string');
  const isShell = /(?:^|[\\/])(?:ba|z|da)?sh$/.test(words[0] ?? '') && /^-\w*c$/.test(words[1] ?? '');
  return isShell ? words[2] : words.map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Python functions of older OpenHands versions, each with the path as its first argument. */
const known =
  /\b(open_file|create_file|edit_file_by_replace|insert_content_at_line|append_file)\(\s*(?:\w+\s*=\s*)?(['"])(.{1,1000}?)\2/g;

/** The file effects of Python code that uses these functions. */
function pythonCall(args: JsonObject): { readonly reads: FileRead[]; readonly changes: FileChange[] } {
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
