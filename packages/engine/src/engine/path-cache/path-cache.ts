import { charsOf } from '../../analysis/index.ts';
import { isObject, type Json, parseJson } from '../../json.ts';
import type { Message, Part } from '../../message/index.ts';
import { type Entry, type EntryId, type Handle, nodeTypes, parseHandle, type Session } from '../../session/index.ts';
import { pathOf } from '../../session/internal.ts';

/**
 * So many characters of the newest entries are held as they were said: about 300,000 tokens. What a compaction costs grows
 * with it, so it is reached within a day of work and not later.
 */
const defaultNear = 1_200_000;

/** So many characters of outlines are held behind them: about as many rounds again as are held whole. */
const defaultFar = 300_000;

/** Entries that are read at once. */
const pageLength = 500;

/** An entry that is held, and how many characters it has. */
interface HeldEntry {
  readonly id: EntryId;
  readonly handle: number;
  readonly chars: number;
}

/** A path through a session, oldest first. */
export interface CachedPath {
  readonly entries: readonly Entry[];
  /** The handle from which on all entries are complete. */
  readonly wholeFrom: number;
}

/**
 * The current path of a session, cached: each entry is read once. Entries that a compaction covers are kept in outline,
 * older ones only where a person wrote them, so that the next summary of a week-long session takes no more time or memory
 * than that of a day. Lines that the newest summary cites are read again in full.
 */
export class PathCache {
  readonly #session: Pick<Session, 'read' | 'head'>;
  readonly #near: number;
  readonly #far: number;
  readonly #entries = new Map<EntryId, Entry>();
  /** What is held whole, oldest first, and how long it is. */
  #whole: HeldEntry[] = [];
  #chars = 0;
  /** What is held in outline, oldest first, and how long it is. */
  #outlined: HeldEntry[] = [];
  #outlinedChars = 0;
  /** Entries far back that the newest summary quotes, by handle. */
  #cited: ReadonlyMap<number, Cited> = new Map();
  #last = 0;
  /** The handle up to which a compaction covers the path. */
  #covered = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor({
    session,
    near = defaultNear,
    far = defaultFar,
  }: {
    readonly session: Pick<Session, 'read' | 'head'>;
    readonly near?: number;
    readonly far?: number;
  }) {
    this.#session = session;
    this.#near = near;
    this.#far = far;
  }

  /** The path to a leaf, by default to the current one. */
  async pathTo({ leaf = this.#session.head.leaf }: { readonly leaf?: EntryId | null } = {}): Promise<CachedPath> {
    const { last } = this.#session.head;
    const reading = this.#reading.then(() => this.#readTo(last));
    this.#reading = reading.catch(() => undefined);
    await reading;
    const { entries } = pathOf({ entries: this.#entries, leaf });
    return { entries: await this.#asCited(entries), wholeFrom: this.#whole[0]?.handle ?? 0 };
  }

  async #readTo(last: number): Promise<void> {
    while (this.#last < last) {
      const page = await this.#session.read({ after: this.#last, limit: pageLength });
      const end = page.at(-1);
      if (!end) return;
      for (const entry of page) this.#add(entry);
      this.#last = end.handle;
      this.#lighten();
    }
  }

  #add(entry: Entry): void {
    // Notes are on no path.
    if (!nodeTypes.has(entry.type)) return;
    this.#entries.set(entry.id, entry);
    const chars = entry.type === 'message' ? charsOf(entry.message) : 0;
    this.#whole.push({ id: entry.id, handle: entry.handle, chars });
    this.#chars += chars;
    if (entry.type !== 'compaction') return;
    const kept = entry.firstKeptId === null ? undefined : this.#entries.get(entry.firstKeptId);
    this.#covered = Math.max(this.#covered, kept?.handle ?? entry.handle);
  }

  #lighten(): void {
    let at = 0;
    for (; this.#chars > this.#near; at += 1) {
      const oldest = this.#whole[at];
      if (!oldest || oldest.handle >= this.#covered) break;
      this.#outline(oldest);
      this.#chars -= oldest.chars;
    }
    if (at > 0) this.#whole = this.#whole.slice(at);
    this.#strip();
  }

  #outline(held: HeldEntry): void {
    const entry = this.#entries.get(held.id);
    if (!entry) return;
    const outline = outlineOf(entry);
    const chars = outline.type === 'message' ? charsOf(outline.message) : 0;
    this.#entries.set(held.id, outline);
    this.#outlined.push({ ...held, chars });
    this.#outlinedChars += chars;
  }

  /** Of the oldest outlines only what people said is kept. */
  #strip(): void {
    let at = 0;
    for (; this.#outlinedChars > this.#far; at += 1) {
      const oldest = this.#outlined[at];
      const entry = oldest && this.#entries.get(oldest.id);
      if (!oldest || !entry) break;
      this.#entries.set(oldest.id, strippedOf(entry));
      this.#outlinedChars -= oldest.chars;
    }
    if (at > 0) this.#outlined = this.#outlined.slice(at);
  }

  /** With the lines that the newest summary on the path quotes, as they were said. */
  async #asCited(entries: readonly Entry[]): Promise<readonly Entry[]> {
    const from = this.#whole[0]?.handle ?? 0;
    const places = citedPlaces(entries);
    const handles = [...places.keys()].filter((handle) => handle < from);
    if (handles.length === 0) return entries;
    const known = this.#cited;
    const missing = handles.filter((handle) => !isKnown(known.get(handle), places.get(handle)));
    const read = missing.length === 0 ? [] : await this.#session.read({ handles: missing });
    const cited = new Map(handles.flatMap((handle) => (missing.includes(handle) ? [] : [[handle, known.get(handle)]])));
    for (const entry of read) {
      const own = places.get(entry.handle) ?? [];
      cited.set(entry.handle, { places: own, entry: citedOf({ entry, places: own }) });
    }
    this.#cited = new Map([...cited].flatMap(([handle, one]) => (one ? [[handle, one]] : [])));
    return entries.map((entry) => this.#cited.get(entry.handle)?.entry ?? entry);
  }
}

