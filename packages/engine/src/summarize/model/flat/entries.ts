import { resultText, type SourceItem, withoutColours } from '../../../analysis/index.ts';
import type { Part, ToolResultPart } from '../../../message/index.ts';
import { escaped, tags } from '../prompts/tags.ts';

/** How much of each kind is shown, in characters: of arguments 200, as Copilot cuts them; of edits a short diff. */
export const usualLimits = { arguments: 200, edit: 800, result: 2_000, thinking: 600, text: 20_000, program: 1_500 };

export type Limits = typeof usualLimits;

/**
 * A message as one entry of a flat record: who, where, and what. Nothing in it can end the entry or begin another.
 *
 * @example
 * const text = items.map((item) => entryOf({ item, limits: usualLimits, nameOf })).join('\n');
 */
export function entryOf({
  item: { handle, message },
  limits,
  nameOf,
  isEdit = () => false,
}: {
  readonly item: SourceItem;
  readonly limits: Limits;
  /** The tool that was called by a call. */
  readonly nameOf: (callId: string) => string | undefined;
  /** Whether the arguments of a call are a diff. */
  readonly isEdit?: (callId: string) => boolean;
}): string {
  const by = whose(message.parts);
  const lines = message.parts.flatMap((part) => lineOf({ part, limits, nameOf, isEdit }));
  return `<${tags.entry} at="@${handle}" by="${by}">\n${lines.map(escaped).join('\n')}\n</${tags.entry}>`;
}

/** The names of tools by the ids of their calls; a call without a result is told as such. */
export function callsOf(items: readonly SourceItem[]): {
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

/** Only what a person wrote is a person's: what a client put in under the user's role is not. */
function whose(parts: readonly Part[]): string {
  const origins = new Set(parts.map(({ origin }) => origin));
  if (origins.has('human')) return origins.size === 1 ? 'user' : 'user and program';
  if (origins.has('model')) return 'agent';
  return origins.has('tool') ? 'tool' : 'program';
}

/** What stands before texts that neither the user nor the model wrote. */
const prefixes: Partial<Record<Part['origin'], string>> = { engine: 'program: ', data: 'attached data: ' };

function lineOf({
  part,
  limits,
  nameOf,
  isEdit,
}: {
  readonly part: Part;
  readonly limits: Limits;
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
  readonly limits: Limits;
  readonly name: string | undefined;
}): string {
  const text = withoutColours(resultText(of.part)).trim();
  const media = of.part.content.filter(({ type }) => type !== 'text').map(({ type }) => `[${type}]`);
  const said = [...(text === '' ? [] : [edges(text, of.limits.result)]), ...media].join('\n') || '(nothing)';
  return `${of.part.isError ? 'error' : 'result'} of ${oneLine(of.name ?? 'a tool')}: ${said}`;
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

/** Beginning and end: outcomes stand at the end. */
function edges(text: string, length: number): string {
  if (text.length <= length) return text;
  const head = Math.ceil(length * 0.4);
  const left = text.length - length;
  return `${text.slice(0, head).toWellFormed()}\n[… ${left} characters left out …]\n${text.slice(head + left).toWellFormed()}`;
}
