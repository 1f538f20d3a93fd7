import { formatHandle } from '../../../session/index.ts';
import { isClaim } from '../../claims/claims.ts';
import type { ChosenLine } from '../chosen.ts';
import type { QuotedCall } from './calls.ts';
import { guardedLine } from './guarded.ts';
import { sourceOf } from './source-of.ts';

/** Lines further apart than this get a handle of their own. */
const nearby = 30;

/** Lines that stand so near to the beginning are found without their numbers. */
const atOnce = 8;

/** Lines under one handle. */
interface Group {
  readonly first: ChosenLine;
  readonly lines: readonly ChosenLine[];
}

/**
 * Chosen lines as text, in the order of the session: under each handle the lines that stand there, and behind it whose
 * they are. What a model said or called needs no name; a result is named by its call unless that was just quoted.
 *
 * @example
 * groupLines({ lines, callOf }); // '@12:3-4 ← npm test\n47 passing\n3 failing'
 */
export function groupLines({
  lines,
  callOf,
}: {
  readonly lines: readonly ChosenLine[];
  /** The call that a line is part of the result of. */
  readonly callOf: (line: ChosenLine) => QuotedCall | undefined;
}): string {
  let before: ChosenLine | undefined;
  return groupsOf(lines)
    .map(({ first, lines: members }) => {
      const isSamePart = before?.handle === first.handle && before.part === first.part;
      const source = isSamePart ? '' : nameOf({ line: first, before, callOf });
      const whose = source === '' && members.some(claims) ? ` ${sourceOf(first)}` : source;
      before = members.at(-1);
      return `${handleOf(members)}${whose}\n${members.map(({ text }) => guardedLine(text)).join('\n')}`;
    })
    .join('\n');
}

/** A document is rendered again and again with the same lines until it fits. */
const judged = new WeakMap<ChosenLine, boolean>();

/** Whether a line reports what a person said or allowed and no person wrote it. */
function claims(line: ChosenLine): boolean {
  const known = judged.get(line) ?? (line.origin !== 'human' && isClaim(line.text));
  judged.set(line, known);
  return known;
}

function groupsOf(lines: readonly ChosenLine[]): Group[] {
  const groups: { readonly first: ChosenLine; readonly lines: ChosenLine[] }[] = [];
  for (const line of lines) {
    const group = groups.at(-1);
    const last = group?.lines.at(-1);
    const belongs =
      last?.handle === line.handle && last.part === line.part && line.lines.from - last.lines.to <= nearby;
    if (group && belongs) group.lines.push(line);
    else groups.push({ first: line, lines: [line] });
  }
  return groups;
}

function handleOf(members: readonly ChosenLine[]): string {
  const [first, last] = [members[0], members.at(-1)];
  if (!first || !last) return '';
  const { handle, part } = first;
  const place = formatHandle({ entry: handle, ...(part !== undefined && { part }) });
  if (last.lines.to <= atOnce) return place;
  const isOneLine = first.lines.from === last.lines.to;
  return `${place}:${isOneLine ? first.lines.from : `${first.lines.from}-${last.lines.to}`}`;
}

function nameOf({
  line,
  before,
  callOf,
}: {
  readonly line: ChosenLine;
  readonly before: ChosenLine | undefined;
  readonly callOf: (line: ChosenLine) => QuotedCall | undefined;
}): string {
  switch (line.origin) {
    case 'human':
      return ' user';
    case 'engine':
      return ' client';
    case 'data':
      return ' attached data';
    case 'thinking':
      return ' thought';
    case 'result':
    case 'error': {
      const call = callOf(line);
      if (!call) return ' tool';
      const isQuoted = before?.handle === call.handle && (before.part ?? 1) === call.part;
      return isQuoted ? ' ←' : ` ← ${call.brief}`;
    }
    default:
      return '';
  }
}
