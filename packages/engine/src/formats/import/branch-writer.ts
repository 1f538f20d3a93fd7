import {
  ConflictError,
  type Entry,
  type EntryId,
  type Head,
  type LeafEntry,
  nodeTypes,
  type SessionId,
  type Store,
} from '../../session/index.ts';
import { createChain } from '../chain.ts';
import type { Agreement } from './compare.ts';
import { sizeOf } from './size.ts';

/** So many entries, or so many characters of them, are made durable at once. */
const batch = { entries: 1000, chars: 4 * 1024 * 1024 };

/** Two imports of one file at the same time take turns; more often than this they are not in each other's way. */
const mostTurns = 1000;

/** Appends to one session what the file has and the store has not. */
export class StrandWriter {
  readonly #store: Store;
  readonly #session: SessionId;
  readonly #shared: number;
  readonly #epochs = new Map<EntryId, EntryId | null>();
  #head: Head;
  #leaf: EntryId | null = null;
  #taken = 0;
  #added = 0;
  /** By how much handles in the store are ahead of those in the file; known when the first new entry comes. */
  #ahead: number | undefined;
  #waiting: Entry[] = [];
  #chars = 0;

  constructor(of: {
    readonly store: Store;
    readonly session: SessionId;
    readonly agreement: Agreement;
  }) {
    this.#store = of.store;
    this.#session = of.session;
    this.#shared = of.agreement.shared;
    this.#head = of.agreement.head;
  }

  /** `true` when something was made durable. */
  async take(entry: Entry): Promise<boolean> {
    this.#taken += 1;
    if (this.#taken > this.#shared) this.#enqueue(entry);
    if (entry.type === 'leaf') this.#leaf = entry.target;
    if (nodeTypes.has(entry.type)) {
      this.#epochs.set(entry.id, entry.epoch);
      this.#leaf = entry.id;
    }
    // An epoch belongs to what it puts in force, right before it: they become durable together.
    if (entry.type === 'compaction' || entry.type === 'context_edit' || entry.type === 'prune') return false;
    if (this.#waiting.length < batch.entries && this.#chars < batch.chars) return false;
    await this.#flush();
    return true;
  }

  /** How many entries were added. */
  async finish(): Promise<number> {
    await this.#flush();
    return this.#added;
  }

  #enqueue(entry: Entry): void {
    if (this.#ahead === undefined) {
      const moves = nodeTypes.has(entry.type) && entry.parentId !== this.#head.leaf && this.#head.last > 0;
      this.#ahead = Math.max(0, this.#head.last + (moves ? 2 : 1) - entry.handle);
      if (moves) this.#waiting.push(moveBefore({ entry, head: this.#head }));
    }
    const handle = entry.handle + this.#ahead;
    // Brought in meanwhile by another import of the same file.
    if (handle <= this.#head.last) return;
    this.#waiting.push(this.#ahead === 0 ? entry : { ...entry, handle });
    this.#chars += sizeOf(entry);
  }

  async #flush(): Promise<void> {
    const leaf = this.#leaf;
    const epoch = leaf === null ? null : (this.#epochs.get(leaf) ?? null);
    for (let turn = 0; this.#waiting.length > 0; turn += 1) {
      try {
        const where = { session: this.#session, expect: this.#head.last, leaf, epoch };
        this.#head = await this.#store.append({ ...where, entries: this.#waiting });
        this.#added += this.#waiting.length;
        break;
      } catch (error) {
        if (!(error instanceof ConflictError) || turn > mostTurns) throw error;
        await this.#giveWay(error);
      }
    }
    this.#waiting = [];
    this.#chars = 0;
  }

  /** Another import of the same file was faster: what it has brought in need not be brought in again. */
  async #giveWay(conflict: ConflictError): Promise<void> {
    const { last: newest } = conflict.head;
    const common = this.#waiting.findLast((entry) => entry.handle <= newest);
    const query = { handles: common ? [common.handle] : [] };
    const [stored] = common ? await this.#store.read({ session: this.#session, query }) : [];
    if (!common || stored?.id !== common.id) throw conflict;
    this.#waiting = this.#waiting.filter((entry) => entry.handle > newest);
    this.#head = conflict.head;
  }
}

/** Takes the session to where the file goes on. */
function moveBefore({ entry, head }: { readonly entry: Entry; readonly head: Head }): Entry {
  const move: Omit<LeafEntry, 'id'> = {
    v: 1,
    parentId: head.leaf,
    handle: head.last + 1,
    at: entry.at,
    epoch: head.epoch,
    type: 'leaf',
    target: entry.parentId,
    reason: 'move',
  };
  return { ...move, id: createChain({ seed: `move\n${entry.id}` })(move) };
}
