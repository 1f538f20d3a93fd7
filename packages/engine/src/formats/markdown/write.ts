import { isObject, parseJson } from '../../json.ts';
import type { ContentPart, Part } from '../../message/index.ts';
import {
  type CompactionEntry,
  type Entry,
  type EntryId,
  gistOf,
  type MessageEntry,
  nodeTypes,
  type SessionHeader,
} from '../../session/index.ts';
import { firstWords } from '../../session/internal.ts';
import type { ExportSource } from '../export/source.ts';
import { factsOf, type Survey, surveyOf } from '../export/survey.ts';
import { type Traced, type TraceStep, traced } from '../export/trace.ts';
import { withNext } from '../lines/async-iterable.ts';
import { isoTime } from '../time.ts';

/**
 * A session as a readable document: the path to the leaf, turn by turn, every entry with its handle; tool calls
 * collapsed, compactions with what they replaced, and a list of the other branches at the end.
 *
 * @example
 * for await (const piece of writeMarkdown(source)) stream.write(piece);
 */
export async function* writeMarkdown(source: ExportSource): AsyncGenerator<string> {
  const survey = await surveyOf(source);
  const blocksOf = createEntryBlocks({ survey });
  const branches = createBranchList({ survey });

  yield paragraphs(headBlocks({ header: source.header, survey }));
  for await (const { item, next } of withNext(traced(source.entries()))) {
    const { entry, step } = item;
    if (survey.isOnPath(entry)) yield paragraphs(blocksOf({ entry, step, next }));
    else if (nodeTypes.has(entry.type)) branches.add(entry);
  }
  yield paragraphs(branches.blocks());
}

function paragraphs(blocks: readonly string[]): string {
  return blocks.map((block) => `${block}\n\n`).join('');
}

/** A way that was left: what branched off at one place, however it branched on. */
interface SideBranch {
  readonly from: number | undefined;
  readonly first: number;
  readonly begins: string;
  last: number;
  entries: number;
}

/** Collects what is not on the path, to be listed at the end. */
function createBranchList({ survey }: { readonly survey: Survey }): {
  readonly add: (entry: Entry) => void;
  readonly blocks: () => string[];
} {
  const branches = new Map<EntryId, SideBranch>();
  return {
    add(entry) {
      const id = survey.branchOf(entry) ?? entry.id;
      const branch = branches.get(id) ?? begun(entry);
      branch.last = entry.handle;
      branch.entries += 1;
      branches.set(id, branch);
    },
    blocks() {
      if (branches.size === 0) return [];
      const lines = [...branches.values()].map(({ from, first, last, entries, begins }) => {
        const place = from === undefined ? 'from the beginning' : `from [@${from}](#@${from})`;
        const size = entries === 1 ? `@${first}` : `@${first} to @${last}, ${entries} entries`;
        return `- ${place}: ${size}: ${plain(begins)}`;
      });
      return ['## Branches that were left', lines.join('\n')];
    },
  };

  function begun(entry: Entry): SideBranch {
    const { kind, text } = gistOf(entry);
    const from = entry.parentId === null ? undefined : survey.handleOf(entry.parentId);
    const begins = firstWords({ text: `${kind} ${text}`, length: 100 });
    return { from, first: entry.handle, begins, last: entry.handle, entries: 0 };
  }
}

/** Entries that take effect through the epoch entry after them. */
const causes: ReadonlySet<string> = new Set(['compaction', 'prune', 'context_edit']);

/**
 * Renders each entry of a path as Markdown blocks. It also gets the next entry: an epoch shows what a compaction replaced.
 *
 * @example
 * const blocksOf = createEntryBlocks({ survey });
 * const blocks = blocksOf({ entry, step, next });
 */
