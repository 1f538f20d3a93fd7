import type { ToolCallPart } from '../../../message/index.ts';
import { formatHandle } from '../../../session/index.ts';
import { briefOf } from '../../calls/brief.ts';
import { readCall } from '../../calls/call.ts';
import { isClaim, withSource } from '../../claims/claims.ts';
import type { SourceItem } from '../../source-item.ts';
import { type ChosenLine, gap } from '../chosen.ts';
import { guardedLine } from './guarded.ts';
import { type SectionName, type Sections, sectionNames } from './sections.ts';
import { linesExplanation, partTitles } from './titles.ts';

/**
 * The summary document: eight sections of known facts, then the remaining selected lines by handle.
 *
 * @example
 * const text = render({ items, lines, known: { 'codebase status': ['- src/main.ts (changed)'] } });
 */
export function render({
  items,
  lines,
  known = [],
  root,
}: {
  readonly items: readonly SourceItem[];
  readonly lines: readonly ChosenLine[];
  /** Known facts by section: rules, quotes, the frontier. In this order, before the quoted lines. */
  readonly known?: readonly Sections[];
  /** The project directory; paths inside it are shown relative. */
  readonly root?: string | undefined;
}): string {
  const { sections, used } = quotedNarrative({ items, lines });
  const rest = lines.filter((line) => !used.has(line));
  const narrative = sectionNames.flatMap((name) => {
    const texts = [...known, sections].flatMap((one) => one[name] ?? []);
    return texts.length === 0 ? [] : [`## ${title(name)}\n${texts.join('\n')}`];
  });
  const quoted =
    rest.length === 0
      ? []
      : [
          `## ${partTitles.lines}\n${linesExplanation}\n${groupLines({ lines: rest, callOf: callsIn({ items, root }) })}`,
        ];
  return [...narrative, ...quoted].join('\n\n');
}

function title(name: SectionName): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Lines further apart than this get their own handle. */
const nearby = 30;

/** Lines this close to the beginning need no line numbers. */
const unnumberedLines = 8;

/** Lines under one handle. */
interface LineGroup {
  readonly first: ChosenLine;
  readonly lines: readonly ChosenLine[];
}

/**
 * Selected lines as text in the order of the session: a handle with its source, then its lines. Text and calls of the model
 * need no source; a result is labeled with its call unless that was just quoted.
 *
 * @example
 * groupLines({ lines, callOf }); // '@12:3-4 ← npm test\n47 passing\n3 failing'
 */
function groupLines({
  lines,
  callOf,
}: {
  readonly lines: readonly ChosenLine[];
  /** The call whose result contains a line. */
  readonly callOf: (line: ChosenLine) => QuotedCall | undefined;
}): string {
  let before: ChosenLine | undefined;
  return groupsOf(lines)
    .map(({ first, lines: members }) => {
      const isSamePart = before?.handle === first.handle && before.part === first.part;
      const source = isSamePart ? '' : nameOf({ line: first, before, callOf });
      const label = source === '' && members.some(claims) ? ` ${sourceOf(first)}` : source;
      before = members.at(-1);
      return `${handleOf(members)}${label}\n${members.map(({ text }) => guardedLine(text)).join('\n')}`;
    })
    .join('\n');
}

/** Cached, because a document is rendered repeatedly with the same lines until it fits. */
const claimCache = new WeakMap<ChosenLine, boolean>();

/** Whether a line that no person wrote makes a claim about a person. */
function claims(line: ChosenLine): boolean {
  const known = claimCache.get(line) ?? (line.origin !== 'human' && isClaim(line.text));
  claimCache.set(line, known);
  return known;
}

