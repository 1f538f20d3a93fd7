import { isArray, isObject, type Json, type JsonObject, parseJson, put, without } from '../../json.ts';
import type { Context, Entry, SessionHeader } from '../../session/index.ts';
import type { WarningList } from '../warnings.ts';

/** Masks what a session says, and remembers where it had to. */
export interface Masking {
  readonly header: (header: SessionHeader) => SessionHeader;
  readonly entry: (entry: Entry) => Entry;
  readonly context: (context: Context) => Context;
  /** Says in how many places. */
  readonly report: () => void;
}

export function createMasking({
  mask,
  warnings,
}: {
  readonly mask: MaskText;
  readonly warnings: WarningList;
}): Masking {
  const places = new Set<string>();
  return {
    header: (header) => masked(header, 'header'),
    entry: (entry) => masked(entry, entry.id),
    context: (context) => ({
      ...context,
      items: context.items.map((item, index) => masked(item, item.entry ?? `made ${index}`)),
    }),
    report() {
      if (places.size === 0) return;
      const where = places.size === 1 ? 'one place' : `${places.size} places`;
      warnings.add({ code: 'masked', message: `What looks like a key or a password was masked in ${where}.` });
    },
  };

  function masked<T extends object>(value: T, place: string): T {
    const result = maskJson({ value: value as unknown as Json, mask }) as unknown as T;
    if (result !== value) places.add(place);
    return result;
  }
}

/** Gives a text back without what is secret in it. */
export type MaskText = (text: string) => string;

/** No key is longer, so only so short a value can be one by the name of its member alone: `"password": "…"`. */
const longestKey = 200;

/**
 * A value with every text in it masked; the value itself where there is nothing to mask. The bytes of images stay, and
 * so do the ids that hold calls and results together.
 *
 * @example
 * maskJson({ value: { password: 'hunter22' }, mask: createMask() }); // { password: '[secret:8c61f0]' }
 */
export function maskJson<T extends Json>({ value, mask }: { readonly value: T; readonly mask: MaskText }): T {
  return masked(value, '') as T;

  function masked(item: Json, name: string): Json {
    if (typeof item === 'string') return maskedText(item, name);
    if (isArray(item)) {
      const items = item.map((inner) => masked(inner, name));
      return items.some((inner, index) => inner !== item[index]) ? items : item;
    }
    return isObject(item) && item.kind !== 'base64' ? maskedMembers(item) : item;
  }

  function maskedText(text: string, name: string): string {
    if (text.length > longestKey) return mask(text);
    const named = `${name}="`;
    const result = mask(`${named}${text}"`);
    return result.startsWith(named) && result.endsWith('"') ? result.slice(named.length, -1) : mask(text);
  }

  function maskedMembers(object: JsonObject): JsonObject {
    const result: Record<string, Json | undefined> = {};
    const isPart = typeof object.type === 'string' && typeof object.origin === 'string';
    let isChanged = false;
    for (const [name, member] of Object.entries(object)) {
      const isKept = member === undefined || (isPart && (name === 'id' || name === 'callId'));
      const next = isKept ? member : name === 'arguments' ? maskedArguments(member) : masked(member, name);
      put(result, name, next);
      isChanged ||= next !== member;
    }
    if (!isChanged) return object;
    // Another text than the one that was signed, or written in a provider's words.
    return isPart ? (without(result, ['wire', 'signature']) ?? {}) : result;
  }

  /** Arguments are JSON inside a text: masked as text they might be JSON no longer. */
  function maskedArguments(member: Json): Json {
    const parsed = typeof member === 'string' ? parseJson(member) : undefined;
    if (parsed === undefined) return masked(member, 'arguments');
    const inner = masked(parsed, '');
    return inner === parsed ? member : JSON.stringify(inner);
  }
}
