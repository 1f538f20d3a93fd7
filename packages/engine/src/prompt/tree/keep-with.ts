import { type Branch, isBranch, type TreeNode } from './node.ts';
import type { Tree } from './tree.ts';

/** Something to look at when a keep-with goes: one of its wrappers, or a message with calls. */
interface Entry {
  readonly branch: Branch;
  /** A wrapper of the keep-with, not a message that names it. */
  readonly isHolder: boolean;
  /** When a walk through the whole tree would come by: parents first, last children first. */
  readonly turn: number;
}

/**
 * Where every keep-with stands. prompt-tsx walks through the whole tree whenever one goes; here the walk is done once,
 * and then only what it would stop at is visited, in the same order.
 */
export class KeepWithIndex {
  readonly #byId = new Map<number, Entry[]>();
  /** Messages with an empty list of calls and nothing else: the walk removes them, whoever goes. */
  readonly #hollow: Entry[] = [];

  constructor(root: Branch) {
    let turn = 0;
    const walk = (node: TreeNode) => {
      if (!isBranch(node)) return;
      node.turn = turn;
      this.#note(node, turn++);
      for (let child = node.last; child; child = child.prev) walk(child);
    };
    walk(root);
  }

  /** What a walk from the root would come by, as it comes by it; what is removed meanwhile counts. */
  *visit(ids: ReadonlySet<number>, tree: Tree): Generator<Entry> {
    const all = this.#inTurn(ids);
    const steps: { readonly from: number; readonly turn: number }[] = [];
    const start = tree.clock;
    let last: Branch | undefined;
    for (const entry of all) {
      if (entry.branch === last || !this.#isReached(entry.branch, start, steps)) continue;
      last = entry.branch;
      steps.push({ from: tree.clock, turn: entry.turn });
      yield entry;
    }
  }

  /** The entries of one keep-with are in turn already. */
  #inTurn(ids: ReadonlySet<number>): readonly Entry[] {
    const [only = -1] = ids;
    if (ids.size === 1 && this.#hollow.length === 0) return this.#byId.get(only) ?? [];
    const entries = [...ids].flatMap((id) => this.#byId.get(id) ?? []);
    return [...entries, ...this.#hollow].sort((a, b) => a.turn - b.turn);
  }

  #note(branch: Branch, turn: number): void {
    const { keepWithId, message } = branch;
    if (keepWithId !== undefined) this.#add(keepWithId, { branch, isHolder: true, turn });
    if (!message?.toolCalls) return;
    const ids = new Set(message.toolCalls.flatMap(({ keepWith }) => (keepWith ? [keepWith.id] : [])));
    for (const id of ids) this.#add(id, { branch, isHolder: false, turn });
    if (branch.isEmpty) this.#hollow.push({ branch, isHolder: false, turn });
  }

  #add(id: number, entry: Entry): void {
    const entries = this.#byId.get(id);
    if (entries) entries.push(entry);
    else this.#byId.set(id, [entry]);
  }

  /**
   * A walk has a node's children before it when it has come by the node, and comes by them even if they went since. So
   * a node is reached unless it, or something around it, went before the walk came by the parent.
   */
  #isReached(branch: Branch, start: number, steps: readonly { from: number; turn: number }[]): boolean {
    for (let at: Branch | undefined = branch; at?.parent; at = at.parent) {
      if (at.isAttached) continue;
      if (at.detachedAt < start) return false;
      const { detachedAt } = at;
      const during = steps.findLast(({ from }) => from <= detachedAt);
      if (!during || at.parent.turn >= during.turn) return false;
    }
    return true;
  }
}