/** An entry of which only the quoted lines are held. */
interface Cited {
  readonly places: readonly Handle[];
  readonly entry: Entry;
}

function isKnown(known: Cited | undefined, places: readonly Handle[] = []): boolean {
  return known !== undefined && JSON.stringify(known.places) === JSON.stringify(places);
}

/**
 * The places that the newest summary on a path quotes, by the handle of their entry.
 *
 * @example
 * const places = citedPlaces(path).get(12);
 */
function citedPlaces(path: readonly Entry[]): ReadonlyMap<number, readonly Handle[]> {
  const newest = path.findLast((entry) => entry.type === 'compaction');
  const details = newest?.type === 'compaction' ? newest.details : undefined;
  const made = isObject(details) ? details.made : undefined;
  const lines = isObject(made) ? made.lines : undefined;
  const places = new Map<number, Handle[]>();
  for (const line of Array.isArray(lines) ? lines : []) {
    const place = handleIn(line);
    if (place) places.set(place.entry, [...(places.get(place.entry) ?? []), place]);
  }
  return places;
}

function handleIn(written: unknown): Handle | undefined {
  try {
    return parseHandle(String(written));
  } catch {
    return undefined;
  }
}

/**
 * An entry of which only the quoted lines are left, each with its number: the other lines are empty. What a summary rests
 * on stays exact, and a long result of which one line is quoted costs no more than that line.
 *
 * @example
 * const light = citedOf({ entry, places: [parseHandle('@12.2:40-41')] });
 */
function citedOf({ entry, places }: { readonly entry: Entry; readonly places: readonly Handle[] }): Entry {
  if (entry.type !== 'message') return entry;
  const { sent: _sent, ...rest } = entry;
  const { role, parts } = entry.message;
  const cited = parts.map((part, index): Part => {
    const own = places.filter((place) => place.part === undefined || place.part === index + 1);
    if (own.length === 0) return outlineOfPart(part)[0] ?? { type: 'text', origin: part.origin, text: '' };
    return own.some(({ lines }) => lines === undefined) ? part : withLines({ part, places: own });
  });
  return { ...rest, message: { role, parts: cited } };
}

