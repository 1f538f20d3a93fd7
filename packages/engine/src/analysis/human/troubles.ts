import { formatHandle } from '../../session/index.ts';
import { briefOf, oneLine } from '../calls/brief.ts';
import type { Call } from '../calls/call.ts';
import type { Outcome } from '../calls/outcome.ts';
import { withoutColors } from '../calls/result-text.ts';
import { runName } from '../calls/run-name.ts';
import type { Mask } from '../secrets/mask.ts';
import type { SourceItem } from '../source-item.ts';
import { type Output, outputsOf } from '../tool-outputs.ts';

/** An error and what came of it. */
export interface Trouble {
  /** Of the newest result that shows it. */
  readonly handle: string;
  /** What was tried. */
  readonly action: string;
  /** The line that says what is wrong. */
  readonly error: string;
  /** How often the same thing failed in a row. */
  readonly times: number;
  /** What was done next. */
  readonly next?: { readonly handle: string; readonly action: string };
  /** `resolved`: the same thing succeeded later. */
  readonly outcome: 'resolved' | 'open';
  readonly resolvedAt?: string;
}

interface Draft {
  output: Output;
  times: number;
  next?: { readonly handle: string; readonly action: string };
  resolvedAt?: string;
}

/**
 * Errors with what followed: the line that tells, the next action, and whether the same thing worked later. The same
 * failure again and again is one. Open ones first to stay, then the newest; they come back oldest first.
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
  const drafts: Draft[] = [];
  const open = new Map<string, Draft>();
  let last: Draft | undefined;
  for (const output of outputsOf({ items })) {
    const { call } = output;
    if (!call) continue;
    if (last && !last.next) last.next = { handle: handleOf(output), action: briefOf({ call, length: 120 }) };
    const key = keyOf(call);
    const before = open.get(key);
    if (isFailure(output)) {
      if (before) Object.assign(before, { output, times: before.times + 1 });
      else {
        const draft: Draft = { output, times: 1 };
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
  const isOpen = ({ resolvedAt }: Draft) => resolvedAt === undefined;
  const newest = drafts.toReversed();
  const kept = new Set(
    [...newest.filter(isOpen), ...newest.filter((one) => !isOpen(one))].slice(0, Math.max(0, limit)),
  );
  return drafts.filter((draft) => kept.has(draft)).map((draft) => told({ draft, mask }));
}

function told({
  draft: { output, times, next, resolvedAt },
  mask,
}: {
  readonly draft: Draft;
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

/** A search that finds nothing has not failed, and what was refused was never tried. */
function isFailure({ outcome, call }: Output): boolean {
  if (outcome.state !== 'failed' && outcome.state !== 'stopped') return false;
  return !(call?.shell?.effects.isLook && outcome.exit === 1);
}

/** The same for tries of the same thing. */
function keyOf(call: Call): string {
  const { shell, changes, reads, name, args } = call;
  if (shell) return `run ${runName(shell.command)}`;
  if (changes[0]) return `change ${changes[0].path}`;
  if (reads[0]) return `read ${reads[0].path}`;
  return `${name} ${JSON.stringify(args).slice(0, 200)}`;
}

/** Words by which lines of output tell what is wrong, the plainest first. */
const telling: readonly [RegExp, RegExp] = [
  /\berror(?: TS\d+|\[E\d+\])?:|\b\w*(?:Error|Exception)(?::|\))|^\s*E {3}|\b(?:fatal|panic):/,
  /\b(?:error|fail(?:ed|ure|ing)?|cannot|can't|could not|not found|no such|denied|refused|invalid|unexpected|mismatch|timed? ?out)\b/i,
];

/** Lines of source code, which errors are shown with: in a frame, or by their look. */
const framed = /^\s*(?:\/\/|\*|\/\*|(?:>\s*)?\d+\s*[│|])/;
const codelike = /[{};,]\s*$/;

/** The line of an output that says what is wrong; its last one where none does. */
function errorLine({ text, outcome }: Output): string {
  // Errors stand at the end, or right at the beginning.
  const seen = text.length <= 24_000 ? text : `${text.slice(0, 4000)}\n${text.slice(-20_000)}`;
  const lines = withoutColors(seen)
    .split('\n')
    .filter((line) => line.length < 2000 && /\p{L}/u.test(line) && !framed.test(line) && !isHeader(line));
  const [plain, vague] = telling;
  const line =
    lines.find((one) => plain.test(one)) ?? lines.find((one) => vague.test(one) && !codelike.test(one)) ?? lines.at(-1);
  return line === undefined ? outcomeText(outcome) : oneLine({ text: line, length: 220 });
}

function outcomeText({ state, exit }: Outcome): string {
  return exit === undefined ? state : `exit code ${exit}`;
}

/** How agents say that something failed, which is not why. */
function isHeader(line: string): boolean {
  return /^(?:Exit code:? \d+|Command (?:exited|failed|aborted)|<.*exit code.*>|npm (?:error|ERR!) (?:code|Lifecycle|command|path))/i.test(
    line.trim(),
  );
}

function handleOf({ item, part }: Output): string {
  return formatHandle({ entry: item.handle, part });
}
