/** A range of bytes, the end excluded. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the parts of a request body are, so that one of them can be replaced and all others stay as received. */
export interface BodySpans {
  /** The values of the top-level members. */
  readonly members: ReadonlyMap<string, Span>;
  /** The elements of the member that holds the items; `undefined` where it is absent or no list. */
  readonly items: readonly Span[] | undefined;
  /** How many of them are the same bytes as in the body read before, from the first on. */
  readonly shared: number;
}

/** A body that was read before. */
export interface ReadBody {
  readonly bytes: Buffer;
  readonly items: readonly Span[];
}

/** How many elements tell which body a list continues. */
const leastKnown = 3;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Finds the members of a JSON object and the elements of one of its lists without parsing them, in one pass.
 * Elements that an earlier body begins with as well are compared with it and not scanned. `undefined` for what is no JSON
 * object, or names a member twice.
 *
 * @example
 * const spans = readSpans({ bytes: Buffer.from('{"messages":[1, 2]}'), itemsKey: 'messages' });
 * spans?.items; // [{ start: 13, end: 14 }, { start: 16, end: 17 }]
 */
export function readSpans({
  bytes,
  itemsKey,
  readBefore,
}: {
  readonly bytes: Buffer;
  readonly itemsKey: string;
  /** A body whose list begins with these elements. */
  readonly readBefore?: (first: readonly Span[]) => ReadBody | undefined;
}): BodySpans | undefined {
  const members = new Map<string, Span>();
  let list: ReturnType<typeof elementsOf>;
  const found = () => ({ members, items: list?.elements, shared: list?.shared ?? 0 });
  let at = skipBlank(bytes, 0);
  if (bytes[at] !== openBrace) return undefined;
  at = skipBlank(bytes, at + 1);
  if (bytes[at] === closeBrace) return isEnd(bytes, at + 1) ? found() : undefined;
  for (;;) {
    if (bytes[at] !== quote) return undefined;
    const keyEnd = skipString(bytes, at);
    const key = parseText(bytes, at, keyEnd);
    at = skipBlank(bytes, keyEnd);
    if (key === undefined || members.has(key) || bytes[at] !== colon) return undefined;
    const start = skipBlank(bytes, at + 1);
    let end: number | undefined;
    if (key === itemsKey && bytes[start] === openBracket) {
      list = elementsOf({ bytes, from: start, readBefore });
      end = list?.end;
    } else end = skipValue(bytes, start);
    if (end === undefined) return undefined;
    members.set(key, { start, end });
    at = skipBlank(bytes, end);
    if (bytes[at] === closeBrace) break;
    if (bytes[at] !== comma) return undefined;
    at = skipBlank(bytes, at + 1);
  }
  return isEnd(bytes, at + 1) ? found() : undefined;
}

function elementsOf({
  bytes,
  from,
  readBefore,
}: {
  readonly bytes: Buffer;
  readonly from: number;
  readonly readBefore: Parameters<typeof readSpans>[0]['readBefore'];
}): { readonly elements: Span[]; readonly end: number; readonly shared: number } | undefined {
  const elements: Span[] = [];
  let shared = 0;
  let at = skipBlank(bytes, from + 1);
  if (bytes[at] === closeBracket) return { elements, end: at + 1, shared };
  for (;;) {
    let end = skipValue(bytes, at);
    if (end === undefined) return undefined;
    elements.push({ start: at, end });
    if (elements.length === leastKnown) {
      shared = takeShared({ bytes, elements, before: readBefore?.(elements) });
      end = elements.at(-1)?.end ?? end;
    }
    at = skipBlank(bytes, end);
    if (bytes[at] === closeBracket) return { elements, end: at + 1, shared };
    if (bytes[at] !== comma) return undefined;
    at = skipBlank(bytes, at + 1);
  }
}

/** Adds the elements that follow in the earlier body, as far as all bytes are the same. Returns how many are shared. */
function takeShared({
  bytes,
  elements,
  before,
}: {
  readonly bytes: Buffer;
  readonly elements: Span[];
  readonly before: ReadBody | undefined;
}): number {
  const [first, begin] = [elements[0], before?.items[0]];
  if (!before || !first || !begin) return 0;
  const offset = first.start - begin.start;
  const isShared = (count: number) => {
    const last = before.items[count - 1];
    // The end of a number depends on what follows it.
    if (!last || before.bytes[last.start] !== openBrace || last.end + offset > bytes.length) return false;
    return before.bytes.compare(bytes, first.start, last.end + offset, begin.start, last.end) === 0;
  };
  const shared = mostShared({ most: before.items.length, isShared });
  if (shared < elements.length) return 0;
  for (const { start, end } of before.items.slice(elements.length, shared))
    elements.push({ start: start + offset, end: end + offset });
  return shared;
}

/** Only the newest elements usually differ, so it looks there first. */
function mostShared({ most, isShared }: { readonly most: number; isShared(count: number): boolean }): number {
  let above = most + 1;
  for (let step = 1; above > 1; step *= 2) {
    const count = Math.max(1, above - step);
    if (isShared(count)) {
      let [low, high] = [count, above];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (isShared(middle)) low = middle;
        else high = middle;
      }
      return low;
    }
    above = count;
  }
  return 0;
}

/** The end of the value that begins here; brackets are counted, what is between them is not checked. */
function skipValue(bytes: Buffer, from: number): number | undefined {
  const first = bytes[from];
  if (first === quote) return within(bytes, skipString(bytes, from));
  if (first !== openBrace && first !== openBracket) return skipScalar(bytes, from);
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = skipString(bytes, at) - 1;
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function skipScalar(bytes: Buffer, from: number): number | undefined {
  let at = from;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === comma || byte === closeBrace || byte === closeBracket || isBlank(byte)) break;
  }
  return at > from ? at : undefined;
}

/** Past the closing quote; past the end of the text where there is none. */
function skipString(bytes: Buffer, from: number): number {
  let at = from + 1;
  for (;;) {
    const end = bytes.indexOf(quote, at);
    if (end < 0) return bytes.length + 1;
    let escapes = 0;
    while (bytes[end - 1 - escapes] === backslash) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
    at = end + 1;
  }
}

function within(bytes: Buffer, end: number): number | undefined {
  return end <= bytes.length ? end : undefined;
}

function parseText(bytes: Buffer, start: number, end: number): string | undefined {
  try {
    return JSON.parse(bytes.toString('utf8', start, end)) as string;
  } catch {
    return undefined;
  }
}

function skipBlank(bytes: Buffer, from: number): number {
  let at = from;
  while (isBlank(bytes[at])) at += 1;
  return at;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isEnd(bytes: Buffer, from: number): boolean {
  return skipBlank(bytes, from) === bytes.length;
}
