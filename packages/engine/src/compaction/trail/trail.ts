import { isObject } from '../../json.ts';
import { type Entry, type EntryId, nodeTypes, pathOf, type Session } from '../../session/index.ts';
import { charsOf } from '../summarise/length.ts';
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

  /** Entries that the newest summary on the way quotes, as they were said. */
  async #asCited(entries: readonly Entry[]): Promise<readonly Entry[]> {
    const from = this.#whole[0]?.handle ?? 0;
    const handles = citedBy(entries).filter((handle) => handle < from);
    if (handles.length === 0) return entries;
    const cited = new Map((await this.#session.read({ handles })).map((entry) => [entry.id, entry]));
    return entries.map((entry) => cited.get(entry.id) ?? entry);
  }
}

/** The handles of entries from which lines stand in the newest summary. */
function citedBy(entries: readonly Entry[]): number[] {
  const newest = entries.findLast((entry) => entry.type === 'compaction');
  const details = newest?.type === 'compaction' ? newest.details : undefined;
  const made = isObject(details) ? details.made : undefined;
  const lines = isObject(made) ? made.lines : undefined;
  if (!Array.isArray(lines)) return [];
  return [...new Set(lines.map((line) => Number(/^@(\d+)/.exec(String(line))?.[1])))].filter(Number.isInteger);
}
