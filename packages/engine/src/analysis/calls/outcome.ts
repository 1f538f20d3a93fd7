import { isObject, parseJson } from '../../json.ts';
import { edges, withoutColors } from './result-text.ts';
import type { ToolKind } from './tools.ts';

/** The outcome of a call, according to its result. */
export interface CallOutcome {
  /** `refused`: it was not allowed to run. `stopped`: aborted or timed out. */
  readonly state: 'ok' | 'failed' | 'running' | 'refused' | 'stopped';
  /** If the result contains it. */
  readonly exit?: number;
  /** Neither an error mark nor an exit code is recorded; `ok` is an assumption. */
  readonly isUnproven?: true;
  /** The id of a process that is still running. */
  readonly shell?: string;
}

/** How agents word that a call was not allowed to run. */
const refusals: readonly RegExp[] = [
  /^The user doesn't want to proceed with this tool use/, // Claude Code
  /^<tool_use_error>(?:Sibling tool call errored|Cancelled)/, // Claude Code: a parallel call failed before it ran
  /^(?:exec_command failed: )?(?:command|patch) rejected by user/i, // Codex
  /^\[Operation Cancelled\]/, // Gemini CLI
  /^The user (?:rejected|denied|declined|dismissed)/i, // Copilot CLI, opencode
  /^It was not run\b/, // our own agent
  /^Permission (?:denied and could not|to .{1,80} (?:denied|rejected))/i,
];

const stops: readonly RegExp[] = [
  /(?:^|\n)Command aborted\s*$/, // pi
  /(?:^|\n)Command timed out(?: after)?/i, // Claude Code, pi
  /^command timed out after/i, // Codex
  /^(?:aborted by user|Tool execution aborted|\[Request interrupted by user)/i, // Codex, opencode, Claude Code
  /terminated command after exceeding timeout/, // opencode
];

/** How agents word that a process is still running, each with its id. */
const running: readonly RegExp[] = [
  /^Command .{0,120}?\bwith ID: ([\w-]{1,64})/, // Claude Code
  /<command (?:started in|with).{0,40}?shellId: ([^\s>]{1,64})(?:>|.{0,40}(?:still running|moved to))/, // Copilot CLI
  /Process running with session ID (\d{1,12})/, // Codex
  /^Command moved to background \(PID: (\d{1,12})\)/, // Gemini CLI
  /^Background PIDs: (\d{1,12})/m, // Gemini CLI
  /Command is running in terminal with ID=?\s*"?([\w-]{1,64})/, // VS Code
];

/** How agents word the exit code; only at the edges of a result, because programs print similar text. */
const heads: readonly RegExp[] = [
  /^Exit code:? (-?\d{1,10})(?:\n|$)/, // Claude Code on failure; Codex
  /(?:^|\n)Process exited with code (-?\d{1,10})(?:\n|$)/, // Codex
];
const tails: readonly RegExp[] = [
  /<(?:exited|shellId: [^\s>]{1,64} completed|command with shellId: [^\s>]{1,64} (?:completed|exited)) with exit code:? (-?\d{1,10})>\s*$/, // Copilot CLI
  /Command exited with code (-?\d{1,10})\s*$/, // pi, VS Code
  /\[(?:The command completed|Command (?:-?\d+ )?finished) with exit code (-?\d{1,10})\.?\]+\s*$/, // OpenHands
  /(?:^|\n)Exit Code: (-?\d{1,10})\n(?:Signal|Background PIDs|Process Group PGID)/, // Gemini CLI, on failure
  /exit code:?\s{1,4}(-?\d{1,10})\.?\s*$/i, // pnpm, yarn, VS Code's test host: the last line of what they print
];

/** Tools whose failures are always marked, so that no mark means success. */
const silentSuccess: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'write', 'edit', 'editor', 'patch', 'python']);

