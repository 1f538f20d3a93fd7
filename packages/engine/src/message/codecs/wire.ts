import { canonical, type Json, type JsonObject, put } from '../../json.ts';
import type { CacheMark, Dialect, Wire } from '../message.ts';

/** Builds a `Wire` only where there is something to remember. */
export function wireOf(input: {
  readonly dialect: Dialect;
  readonly fields?: JsonObject | undefined;
  readonly form?: string | undefined;
}): { readonly wire?: Wire } {
  const { dialect, fields, form } = input;
  if (fields === undefined && form === undefined) return {};
  return { wire: { dialect, ...(fields && { fields }), ...(form !== undefined && { form }) } };
}

/** What `value` remembers of `dialect`; nothing when it came from another one. */
export function native(value: { readonly wire?: Wire }, dialect: Dialect): Wire | undefined {
  return value.wire?.dialect === dialect ? value.wire : undefined;
}

/** True for what was born in another dialect, whose signatures and ciphers mean nothing here. */
export function isForeign(value: { readonly wire?: Wire }, dialect: Dialect): boolean {
  return value.wire !== undefined && value.wire.dialect !== dialect;
}

/** One wire object: the known members in the order given, then the remembered ones in alphabetical order. */
export function assemble(known: Readonly<Record<string, Json | undefined>>, wire?: Wire): JsonObject {
  const result: Record<string, Json | undefined> = {};
  for (const [key, value] of Object.entries(known)) {
    if (value !== undefined) result[key] = value;
  }
  const fields = wire?.fields ?? {};
  for (const key of Object.keys(fields).sort()) {
    const value = fields[key];
    if (value !== undefined) put(result, key, canonical(value));
  }
  return result;
}

/** Reads `cache_control` where it is exactly what the neutral model can say; anything else stays an unknown member. */
export function readCache(value: Json | undefined): CacheMark | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { type, ttl, ...rest } = value as JsonObject;
  if (type !== 'ephemeral' || Object.keys(rest).length > 0) return undefined;
  if (ttl === undefined) return {};
  return typeof ttl === 'string' ? { ttl } : undefined;
}

export function writeCache(cache: CacheMark | undefined): JsonObject | undefined {
  if (cache === undefined) return undefined;
  return cache.ttl === undefined ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: cache.ttl };
}
