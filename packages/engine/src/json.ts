/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object; a member that is absent and one that is `undefined` mean the same. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Below this depth values are taken as they are: recursion must not end a process that JSON.parse survived. */
const deepest = 500;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** The members of `object` that are not named: what a codec does not know, kept as it came. */
export function without(object: JsonObject, known: readonly string[]): JsonObject | undefined {
  let rest: Record<string, Json | undefined> | undefined;
  for (const key of Object.keys(object)) {
    if (known.includes(key) || object[key] === undefined) continue;
    rest ??= {};
    put(rest, key, object[key]);
  }
  return rest;
}

/** The same value with the members of every object in alphabetical order, so that equal values have equal bytes. */
export function canonical(value: Json, depth = 0): Json {
  if (depth > deepest) return value;
  if (isArray(value)) return value.map((item) => canonical(item, depth + 1));
  if (!isObject(value)) return value;
  const sorted: Record<string, Json | undefined> = {};
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) put(sorted, key, canonical(member, depth + 1));
  }
  return sorted;
}

/** Equality of JSON values; the order of members does not count. */
export function sameJson(a: Json | undefined, b: Json | undefined, depth = 0): boolean {
  if (a === b) return true;
  if (depth > deepest) return JSON.stringify(a) === JSON.stringify(b);
  if (isArray(a)) {
    return isArray(b) && a.length === b.length && a.every((item, index) => sameJson(item, b[index], depth + 1));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = definedKeys(a);
  return (
    keys.length === definedKeys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key], depth + 1))
  );
}

/** Parses JSON text; `undefined` where it is none. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Sets an own member even when it is called `__proto__`, which plain assignment would take for the prototype. */
export function put(target: Record<string, Json | undefined>, key: string, value: Json | undefined): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

function definedKeys(object: JsonObject): string[] {
  return Object.keys(object).filter((key) => object[key] !== undefined);
}

/**
 * A JSON value as a word for names and messages. `String` throws for an object with a member called `toString`.
 *
 * @example
 * safeString({ toString: 1 }); // '[object Object]'
 */
export function safeString(value: unknown): string {
  return typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : String(value);
}
