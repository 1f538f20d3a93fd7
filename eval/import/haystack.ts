/** Many texts, in which others are looked for byte for byte. */
export interface Haystack {
  readonly has: (text: string) => boolean;
}

/** Stands between texts, so that nothing is found across two of them. */
const gap = '\u0000';

/** Texts to look in. */
export function createHaystack(texts: readonly string[]): Haystack {
  const joined = texts.join(gap);
  return { has: (text) => joined.includes(text) };
}

/** All strings in a value, and those inside of strings that are JSON themselves. */
export function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield value;
    if (/^\s*[{[]/.test(value)) yield* stringsIn(jsonOf(value));
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) yield* stringsIn(member);
  }
}

/** The JSON that a text is; `undefined` where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