function createEntryBlocks({
  survey,
}: {
  readonly survey: Survey;
}): (of: Traced & { readonly next: Traced | undefined }) => string[] {
  const tools = new Map<string, string>();
  let turns = 0;
  let isCause = false;

  return ({ entry, step, next }) => {
    const effect = next?.entry.type === 'epoch' && next.entry.parentId === entry.id ? next.step : undefined;
    const isEffect = isCause;
    isCause = causes.has(entry.type) && effect !== undefined;
    switch (entry.type) {
      case 'message':
        return messageBlocks(entry);
      case 'custom_message':
        return [line(entry, plain(entry.customType)), ...parts(entry.parts, entry)];
      case 'branch_summary':
        return [line(entry, 'what happened on a branch that was left'), quoted(prose({ text: entry.summary }))];
      case 'compaction':
        return compactionBlocks({ entry, step, effect });
      case 'prune':
      case 'context_edit':
        return [`${line(entry, plain(gistOf(entry).text))}${effect ? ` · ${placesOf(effect)}` : ''}`];
      case 'epoch':
        return isEffect ? [] : [line(entry, `what is sent changed: ${plain(entry.reason)} · ${tokens(step.context)}`)];
      case 'pin':
      case 'model_change':
      case 'thinking_change':
      case 'checkpoint': {
        const { kind, text } = gistOf(entry);
        return [line(entry, `${kind}: ${plain(firstWords({ text, length: 300 }))}`)];
      }
      default:
        return [];
    }
  };

  function messageBlocks(entry: MessageEntry): string[] {
    const { role, parts: said } = entry.message;
    for (const part of said) if (part.type === 'tool_call') tools.set(part.id, part.name);
    if (role === 'tool') return [anchor(entry), ...parts(said, entry)];
    const words = said.find((part) => part.type === 'text' && part.origin === 'human');
    const who = role === 'assistant' ? plain(entry.by?.name ?? 'model') : words ? 'human' : role;
    const blocks = [line(entry, `${who} · ${dayAndTime(entry.at)}`), ...parts(said, entry)];
    if (role !== 'user' || words?.type !== 'text') return blocks;
    turns += 1;
    return [`## ${turns}. ${plain(firstWords({ text: words.text, length: 80 }))}`, ...blocks];
  }

  function parts(list: MessageEntry['message']['parts'], { handle }: Entry): string[] {
    return partBlocks({ parts: list, handle: `@${handle}`, nameOf: (callId) => tools.get(callId) });
  }

  function compactionBlocks({
    entry,
    step,
    effect,
  }: {
    readonly entry: CompactionEntry;
    readonly step: TraceStep;
    readonly effect: TraceStep | undefined;
  }): string[] {
    const size = effect ? `${tokens(step.context)} before, ${tokens(effect.context)} after` : 'not in force';
    const kept = entry.firstKeptId === null ? undefined : survey.handleOf(entry.firstKeptId);
    const facts = [
      'compaction',
      ...(effect ? [placesOf(effect)] : []),
      ...(kept === undefined ? [] : [`verbatim from [@${kept}](#@${kept})`]),
      size,
    ];
    const summary = folded({ title: 'the summary in their place', body: quoted(prose({ text: entry.summary })) });
    return ['---', line(entry, facts.join(' · ')), summary, '---'];
  }

  function line(entry: Entry, what: string): string {
    const label = survey.labels.get(entry.id);
    const name = label === undefined ? '' : ` · *${plain(label)}*`;
    return `${anchor(entry)}**@${entry.handle}** ${what}${name}`;
  }
}

function anchor({ handle }: Entry): string {
  return `<a id="@${handle}"></a>`;
}

function placesOf({ replaced: { count, stretches } }: TraceStep): string {
  const places = stretches.map(([first, last]) =>
    first === last ? `[@${first}](#@${first})` : `[@${first}](#@${first}) to [@${last}](#@${last})`,
  );
  const shown = places.length > 6 ? [...places.slice(0, 5), `${places.length - 5} more stretches`] : places;
  const messages = count === 1 ? '1 message' : `${count} messages`;
  return count === 0 ? 'replaced nothing' : `replaced ${messages}: ${shown.join(', ')}`;
}

function tokens(count: number): string {
  return `about ${count.toLocaleString('en')} tokens`;
}

/** How calls are named on their results. */
type ToolNames = (callId: string) => string | undefined;

/**
 * The parts of a message, one block each: what people and models said as it is, all else folded away.
 *
 * @example
 * partBlocks({ parts: entry.message.parts, handle: '@12', nameOf }).join('\n\n');
 */
function partBlocks({
  parts,
  handle,
  nameOf,
}: {
  readonly parts: readonly Part[];
  readonly handle: string;
  readonly nameOf: ToolNames;
}): string[] {
  return parts.map((part, index) => {
    const own = parts.length > 1 ? `${handle}.${index + 1}` : handle;
    switch (part.type) {
      case 'text':
        return textBlock({ text: part.text, origin: part.origin });
      case 'thinking':
        return part.text === ''
          ? folded({ title: 'thinking', body: '*Only the provider can read it.*' })
          : folded({ title: `thinking, ${linesOf(part.text)}`, body: quoted(prose({ text: part.text })) });
      case 'tool_call': {
        const gist = firstWords({ text: part.arguments, length: 80 });
        return folded({ title: `<b>${escaped(part.name)}</b> ${escaped(gist)}`, body: argumentsBlock(part.arguments) });
      }
      case 'tool_result': {
        const text = part.content.map(contentText).join('\n');
        const name = part.name ?? nameOf(part.callId) ?? 'a tool';
        const outcome = part.isError ? 'failed' : 'result';
        return folded({
          title: `${own} ${outcome} of <b>${escaped(name)}</b>, ${linesOf(text)}`,
          body: fenced({ text }),
        });
      }
      default:
        return contentText(part);
    }
  });
}