function withLines({ part, places }: { readonly part: Part; readonly places: readonly Handle[] }): Part {
  if (part.type === 'text' && part.origin !== 'human') {
    return { type: 'text', origin: part.origin, text: onlyLines({ text: part.text, places }) };
  }
  const [only] = part.type === 'tool_result' ? part.content : [];
  // Lines are counted over all texts of a result together; only where there is one it can be blanked by itself.
  if (part.type !== 'tool_result' || part.content.length !== 1 || only?.type !== 'text') return part;
  const { wire: _, ...rest } = part;
  return { ...rest, content: [{ ...only, text: onlyLines({ text: only.text, places }) }] };
}

function onlyLines({ text, places }: { readonly text: string; readonly places: readonly Handle[] }): string {
  const isQuoted = (line: number) => places.some(({ lines }) => lines && line >= lines.from && line <= lines.to);
  const last = Math.max(...places.map(({ lines }) => lines?.to ?? 0));
  return text
    .split('\n')
    .slice(0, last)
    .map((line, index) => (isQuoted(index + 1) ? line : ''))
    .join('\n');
}

/** The longest beginning of a text, or member of a call's arguments, that stays. */
const longest = 160;

/**
 * An entry without what is long in it. Who said what to whom stays, people's words whole; of texts their first lines, so
 * that lines keep their numbers; of calls what they were called with, in short; of results only whether they failed.
 *
 * @example
 * const light = outlineOf(entry);
 */
function outlineOf(entry: Entry): Entry {
  if (entry.type === 'epoch') return 'list' in entry.items ? { ...entry, items: { list: [] } } : entry;
  if (entry.type === 'compaction') {
    const { details: _details, ...rest } = entry;
    return { ...rest, summary: firstLines(entry.summary) };
  }
  if (entry.type !== 'message') return entry;
  const { sent: _sent, ...rest } = entry;
  return { ...rest, message: outlineOfMessage(entry.message) };
}

/**
 * An outline of which only what people said is left. The entry stays in its place, so that paths and counts hold.
 *
 * @example
 * const lighter = strippedOf(outlineOf(entry));
 */
function strippedOf(entry: Entry): Entry {
  if (entry.type !== 'message' || entry.message.role === 'system') return entry;
  const { role, parts } = entry.message;
  return { ...entry, message: { role, parts: parts.filter(({ origin }) => origin === 'human') } };
}

function outlineOfMessage({ role, parts }: Message): Message {
  return { role, parts: parts.flatMap(outlineOfPart) };
}

/** What is left of a part in an outline, if anything is. */
function outlineOfPart(part: Part): Part[] {
  switch (part.type) {
    case 'text': {
      if (part.origin === 'human') return [part];
      const text = firstLines(part.text);
      return text === '' ? [] : [{ type: 'text', origin: part.origin, text }];
    }
    case 'tool_call': {
      const { type, origin, id, name, freeform } = part;
      return [{ type, origin, id, name, arguments: brief(part.arguments), ...(freeform && { freeform }) }];
    }
    case 'tool_result': {
      const { type, origin, callId, isError } = part;
      return [{ type, origin, callId, content: [], ...(isError && { isError }) }];
    }
    default:
      return [];
  }
}

/** Whole lines only: half a line is no quotation. */
function firstLines(text: string): string {
  if (text.length <= longest) return text;
  return text.slice(0, Math.max(0, text.lastIndexOf('\n', longest)));
}

/** The arguments of a call with their long texts cut; what they name stays. */
function brief(written: string): string {
  if (written.length <= longest) return written;
  const input = parseJson(written);
  return isObject(input) ? JSON.stringify(cut(input)) : written.slice(0, longest);
}

function cut(value: Json): Json {
  if (typeof value === 'string') return value.slice(0, longest);
  if (Array.isArray(value)) return value.slice(0, 50).map(cut);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member as Json)]));
}