/** Results that report a failure only in text. */
const failures: readonly RegExp[] = [
  /^(?:apply_patch|patch) verification failed/i, // Codex, opencode
  /^(?:Error|error):? /,
  /^<tool_use_error>/, // Claude Code
  /^(?:String to replace not found|Could not find the exact text|No (?:exact )?match(?:es)? found|\[?No exact match)/i,
  /^(?:File|ENOENT|EACCES|Path).{0,300}?(?:does not exist|not found|no such file|too large to read)/i,
  /^\[?Your proposed edit has introduced/i, // SWE-agent, OpenHands: the edit was not kept
  /^(?:failed to|unable to|cannot|can't|could not) /i,
  /^You must read file/i, // opencode
  /^(?:Success\. )?No (?:changes|replacement)/i,
];

/** Characters at the edges of a result; covers the longest header or footer of any agent. */
const edge = 1500;

/** Error lines at the edges of a program's output. */
const errorLines =
  /^(?:\S*?(?:Error|Exception)(?: \[\w+\])?: |error(?:\[\w+\])?: |fatal: |panic: |Traceback \(most recent call last\)|npm (?:ERR!|error) |.{0,200}: (?:command not found|No such file or directory|Permission denied|not found)$|make(?:\[\d+\])?: \*\*\* |Segmentation fault|Killed$| ?ELIFECYCLE|.{0,120}\bCommand failed\b)/m;

/** Derives the outcome of a call from its result text and its error mark. */
export function outcomeOf({
  text,
  isError,
  kind,
  isMarked = false,
  exit: recorded,
}: {
  readonly text: string;
  readonly isError: boolean;
  readonly kind: ToolKind | undefined;
  /** The log marks this result as successful, or the agent is known to mark every failure. */
  readonly isMarked?: boolean;
  /** The exit code, if the log records it separately from the text. */
  readonly exit?: number | undefined;
}): CallOutcome {
  const { head, tail } = edges({ text: unwrapped(text), length: edge });
  if (refusals.some((wording) => wording.test(head))) return { state: 'refused' };
  if (kind !== undefined && silentSuccess.has(kind)) {
    // File content may begin with any text; a message about a failed read is short.
    const mayBeMessage = kind !== 'read' || text.length < 400;
    return { state: isError || (mayBeMessage && failures.some((wording) => wording.test(head))) ? 'failed' : 'ok' };
  }
  const clean = withoutColors(tail);
  // A call that ends a process may record that process's exit code; the call itself succeeded.
  const exit = (kind === 'shell' ? recorded : undefined) ?? exitIn({ head, tail: clean }) ?? exitInJson(text);
  if (exit !== undefined) return { state: exit === 0 && !isError ? 'ok' : 'failed', exit };
  if (stops.some((wording) => wording.test(head) || wording.test(clean))) return { state: 'stopped' };
  const shell = running.map((wording) => wording.exec(head) ?? wording.exec(clean)).find(Boolean)?.[1];
  if (shell !== undefined) return { state: 'running', shell };
  if (isError) return { state: 'failed' };
  const isProven = kind !== 'shell' || (isMarked && !errorLines.test(`${head}\n${clean}`));
  return isProven ? { state: 'ok' } : { state: 'ok', isUnproven: true };
}

function exitIn({ head, tail }: { readonly head: string; readonly tail: string }): number | undefined {
  for (const wording of heads) {
    const [, code] = wording.exec(head) ?? [];
    if (code !== undefined) return Number(code);
  }
  for (const wording of tails) {
    const [, code] = wording.exec(tail) ?? [];
    if (code !== undefined) return Number(code);
  }
  return undefined;
}

/** Older Codex wraps a result in JSON: `{"output": …, "metadata": {"exit_code": 0}}`. */
function exitInJson(text: string): number | undefined {
  if (!text.startsWith('{"output"')) return undefined;
  const value = parseJson(text);
  const metadata = isObject(value) ? value.metadata : undefined;
  const code = isObject(metadata) ? metadata.exit_code : undefined;
  return typeof code === 'number' ? code : undefined;
}

function unwrapped(text: string): string {
  return text.startsWith('{"output":"') ? text.slice('{"output":"'.length) : text;
}
