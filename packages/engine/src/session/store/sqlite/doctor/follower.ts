import { type Entry, type EntryId, nodeTypes } from '../../../entry/entry.ts';
import type { Head } from '../../store.ts';

/**
 * Follows a log and computes what must be stored with it: the leaf, and the tables by which epochs and paths are
 * found. Written apart from the code that fills them, which it judges.
 */
export class Follower {
  readonly spans: string[] = [];
  readonly runs: string[] = [];
  readonly #known = new Map<EntryId, { readonly handle: number; readonly epoch: EntryId | null }>();
  #leaf: EntryId | null = null;
  /** The newest node. */
  #tip: EntryId | null = null;
  #span: EntryId | null | undefined;
  #last = 0;

  get head(): Head {
    const epoch = this.#leaf === null ? null : (this.#known.get(this.#leaf)?.epoch ?? null);
    return { last: this.#last, count: this.#known.size, leaf: this.#leaf, epoch };
  }

  /** The newest node, to which what lost its parent is tied. */
  get tip(): EntryId | null {
    return this.#tip;
  }

  has(id: EntryId): boolean {
    return this.#known.has(id);
  }

  epochOf(id: EntryId | null): EntryId | null {
    return id === null ? null : (this.#known.get(id)?.epoch ?? null);
  }

  take(entry: Entry): void {
    const { id, handle, parentId, epoch } = entry;
    if (this.#span !== epoch) this.spans.push(`${handle} ${epoch}`);
    this.#span = epoch;
    if (nodeTypes.has(entry.type)) {
      const base = parentId === null ? 0 : (this.#known.get(parentId)?.handle ?? 0);
      if (parentId === null || parentId !== this.#tip) this.runs.push(`${handle} ${base}`);
      this.#tip = id;
      this.#leaf = id;
    }
    if (entry.type === 'leaf') this.#leaf = entry.target;
    this.#known.set(id, { handle, epoch });
    this.#last = handle;
  }
}
