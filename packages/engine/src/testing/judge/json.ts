export type JsonRecord = Record<string, unknown>;

export function isObject(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isArray(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

/** Path of a string with half a surrogate pair; such a request is not valid UTF-8 once encoded. */
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

/** JSON with sorted keys, so that equal values have equal text; without the members that `isLeftOut` matches. */
export function canonical(value: unknown, isLeftOut?: (key: string) => boolean): string {
  if (isArray(value)) return `[${value.map((each) => canonical(each, isLeftOut)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const fields: string[] = [];
  for (const key of Object.keys(value).sort())
    if (value[key] !== undefined && !isLeftOut?.(key))
      fields.push(`${JSON.stringify(key)}:${canonical(value[key], isLeftOut)}`);
  return `{${fields.join(',')}}`;
}
