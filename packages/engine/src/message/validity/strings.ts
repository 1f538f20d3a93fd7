import { isArray, isObject, type Json, parseJson, put } from '../../json.ts';
import type { Part, ToolCallPart } from '../message.ts';
import type { IdFormat } from './rules.ts';

const escapedSurrogate = /\\u[dD][89a-fA-F]/;

/** Half a surrogate pair cannot be written as UTF-8: "no low surrogate in string" rejects the whole request. */
export function isWellFormed(part: Part): boolean {
  return isWellFormedJson(part as unknown as Json) && !hasEscaped(part);
}

/** The part with each lone half replaced, as any UTF-8 encoder would. */
export function wellFormed(part: Part): Part {
  const clean = wellFormedJson(part);
  if (!hasEscaped(clean)) return clean;
  if (clean.type === 'tool_call') return withCleanArguments(clean);
  // Without its wire form the text is sent as a text, in which an escape is just six characters.
  const { wire: _, ...rest } = clean;
  return rest;
}

/** Arguments and JSON responses are text here and JSON on the wire, where an escape decodes to a lone surrogate. */
function hasEscaped(part: Part): boolean {
  if (part.type === 'tool_call') return !part.freeform && holdsEscaped(part.arguments);
  if (part.type !== 'tool_result' || part.wire?.dialect !== 'gemini') return false;
  return part.content.some((content) => content.type === 'text' && holdsEscaped(content.text));
}

function holdsEscaped(text: string): boolean {
  if (!escapedSurrogate.test(text)) return false;
  const value = parseJson(text);
  return value !== undefined && !isWellFormedJson(value);
}

function withCleanArguments(part: ToolCallPart): Part {
  return { ...part, arguments: JSON.stringify(wellFormedJson(parseJson(part.arguments) ?? {})) };
}

/** Lone surrogates are not searched for below this depth; a value this deep is rejected for its depth. */
const deepest = 500;

export function isWellFormedJson(value: Json | undefined, depth = 0): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (depth > deepest) return true;
  if (isArray(value)) return value.every((item) => isWellFormedJson(item, depth + 1));
  if (!isObject(value)) return true;
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormedJson(member, depth + 1));
}

export function wellFormedJson<T>(value: T): T {
  return mapStrings(value as Json, 0) as T;
}

function mapStrings(value: Json, depth: number): Json {
  if (typeof value === 'string') return value.toWellFormed();
  if (depth > deepest) return value;
  if (isArray(value)) return value.map((item) => mapStrings(item, depth + 1));
  if (!isObject(value)) return value;
  const result: Record<string, Json | undefined> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) put(result, key.toWellFormed(), mapStrings(member, depth + 1));
  }
  return result;
}

export function fits(text: string, form: IdFormat): boolean {
  return text.length <= form.maxLength && form.pattern.test(text);
}

/**
 * The same name in a form the provider takes. The hash keeps two names apart that differ only in what is lost, and
 * call and result, changed one by one, together.
 */
export function inForm(text: string, form: IdFormat): string {
  if (fits(text, form)) return text;
  const mark = `_${hash(text)}`;
  const clean = text.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, Math.min(form.maxLength, 256) - mark.length - 1);
  return /^[a-zA-Z_]/.test(clean) ? `${clean}${mark}` : `_${clean}${mark}`;
}

/** FNV-1a, 32 bit: short, and the same on every machine. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(16).padStart(8, '0');
}
