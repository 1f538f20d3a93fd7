import { isObject, parseJson } from '../../json.ts';
import type { ContentPart, Part } from '../../message/index.ts';
import { type CompactionEntry, type Entry, gistOf, type MessageEntry } from '../../session/index.ts';
import { firstWords } from '../../session/internal.ts';
import type { Survey } from '../export/survey.ts';
import type { Step, Traced } from '../export/trace.ts';
import { dayAndTime } from './head.ts';
import { escaped, fenced, folded, plain, prose, quoted } from './text.ts';

/** Entries whose effect comes with the epoch that stands on them. */
const causes: ReadonlySet<string> = new Set(['compaction', 'prune', 'context_edit']);

/**
 * Says each entry of a path in blocks of Markdown. It is told the next one too: an epoch says what a compaction replaced.
 *
 * @example
 * const blocksOf = createEntryBlocks({ survey });
 * const blocks = blocksOf({ entry, step, next });
 */
export function createEntryBlocks({
  survey,
}: {
  readonly survey: Survey;
}): (of: Traced & { readonly next: Traced | undefined }) => string[] {
  const tools = new Map<string, string>();
  let turns = 0;
  let isTold = false;

  return ({ entry, step, next }) => {
    const effect = next?.entry.type === 'epoch' && next.entry.parentId === entry.id ? next.step : undefined;
    const isEffect = isTold;
    isTold = causes.has(entry.type) && effect !== undefined;
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
    readonly step: Step;
    readonly effect: Step | undefined;
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

function placesOf({ replaced: { count, stretches } }: Step): string {
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
