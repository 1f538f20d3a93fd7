import {
  charsOf,
  type FileChange,
  type Mask,
  maskedItems,
  readCall,
  resultText,
  type SourceItem,
  withoutColors,
} from '../../analysis/index.ts';
import type { Part, ToolCallPart, ToolResultPart } from '../../message/index.ts';
import type { SummaryInput } from '../summarizer.ts';
import { escaped, tags } from './prompts/tags.ts';
import { createYielder } from './yield-to-event-loop.ts';

/** Lower bounds: shorter entries would be useless. */
const minLimits: EntryLimits = { arguments: 40, edit: 120, result: 80, thinking: 0, text: 160, program: 80 };

/** What a summary covers, as flat text entries. */
export interface FlatRecord {
  /** `detail` from 1 (default limits) to 0 (minimum limits). */
  entries(of: { readonly detail: number }): Promise<string[]>;
}

/**
 * The items since the earlier summary as flat text, masked before anything is cut, because half a key no longer looks
 * like one.
 *
 * @example
 * const entries = await (await recordOf({ input, mask })).entries({ detail: 1 });
 */
export async function recordOf({
  input,
  mask,
}: {
  readonly input: Pick<SummaryInput, 'items' | 'previous'>;
  readonly mask: Mask;
}): Promise<FlatRecord> {
  const items = newItems(input);
  const yieldToEventLoop = createYielder();
  const { nameOf, isAnswered } = callsOf(items);
  const masked: SourceItem[] = [];
  const edits = new Set<string>();
  const shorten = createBoilerplate();
  for (const item of items) {
    const parts = item.message.parts.map((part) => edgesOnly(shorten({ part: withDiff(part), handle: item.handle })));
    await yieldToEventLoop(charsOf({ parts }));
    const open = parts.flatMap((part) =>
      part.type === 'tool_call' && !isAnswered(part.id) ? [note(`(no result of ${part.name} is recorded)`)] : [],
    );
    const noted = { ...item, message: { ...item.message, parts: [...parts, ...open] } };
    masked.push(...maskedItems({ items: [noted], mask }));
  }
  return {
    async entries({ detail }) {
      const limits = limitsFor(detail);
      const entries: string[] = [];
      for (const item of masked) {
        const entry = entryOf({ item, limits, nameOf, isEdit: (id) => edits.has(id) });
        entries.push(entry);
        await yieldToEventLoop(entry.length);
      }
      return entries;
    },
  };

  /** Shows an edit as a diff: its raw arguments may contain whole files and would be cut before the change. */
  function withDiff(part: Part): Part {
    const diff = part.type === 'tool_call' && part.origin !== 'engine' ? editText(part) : undefined;
    if (part.type !== 'tool_call' || diff === undefined) return part;
    edits.add(part.id);
    return { ...part, arguments: diff };
  }
}

/** Without new items since the earlier summary, the model summarizes everything again. */
export function sincePrevious(input: SummaryInput): SummaryInput {
  if (!input.previous || newItems(input).length > 0) return input;
  const { previous: _, ...rest } = input;
  return rest;
}

/** The items that the earlier summary does not cover. */
export function newItems({
  items,
  previous,
}: {
  readonly items: readonly SourceItem[];
  readonly previous?: SummaryInput['previous'] | undefined;
}): readonly SourceItem[] {
  return previous ? items.filter(({ handle }) => handle > previous.to) : items;
}

/** Characters at either end of a text that are masked and shown; masking the rest, which is cut anyway, takes long. */
const edge = { text: 30_000, other: 12_000 };

/** Cuts far from where entries are cut later, so no shown text can end within a key. */
function edgesOnly(part: Part): Part {
  switch (part.type) {
    case 'text':
      return { ...part, text: withoutMiddle({ text: part.text, length: edge.text }) };
    case 'thinking':
      return { ...part, text: withoutMiddle({ text: part.text, length: edge.other }) };
    case 'tool_call':
      return { ...part, arguments: part.arguments.slice(0, edge.other) };
    case 'tool_result': {
      const content = part.content.map((inner) =>
        inner.type === 'text' ? { ...inner, text: withoutMiddle({ text: inner.text, length: edge.other }) } : inner,
      );
      return { ...part, content };
    }
    default:
      return part;
  }
}

function withoutMiddle({ text, length }: { readonly text: string; readonly length: number }): string {
  if (text.length <= 2 * length) return text;
  return `${text.slice(0, length)}\n[…]\n${text.slice(-length)}`;
}

function note(text: string): Part {
  return { type: 'text', origin: 'model', text };
}

