import { VirtualList } from '../../../page/browser/virtual-list.ts';
import type { Epochs } from './epochs.ts';
import { type Coloring, heatOf } from './heat.ts';
import { rowElement } from './row.ts';
import { isGone, type Tree, type TreeNode } from './tree.ts';

const rowHeight = 27;

/** The tree as rows: collapsed nodes are omitted, and distant rows are not in the document. */
export class TreeView {
  readonly #scroller: HTMLElement;
  readonly #epochs: Epochs;
  readonly #list: VirtualList;
  readonly #onSelect: (key: number) => void;
  readonly #folded = new Set<number>();
  #tree: Tree | undefined;
  #keys: number[] = [];
  #selected: number | undefined;
  #epoch: number;
  #coloring: Coloring = 'tokens';
  #hidesGone = false;

  constructor(of: {
    readonly scroller: HTMLElement;
    readonly epochs: Epochs;
    readonly onSelect: (key: number) => void;
  }) {
    this.#scroller = of.scroller;
    this.#epochs = of.epochs;
    this.#epoch = of.epochs.all.length;
    this.#onSelect = of.onSelect;
    this.#list = new VirtualList({
      scroller: of.scroller,
      render: (index) => this.#row(index),
      estimate: () => rowHeight,
      onView: () => undefined,
    });
  }

  get selected(): number | undefined {
    return this.#selected;
  }

  get coloring(): Coloring {
    return this.#coloring;
  }

  get hidesGone(): boolean {
    return this.#hidesGone;
  }

  /** Shows the tree at another budget, keeping the position. */
  show(tree: Tree): void {
    this.#tree = tree;
    this.#relist();
    if (this.#selected === undefined || !tree.get(this.#selected)) this.select(tree.roots[0]);
  }

  showEpoch(at: number): void {
    this.#epoch = at;
    this.#list.refresh();
    const first = this.#epochs.all[at]?.shares[0]?.[0];
    const key = first === undefined ? undefined : this.#tree?.byId(first)?.key;
    if (key !== undefined) this.reveal(key);
  }

  nextColoring(): void {
    this.#coloring = this.#coloring === 'tokens' ? 'priority' : 'tokens';
    this.#list.refresh();
  }

  toggleGone(): void {
    this.#hidesGone = !this.#hidesGone;
    this.#relist();
  }

  select(key: number | undefined): void {
    if (key === undefined || !this.#tree?.get(key)) return;
    const before = this.#selected;
    this.#selected = key;
    for (const each of [before, key]) {
      const index = each === undefined ? -1 : this.#keys.indexOf(each);
      if (index >= 0) this.#list.refresh({ index });
    }
    this.#scroller.setAttribute('aria-activedescendant', `node-${key}`);
    this.#onSelect(key);
  }

  /** Selects a node and expands its parents. */
  reveal(key: number): void {
    for (const { key: above } of this.#tree?.above(key) ?? []) this.#folded.delete(above);
    this.#relist();
    this.select(key);
    this.#scrollTo(key);
  }

  step(by: number): void {
    const at = this.#selected === undefined ? -1 : this.#keys.indexOf(this.#selected);
    this.#go(Math.min(this.#keys.length - 1, Math.max(0, at + by)));
  }

  end(which: 'first' | 'last'): void {
    this.#go(which === 'first' ? 0 : this.#keys.length - 1);
  }

  /** Selects the next directly pruned node. */
  stepGone(by: 1 | -1): void {
    const all = this.#all();
    const at = this.#selected === undefined ? -1 : all.indexOf(this.#selected);
    for (let step = 1; step <= all.length; step += 1) {
      const key = all[(at + by * step + all.length * 2) % all.length];
      if (key !== undefined && this.#tree?.get(key)?.fate.kind === 'gone') {
        this.reveal(key);
        return;
      }
    }
  }

  /** Expands a node or goes to its first child; the reverse collapses or goes to the parent. */
  into(): void {
    const at = this.#at();
    if (!at || at.children.length === 0) return;
    if (this.#folded.has(at.node.key)) this.toggle(at.node.key);
    else this.step(1);
  }

  out(): void {
    const at = this.#at();
    if (!at) return;
    if (at.children.length > 0 && !this.#folded.has(at.node.key)) this.toggle(at.node.key);
    else if (at.node.parent !== null) this.reveal(at.node.parent);
  }

  toggle(key: number | undefined = this.#selected): void {
    if (key === undefined) return;
    if (!this.#folded.delete(key)) this.#folded.add(key);
    this.#relist();
  }

  /** Collapses all messages, or expands everything. */
  toggleAll(): void {
    if (this.#folded.size > 0) this.#folded.clear();
    else for (const key of this.#all()) if (this.#tree?.get(key)?.node.kind === 'message') this.#folded.add(key);
    this.#relist();
  }

  #at(): TreeNode | undefined {
    return this.#selected === undefined ? undefined : this.#tree?.get(this.#selected);
  }

  #go(index: number): void {
    const key = this.#keys[index];
    if (key === undefined) return;
    this.select(key);
    this.#scrollTo(key);
  }

  #scrollTo(key: number): void {
    const index = this.#keys.indexOf(key);
    if (index >= 0) this.#list.show({ index, at: 'near' });
  }

  /** All nodes in order, including collapsed ones. */
  #all(): number[] {
    return this.#walk(() => true);
  }

  #relist(): void {
    const { scrollTop } = this.#scroller;
    const keys = this.#walk((key) => !this.#folded.has(key)).filter(
      (key) => !(this.#hidesGone && isGone(this.#tree?.get(key)?.fate ?? { kind: 'kept' })),
    );
    const isSame = keys.length === this.#keys.length && keys.every((key, index) => key === this.#keys[index]);
    this.#keys = keys;
    if (isSame) {
      this.#list.refresh();
      return;
    }
    this.#list.reset({ length: keys.length });
    this.#scroller.scrollTop = scrollTop;
  }

  #walk(isOpen: (key: number) => boolean): number[] {
    const tree = this.#tree;
    const keys: number[] = [];
    const visit = (key: number) => {
      keys.push(key);
      if (isOpen(key)) for (const child of tree?.get(key)?.children ?? []) visit(child);
    };
    for (const root of tree?.roots ?? []) visit(root);
    return keys;
  }

  #row(index: number): HTMLElement {
    const key = this.#keys[index] ?? -1;
    const tree = this.#tree as Tree;
    const of = tree.get(key) as TreeNode;
    const rendered = this.#epochs.of(of.node.id);
    const whole = tree.get(tree.roots[0] ?? -1)?.node.tokens ?? 0;
    return rowElement({
      of,
      state: {
        isSelected: key === this.#selected,
        isOpen: !this.#folded.has(key),
        when: this.#whenOf(of),
        rendered,
        heat: heatOf({ of, tree, by: this.#coloring }),
        part: of.node.tokens / Math.max(1, whole),
      },
      onSelect: () => this.select(key),
      onToggle: () => this.toggle(key),
    });
  }

  /** A leaf renders with its parent element. */
  #whenOf({ node }: TreeNode): 'done' | 'now' | 'later' {
    const tree = this.#tree;
    for (let at: number | null | undefined = node.key; at != null; at = tree?.get(at)?.node.parent) {
      const epoch = this.#epochs.of(tree?.get(at)?.node.id)?.epoch;
      if (epoch === undefined) continue;
      if (epoch > this.#epoch) return 'later';
      return epoch === this.#epoch && at === node.key ? 'now' : 'done';
    }
    return 'done';
  }
}