const titles: Partial<Record<Part['origin'], string>> = { tool: 'output', data: 'attached data' };

function textBlock({ text, origin }: { readonly text: string; readonly origin: Part['origin'] }): string {
  if (origin === 'human') return quoted(prose({ text, keepLines: true }));
  if (origin === 'model') return prose({ text });
  return folded({
    title: `${titles[origin] ?? 'put in by the agent'}, ${linesOf(text)}`,
    body: fenced({ text }),
  });
}

/** Indented where it is JSON. */
function argumentsBlock(text: string): string {
  const value = parseJson(text);
  return isObject(value) ? fenced({ text: JSON.stringify(value, undefined, 2), language: 'json' }) : fenced({ text });
}

function contentText(part: ContentPart | Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'document': {
      const { source } = part;
      if (source.kind === 'text') return source.text;
      if (source.kind === 'base64')
        return `[${part.type}, ${source.mediaType}, ${source.data.length} characters of base64]`;
      return `[${part.type}: ${plain(source.kind === 'url' ? source.url : source.id)}]`;
    }
    default:
      return `[${plain(part.type === 'opaque' ? part.kind : part.type)}]`;
  }
}

function linesOf(text: string): string {
  const lines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  return lines === 1 ? '1 line' : `${lines} lines`;
}

/** Longer lines than this hold no code span that anybody meant. */
const longestSpan = 1000;

/** A span of code, or a `<` that would open a tag. */
const spanOrTag = new RegExp(`(?<!\`)(\`+)(?!\`)[^\n]{0,${longestSpan}}?[^\`\n]\\1(?!\`)|<(?=[a-zA-Z/!?])`, 'g');

const fence = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Keeps a text valid Markdown that cannot affect what follows: HTML tags are escaped, and an unclosed code block is
 * closed.
 *
 * @example
 * prose({ text: 'Use <b> in `<i>`.' }); // 'Use &lt;b> in `<i>`.'
 */
export function prose({ text, keepLines = false }: { readonly text: string; readonly keepLines?: boolean }): string {
  let open: string | undefined;
  const lines = text.split('\n').map((line) => {
    const mark = fence.exec(line)?.[1];
    if (open !== undefined) {
      const closes = mark?.startsWith(open) === true && line.trim() === mark;
      if (closes) open = undefined;
      return line;
    }
    if (mark !== undefined) {
      open = mark;
      return line;
    }
    const shown = line.replace(spanOrTag, (found) => (found === '<' ? '&lt;' : found));
    return keepLines && shown.trim() !== '' ? `${shown.trimEnd()}  ` : shown;
  });
  return [...lines, ...(open === undefined ? [] : [open])].join('\n');
}

/**
 * Text as a quotation. What opens inside of it, closes with it.
 *
 * @example
 * quoted('Fix it.\nNow.'); // '> Fix it.\n> Now.'
 */
export function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/**
 * Text byte for byte, in a fence longer than any inside of it.
 *
 * @example
 * fenced({ text: 'a\n', language: 'json' });
 */
export function fenced({ text, language = '' }: { readonly text: string; readonly language?: string }): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${text}${text.endsWith('\n') || text === '' ? '' : '\n'}${mark}`;
}

/**
 * A few words inside a line, with nothing in them that Markdown or HTML would make something of.
 *
 * @example
 * plain('a *b* <c>'); // 'a \\*b\\* &lt;c>'
 */
export function plain(text: string): string {
  return escaped(text).replace(/[\\`*_[\]#|~]/g, '\\$&');
}

/** A few words inside a tag, where Markdown is not read. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/**
 * Something that is folded away until it is opened.
 *
 * @example
 * folded({ title: 'thinking', body: 'I look.' });
 */
function folded({ title, body }: { readonly title: string; readonly body: string }): string {
  return `<details>\n<summary>${title}</summary>\n\n${body}\n\n</details>`;
}

/** What the document is about: a title, and the facts of the session in a table. */
function headBlocks({ header, survey }: { readonly header: SessionHeader; readonly survey: Survey }): string[] {
  const { name, title, count, messages, updatedAt } = survey.summary;
  const facts = [
    ...factsOf(header),
    ['begun', dayAndTime(header.createdAt)],
    ['last entry', dayAndTime(updatedAt)],
    ['size', `${count} entries, ${messages} of them messages`],
  ] as const;
  const rows = facts.map(([what, value]) => `| ${what} | ${plain(value)} |`);
  return [`# ${plain(name ?? title ?? 'A session')}`, ['| | |', '|---|---|', ...rows].join('\n')];
}

/** A moment for people, in UTC: a document may be read anywhere. */
function dayAndTime(at: number): string {
  return `${isoTime(at).slice(0, 19).replace('T', ' ')} UTC`;
}
