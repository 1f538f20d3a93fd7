import { charsOf } from '../../analysis/index.ts';
import { type Entry, type EntryId, type Handle, nodeTypes, pathOf, type Session } from '../../session/index.ts';
import { citedOf, citedPlaces } from './cited.ts';
import { outlineOf, strippedOf } from './outline.ts';

/** So many characters of the newest entries are held as they were said: about half a million tokens. */
const usualNear = 2_000_000;

/** So many characters of outlines are held behind them: about as many rounds again as are held whole. */
const usualFar = 500_000;

/** Entries that are read at once. */
const pageLength = 500;

/** An entry that is held, and how many characters it has. */
interface Held {
  readonly id: EntryId;
  readonly handle: number;
  readonly chars: number;
}

/** A way through a session, oldest first. */
export interface Way {
  readonly entries: readonly Entry[];
  /** The handle from which on all of it is as it was said. */
  readonly wholeFrom: number;
}

/**
 * The way to where a session stands, kept at hand: each entry is read once. What was told by a compaction and lies far back
 * is held in outline, and farther back only what people said, so that a session of weeks takes no more time or memory for
 * the next summary than one of a day. Lines that the newest summary rests on are read again as they were said.
 */
export class Trail {
  readonly #session: Pick<Session, 'read' | 'head'>;
  readonly #near: number;
  readonly #far: number;
  readonly #entries = new Map<EntryId, Entry>();
  /** What is held whole, oldest first, and how long it is. */
  #whole: Held[] = [];
  #chars = 0;
  /** What is held in outline, oldest first, and how long it is. */
  #outlined: Held[] = [];
  #outlinedChars = 0;
  /** Entries far back that the newest summary quotes, by handle. */
  #cited: ReadonlyMap<number, Cited> = new Map();
  #last = 0;
  /** The handle up to which a compaction has told what was said. */
  #told = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor({
    session,
    near = usualNear,
    far = usualFar,
  }: {
    readonly session: Pick<Session, 'read' | 'head'>;
    readonly near?: number;
    readonly far?: number;
  }) {
    this.#session = session;
    this.#near = near;
    this.#far = far;
  }

  /** The way to a place, by default to where the session stands. */
  async to({ leaf = this.#session.head.leaf }: { readonly leaf?: EntryId | null } = {}): Promise<Way> {
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
    this.#told = Math.max(this.#told, kept?.handle ?? entry.handle);
  }

  #lighten(): void {
    let at = 0;
    for (; this.#chars > this.#near; at += 1) {
      const oldest = this.#whole[at];
      if (!oldest || oldest.handle >= this.#told) break;
      this.#outline(oldest);
      this.#chars -= oldest.chars;
    }
    if (at > 0) this.#whole = this.#whole.slice(at);
    this.#strip();
  }

  #outline(held: Held): void {
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
