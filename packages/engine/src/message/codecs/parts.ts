import { canonical, isObject, type Json, type JsonObject, parseJson, without } from '../../json.ts';
import type { Dialect, Message, OpaquePart, Origin, Part, Role, TextPart, ToolCallPart } from '../message.ts';
import { originOf } from '../origin.ts';
import { readCache, wireOf } from './wire.ts';

/** A text part; its origin follows from the role and, in user messages, from the text itself. */
export function textPart(text: string, role: Role): TextPart {
  return { type: 'text', origin: originOf({ role, text }), text };
}

/** What the codec does not understand, kept whole. */
export function opaquePart(input: {
  readonly dialect: Dialect;
  readonly value: Json;
  readonly origin: Origin;
}): OpaquePart {
  const { dialect, value, origin } = input;
  const kind = isObject(value) && typeof value.type === 'string' ? value.type : 'unknown';
  return { type: 'opaque', origin, dialect, kind, value };
}

/** An opaque part goes back to its own dialect as it came, and nowhere else. */
export function writeOpaque(part: Part, dialect: Dialect): Json[] {
  return part.type === 'opaque' && part.dialect === dialect ? [canonical(part.value)] : [];
}

/** An item of the list that is no message of this dialect at all: kept whole, so that the list keeps its length. */
export function opaqueItem(input: {
  readonly dialect: Dialect;
  readonly value: Json;
  readonly role?: Role;
  readonly kind?: string;
}): Message {
  const { dialect, value, role = 'user', kind } = input;
  const origin = role === 'user' ? 'engine' : originOf({ role, text: '' });
  const part = opaquePart({ dialect, value, origin });
  return { role, parts: [kind === undefined ? part : { ...part, kind }], wire: { dialect, form: 'item' } };
}

/** The cache mark of a block, and whatever else it has that the neutral part has no name for. */
export function restOf(input: {
  readonly dialect: Dialect;
  readonly block: JsonObject;
  readonly known: readonly string[];
  readonly form?: string | undefined;
}): Pick<Part, 'cache' | 'wire'> {
  const { dialect, block, known, form } = input;
  const cache = readCache(block.cache_control);
  const fields = without(block, cache ? [...known, 'cache_control'] : known);
  return { ...(cache && { cache }), ...wireOf({ dialect, fields, form }) };
}

/**
 * A system message in the middle of a list, for dialects that know none there: a tagged user text, as Claude Code's own
 * reminders are, so that it is not read as a person's words.
 *
 * @example
 * reminderText('The plan has changed.'); // '<system-reminder>\nThe plan has changed.\n</system-reminder>'
 */
export function reminderText(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}

/**
 * The arguments of a call for providers that take only objects; what a model wrote otherwise is carried inside one.
 *
 * @example
 * argumentsOf({ type: 'tool_call', origin: 'model', id: '1', name: 'read', arguments: '{"path":"a"}' }); // { path: 'a' }
 */
export function argumentsOf(part: ToolCallPart): JsonObject {
  if (part.freeform) return { input: part.arguments };
  if (part.arguments.trim() === '') return {};
  const value = parseJson(part.arguments);
  return isObject(value) ? value : { input: value ?? part.arguments };
}