function groupsOf(lines: readonly ChosenLine[]): LineGroup[] {
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
  if (last.lines.to <= unnumberedLines) return place;
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

/** The call of a quoted result. */
interface QuotedCall {
  readonly handle: number;
  /** From 1. */
  readonly part: number;
  /** A short description. */
  readonly brief: string;
}

/** Maximum characters of the description of a call. */
const length = 70;

/**
 * Finds the call of a quoted result. Calls are parsed on demand, because few results are quoted.
 *
 * @example
 * const callOf = callsIn({ items, root: '/home/me/project' });
 */
function callsIn({
  items,
  root,
}: {
  readonly items: readonly SourceItem[];
  /** The project directory; paths inside it are shown relative. */
  readonly root?: string | undefined;
}): (line: ChosenLine) => QuotedCall | undefined {
  const byHandle = new Map(items.map((item) => [item.handle, item]));
  const calls = new Map<string, { readonly handle: number; readonly part: number; readonly call: ToolCallPart }>();
  for (const { handle, message } of items) {
    for (const [index, part] of message.parts.entries()) {
      if (part.type === 'tool_call') calls.set(part.id, { handle, part: index + 1, call: part });
    }
  }
  return ({ handle, part = 1 }) => {
    const source = byHandle.get(handle)?.message.parts[part - 1];
    const made = source?.type === 'tool_result' ? calls.get(source.callId) : undefined;
    if (!made) return undefined;
    const brief = briefOf({
      call: readCall({ part: made.call, directory: root }),
      length: length + (root?.length ?? 0),
    });
    return {
      handle: made.handle,
      part: made.part,
      brief: root === undefined ? brief : brief.replaceAll(`${root}/`, ''),
    };
  };
}

/** Quoted lines by section, and which lines were used. */
interface QuotedNarrative {
  readonly sections: Sections;
  readonly used: ReadonlySet<ChosenLine>;
}

/** Maximum sentences by section. */
const most = { foundation: 6, troubles: 6, reasons: 8, progress: 8, plan: 4, active: 3 } as const;
/** Maximum entries between an error and its answer. */
const answerDistance = 6;
/** Characters of the answer to an error that are quoted. */
const answerLength = 160;

/**
 * A narrative from the selected lines: instructions, errors with their answers, reasons, results, the latest statements
 * and plans. Everything is quoted.
 *
 * @example
 * const { sections, used } = quotedNarrative({ items, lines });
 */
function quotedNarrative({
  items,
  lines,
}: {
  readonly items: readonly SourceItem[];
  readonly lines: readonly ChosenLine[];
}): QuotedNarrative {
  const used = new Set<ChosenLine>();
  const isStatement = (line: ChosenLine) => line.origin === 'model' && !used.has(line) && isReadable(line.text);
  const answerTo = answersIn(items);
  const foundation = show(best({ lines: lines.filter(isInstruction), limit: most.foundation }));
  const troubles = best({ lines: lines.filter(isTrouble), limit: most.troubles }).map(quoteTrouble);
  const reasons = quoteBest({ section: 'problem resolution', limit: most.reasons });
  const progress = quoteBest({ section: 'progress', limit: most.progress });
  const plan = quoteLatest({ section: 'continuation plan', limit: most.plan });
  const active = quoteLatest({ section: 'active work', limit: most.active });
  return {
    sections: {
      'technical foundation': foundation,
      'problem resolution': [...troubles, ...reasons],
      progress,
      'active work': active,
      'continuation plan': plan,
    },
    used,
  };

  function quoteTrouble(line: ChosenLine): string {
    used.add(line);
    const answer = answerTo(line.handle);
    return answer === undefined ? bullet(line) : `${bullet(line)} → ${answer}`;
  }

  function quoteBest({
    section,
    limit,
  }: {
    readonly section: ChosenLine['section'];
    readonly limit: number;
  }): string[] {
    return show(best({ lines: lines.filter((line) => isStatement(line) && line.section === section), limit }));
  }

  function quoteLatest({ section, limit }: { readonly section: ChosenLine['section']; readonly limit: number }) {
    return show(lines.filter((line) => isStatement(line) && line.section === section).slice(-limit));
  }

  function show(chosen: readonly ChosenLine[]): string[] {
    for (const line of chosen) used.add(line);
    return chosen.map(bullet);
  }
}

/** Lines that clients inserted, such as instruction files; tool output is never shown as a rule. */
function isInstruction({ origin, section, text }: ChosenLine): boolean {
  return origin === 'engine' && section === 'technical foundation' && isReadable(text);
}

function isTrouble({ origin, section, text }: ChosenLine): boolean {
  return (origin === 'error' || origin === 'result') && section === 'problem resolution' && isReadable(text);
}

/** A sentence, not code or data. */
function isReadable(text: string): boolean {
  const words = text.match(/(?<![\p{L}\p{N}_./-])\p{L}{2,}(?![\p{N}_(=/])/gu) ?? [];
  return words.length >= 4 && words.join('').length >= text.length * 0.4 && !text.includes(gap);
}

/** The beginning of the model's next text after an entry. */
function answersIn(items: readonly SourceItem[]): (handle: number) => string | undefined {
  const places = new Map(items.map(({ handle }, index) => [handle, index]));
  return (handle) => {
    const from = (places.get(handle) ?? items.length) + 1;
    for (const { handle: at, message } of items.slice(from, from + answerDistance)) {
      const said = message.parts.find((part) => part.type === 'text' && part.origin === 'model');
      if (said?.type === 'text' && said.text.trim() !== '')
        return `${withSource({ text: beginning(oneLine(said.text), answerLength), source: 'agent' })} (@${at})`;
    }
    return undefined;
  };
}

/** The most valuable lines, in the order of the session. */
function best({ lines, limit }: { readonly lines: readonly ChosenLine[]; readonly limit: number }): ChosenLine[] {
  const first = lines.toSorted((a, b) => a.rank - b.rank).slice(0, limit);
  return first.sort((a, b) => a.handle - b.handle);
}

function bullet(line: ChosenLine): string {
  return `- ${quote(line)}`;
}

function quote(line: ChosenLine): string {
  const { handle, part } = line;
  const text = withSource({ text: line.text.replace(/^[-*#>\s]+(?=\S)/, ''), source: sourceOf(line) });
  return `${text} (${formatHandle({ entry: handle, ...(part !== undefined && { part }) })})`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function beginning(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}${gap}`;
}

/** The author of a line, as named in documents. */
function sourceOf({ origin }: Pick<ChosenLine, 'origin'>): 'user' | 'client' | 'tool' | 'agent' {
  switch (origin) {
    case 'human':
      return 'user';
    case 'engine':
      return 'client';
    case 'result':
    case 'error':
      return 'tool';
    default:
      return 'agent';
  }
}
