import { formatHandle } from '../../session/index.ts';
import { briefOf, oneLine } from '../calls/brief.ts';
import type { ParsedCall } from '../calls/call.ts';
import type { CallOutcome } from '../calls/outcome.ts';
import { withoutColors } from '../calls/result-text.ts';
import { runName } from '../calls/run-name.ts';
import type { Mask } from '../secrets/mask.ts';
import type { SourceItem } from '../source-item.ts';
import { outputsOf, type ToolOutput } from '../tool-outputs.ts';

/** An error and whether it was resolved. */
export interface Trouble {
  /** The handle of the newest result with the error. */
  readonly handle: string;
  /** The failed action. */
  readonly action: string;
  /** The line that names the error. */
  readonly error: string;
  /** Consecutive failures of the same action. */
  readonly times: number;
  /** The next action. */
  readonly next?: { readonly handle: string; readonly action: string };
  /** `resolved`: the same action succeeded later. */
  readonly outcome: 'resolved' | 'open';
  readonly resolvedAt?: string;
}

interface TroubleDraft {
  output: ToolOutput;
  times: number;
  next?: { readonly handle: string; readonly action: string };
  resolvedAt?: string;
}

/**
 * Errors with the line that names them, the next action, and whether the same action succeeded later. Repeated failures
 * count as one. Over `limit`, open and then the newest errors are kept; oldest first.
 *
 * @example
 * const open = troublesIn({ items, limit: 10, mask }).filter(({ outcome }) => outcome === 'open');
 */
export function troublesIn({
  items,
  limit,
  mask,
}: {
  readonly items: readonly SourceItem[];
  readonly limit: number;
  readonly mask: Mask;
}): Trouble[] {
  const drafts: TroubleDraft[] = [];
  const open = new Map<string, TroubleDraft>();
  let last: TroubleDraft | undefined;
  for (const output of outputsOf({ items })) {
    const { call } = output;
    if (!call) continue;
    if (last && !last.next) last.next = { handle: handleOf(output), action: briefOf({ call, length: 120 }) };
    const key = keyOf(call);
    const before = open.get(key);
    if (isFailure(output)) {
      if (before) Object.assign(before, { output, times: before.times + 1 });
      else {
        const draft: TroubleDraft = { output, times: 1 };
        open.set(key, draft);
        drafts.push(draft);
      }
      last = open.get(key);
      if (last) delete last.next;
    } else if (before && output.outcome.state === 'ok' && !output.outcome.isUnproven) {
      before.resolvedAt = handleOf(output);
      open.delete(key);
    }
  }
  const isOpen = ({ resolvedAt }: TroubleDraft) => resolvedAt === undefined;
  const newest = drafts.toReversed();
  const kept = new Set(
    [...newest.filter(isOpen), ...newest.filter((one) => !isOpen(one))].slice(0, Math.max(0, limit)),
  );
  return drafts.filter((draft) => kept.has(draft)).map((draft) => troubleOf({ draft, mask }));
}

function troubleOf({
  draft: { output, times, next, resolvedAt },
  mask,
}: {
  readonly draft: TroubleDraft;
  readonly mask: Mask;
}): Trouble {
  const action = output.call ? briefOf({ call: output.call, length: 120 }) : output.name;
  return {
    handle: handleOf(output),
    action: mask(action),
    error: mask(errorLine(output)),
    times,
    ...(next && { next: { ...next, action: mask(next.action) } }),
    outcome: resolvedAt === undefined ? 'open' : 'resolved',
    ...(resolvedAt !== undefined && { resolvedAt }),
  };
}

/** A search without matches is no failure, and a refused call was never tried. */
function isFailure({ outcome, call }: ToolOutput): boolean {
  if (outcome.state !== 'failed' && outcome.state !== 'stopped') return false;
  return !(call?.shell?.effects.isLook && outcome.exit === 1);
}

/** Identifies attempts at the same action. */
function keyOf(call: ParsedCall): string {
  const { shell, changes, reads, name, args } = call;
  if (shell) return `run ${runName(shell.command)}`;
  if (changes[0]) return `change ${changes[0].path}`;
  if (reads[0]) return `read ${reads[0].path}`;
  return `${name} ${JSON.stringify(args).slice(0, 200)}`;
}

/** Patterns of lines that name an error, the most specific first. */
const errorPatterns: readonly [RegExp, RegExp] = [
  /\berror(?: TS\d+|\[E\d+\])?:|\b\w*(?:Error|Exception)(?::|\))|^\s*E {3}|\b(?:fatal|panic):/,
  /\b(?:error|fail(?:ed|ure|ing)?|cannot|can't|could not|not found|no such|denied|refused|invalid|unexpected|mismatch|timed? ?out)\b/i,
];

/** Lines of source code that are printed with errors. */
const framed = /^\s*(?:\/\/|\*|\/\*|(?:>\s*)?\d+\s*[│|])/;
const codelike = /[{};,]\s*$/;

/** The line of an output that names the error, or its last line. */
function errorLine({ text, outcome }: ToolOutput): string {
  // Errors are at the end or at the very beginning.
  const seen = text.length <= 24_000 ? text : `${text.slice(0, 4000)}\n${text.slice(-20_000)}`;
  const lines = withoutColors(seen)
    .split('\n')
    .filter((line) => line.length < 2000 && /\p{L}/u.test(line) && !framed.test(line) && !isHeader(line));
  const [plain, vague] = errorPatterns;
  const line =
    lines.find((one) => plain.test(one)) ?? lines.find((one) => vague.test(one) && !codelike.test(one)) ?? lines.at(-1);
  return line === undefined ? outcomeText(outcome) : oneLine({ text: line, length: 220 });
}

function outcomeText({ state, exit }: CallOutcome): string {
  return exit === undefined ? state : `exit code ${exit}`;
}

/** A line of the agent that reports a failure but not its reason. */
function isHeader(line: string): boolean {
  return /^(?:Exit code:? \d+|Command (?:exited|failed|aborted)|<.*exit code.*>|npm (?:error|ERR!) (?:code|Lifecycle|command|path))/i.test(
    line.trim(),
  );
}

function handleOf({ item, part }: ToolOutput): string {
  return formatHandle({ entry: item.handle, part });
}
