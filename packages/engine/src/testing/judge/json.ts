export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

/** Where a string holds half a surrogate pair, as a path; such a request is no valid UTF-8 once encoded. */
export function loneSurrogate(value: unknown): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : '';
  if (isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const found = loneSurrogate(value[at]);
      if (found !== undefined) return `[${at}]${found === '' || found.startsWith('[') ? '' : '.'}${found}`;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed()) return '';
    const found = loneSurrogate(value[key]);
    if (found !== undefined) return `${key}${found === '' || found.startsWith('[') ? '' : '.'}${found}`;
  }
  return undefined;
}

/** JSON with sorted keys, so that equal values have equal text whoever serialised them. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (isObject(value)) {
    const fields = Object.keys(value)
      .filter((key) => value[key] !== undefined)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
    return `{${fields.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