function limitsFor(detail: number): EntryLimits {
  const limit = (name: keyof EntryLimits) =>
    Math.round(minLimits[name] + (defaultLimits[name] - minLimits[name]) * Math.min(1, Math.max(0, detail)));
  return {
    arguments: limit('arguments'),
    edit: limit('edit'),
    result: limit('result'),
    thinking: limit('thinking'),
    text: limit('text'),
    program: limit('program'),
  };
}

/** Limits of one diff; the rest is counted. */
const diffLimits = { files: 6, lines: 12, width: 160 };

/**
 * The file changes of a call as a short diff: unchanged lines are left out, long lines are cut, further lines are counted.
 * Undefined if it changes no file, or if only the shell knows what changes.
 *
 * @example
 * editText(part); // 'edit src/a.ts\n- const port = 80;\n+ const port = 8080;'
 */
function editText(part: ToolCallPart): string | undefined {
  const { kind, changes } = readCall({ part });
  if (changes.length === 0 || kind === 'shell' || kind === 'python') return undefined;
  const shown = changes.slice(0, diffLimits.files).map(changeText);
  const rest = changes.length - shown.length;
  return [...shown, ...(rest > 0 ? [`(${rest} more files)`] : [])].join('\n');
}

function changeText({ path, op, added, removed }: FileChange): string {
  if (op === 'delete') return `delete ${path}`;
  const [before, after] = [linesOf(removed), linesOf(added)];
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  const gone = sideText({ lines: before.slice(start, before.length - end), sign: '-' });
  const come = sideText({ lines: after.slice(start, after.length - end), sign: '+' });
  return [`${op} ${path}`, ...gone, ...come].join('\n');
}

function sideText({ lines, sign }: { readonly lines: readonly string[]; readonly sign: '-' | '+' }): string[] {
  const shown = lines.slice(0, diffLimits.lines).map((line) => `${sign} ${cut(line)}`);
  const rest = lines.length - shown.length;
  return rest > 0 ? [...shown, `${sign} (${rest} more lines)`] : shown;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function cut(line: string): string {
  return line.length <= diffLimits.width ? line : `${line.slice(0, diffLimits.width).toWellFormed()}…`;
}

/** Shorter texts cost no more than a reference to them. */
const minRepeated = { program: 120, result: 400 };

const reminder = /<system-reminder>[\s\S]{0,20000}?<\/system-reminder>/g;

/** Characters of a reminder that are shown. */
const reminderChars = 300;

/**
 * Shortens text that clients repeat, and results that were read again unchanged: shown once, then referenced by handle.
 * Lists of skills become their names.
 *
 * @example
 * const shorten = createBoilerplate();
 * const parts = item.message.parts.map((part) => shorten({ part, handle: item.handle }));
 */
function createBoilerplate(): (of: { readonly part: Part; readonly handle: number }) => Part {
  const seen = new Map<string, number>();
  return ({ part, handle }) => {
    if (part.type === 'text' && part.origin === 'engine') return { ...part, text: programText(part.text, handle) };
    if (part.type === 'text') return { ...part, text: withoutReminders(part.text, handle) };
    if (part.type !== 'tool_result') return part;
    const content = part.content.map((inner) =>
      inner.type === 'text' ? { ...inner, text: shortenResult(inner.text, handle) } : inner,
    );
    return { ...part, content };
  };

  function programText(text: string, handle: number): string {
    const before = first({ text, handle, least: minRepeated.program });
    return before === undefined ? skillNames(withoutReminders(text, handle)) : `(the same text as in @${before})`;
  }

  function shortenResult(text: string, handle: number): string {
    const before = first({ text, handle, least: minRepeated.result });
    return before === undefined ? withoutReminders(text, handle) : `(unchanged: the same result as in @${before})`;
  }

  function withoutReminders(text: string, handle: number): string {
    if (!text.includes('<system-reminder>')) return text;
    return text.replace(reminder, (block) => {
      const before = first({ text: block, handle, least: 0 });
      if (before !== undefined && before !== handle) return `(the same reminder as in @${before})`;
      const short = skillNames(block);
      return short.length <= reminderChars ? short : `${short.slice(0, reminderChars).toWellFormed()}…`;
    });
  }

  /** The handle where the same text was seen before; numbers and times in it may differ. */
  function first({ text, handle, least }: { readonly text: string; readonly handle: number; readonly least: number }) {
    if (text.length < least) return undefined;
    const key = text.replace(/\d+/g, '0').replace(/\s+/g, ' ').trim();
    const before = seen.get(key);
    if (before === undefined) seen.set(key, handle);
    return before;
  }
}

const skillLine = /^\s*[-*]\s+(?:\*\*)?`?([\w:./-]{2,80}?)`?(?:\*\*)?\s*:\s+\S.*$/;

/** Replaces a list of skills and descriptions with the names. */
function skillNames(text: string): string {
  if (!/\bskills?\b/i.test(text.slice(0, 2_000))) return text;
  const lines = text.split('\n');
  const names = lines.flatMap((line) => skillLine.exec(line)?.[1] ?? []);
  if (names.length < 4) return text;
  const rest = lines.filter((line) => !skillLine.test(line) && line.trim() !== '');
  return [...rest, `(skills: ${names.join(', ')})`].join('\n');
}

/** Maximum characters by kind; 200 for arguments, as in Copilot. */
const defaultLimits = { arguments: 200, edit: 800, result: 2_000, thinking: 600, text: 20_000, program: 1_500 };

type EntryLimits = typeof defaultLimits;

/**
 * A message as one entry: author, handle and content. Escaped, so that nothing in it can end the entry or begin another.
 *
 * @example
 * const text = items.map((item) => entryOf({ item, limits: usualLimits, nameOf })).join('\n');
 */
function entryOf({
  item: { handle, message },
  limits,
  nameOf,
  isEdit = () => false,
}: {
  readonly item: SourceItem;
  readonly limits: EntryLimits;
  /** The tool name of a call. */
  readonly nameOf: (callId: string) => string | undefined;
  /** Whether the arguments of a call are a diff. */
  readonly isEdit?: (callId: string) => boolean;
}): string {
  const by = authorOf(message.parts);
  const lines = message.parts.flatMap((part) => lineOf({ part, limits, nameOf, isEdit }));
  return `<${tags.entry} at="@${handle}" by="${by}">\n${lines.map(escaped).join('\n')}\n</${tags.entry}>`;
}

/** Tool names by call id, and which calls have a result. */
function callsOf(items: readonly SourceItem[]): {
  readonly nameOf: (callId: string) => string | undefined;
  readonly isAnswered: (callId: string) => boolean;
} {
  const names = new Map<string, string>();
  const answered = new Set<string>();
  for (const { message } of items) {
    for (const part of message.parts) {
      if (part.type === 'tool_call') names.set(part.id, part.name);
      if (part.type === 'tool_result') answered.add(part.callId);
    }
  }
  return { nameOf: (id) => names.get(id), isAnswered: (id) => answered.has(id) };
}

/** Text that a client inserted with the user role is attributed to the program, not to the user. */
function authorOf(parts: readonly Part[]): string {
  const origins = new Set(parts.map(({ origin }) => origin));
  if (origins.has('human')) return origins.size === 1 ? 'user' : 'user and program';
  if (origins.has('model')) return 'agent';
  return origins.has('tool') ? 'tool' : 'program';
}

/** Labels of texts that neither the user nor the model wrote. */
const prefixes: Partial<Record<Part['origin'], string>> = { engine: 'program: ', data: 'attached data: ' };

function lineOf({
  part,
  limits,
  nameOf,
  isEdit,
}: {
  readonly part: Part;
  readonly limits: EntryLimits;
  readonly nameOf: (callId: string) => string | undefined;
  readonly isEdit: (callId: string) => boolean;
}): string[] {
  switch (part.type) {
    case 'text':
      return some(part.text.trim(), limits.text, prefixes[part.origin] ?? '');
    case 'thinking':
      return some(part.text.trim(), limits.thinking, 'thought: ');
    case 'tool_call':
      return [
        `call of ${oneLine(part.name)}: ${beginning(part.arguments, isEdit(part.id) ? limits.edit : limits.arguments)}`,
      ];
    case 'tool_result':
      return [resultLine({ part, limits, name: nameOf(part.callId) ?? part.name })];
    case 'image':
    case 'document':
      return [`[${part.type}]`];
    default:
      return [`[${oneLine(part.kind)}]`];
  }
}

function resultLine(of: {
  readonly part: ToolResultPart;
  readonly limits: EntryLimits;
  readonly name: string | undefined;
}): string {
  const text = withoutColors(resultText(of.part)).trim();
  const media = of.part.content.filter(({ type }) => type !== 'text').map(({ type }) => `[${type}]`);
  const output = [...(text === '' ? [] : [edges(text, of.limits.result)]), ...media].join('\n') || '(nothing)';
  return `${of.part.isError ? 'error' : 'result'} of ${oneLine(of.name ?? 'a tool')}: ${output}`;
}

function some(text: string, length: number, label: string): string[] {
  return text === '' ? [] : [`${label}${edges(text, length)}`];
}

function oneLine(name: string): string {
  return beginning(name.replace(/\s+/g, ' '), 80);
}

function beginning(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}… (${text.length} characters)`;
}

/** Beginning and end; the end is longer because outcomes are there. */
function edges(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = Math.ceil(length * 0.4);
  const left = text.length - length;
  return `${text.slice(0, head).toWellFormed()}\n[… ${left} characters left out …]\n${text.slice(head + left).toWellFormed()}`;
}
