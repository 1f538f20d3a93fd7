import { VirtualList } from '../../../page/browser/virtual-list.ts';
import type { PageEntry } from '../shape.ts';
import { copy } from './clipboard.ts';
import { isFolded, textKey } from './fields.ts';
import { mark, markCurrent } from './highlight.ts';
import type { Log } from './log.ts';
import { rowElement } from './row.ts';
import { type Row, rowsOf } from './rows.ts';
import type { Hit } from './search.ts';

/** What others want to know of the timeline. */
interface Listeners {
  readonly onPath: (of: { readonly rows: readonly Row[]; readonly tip: number | null }) => void;
  /** `at` is the row that is looked at: the selected one if it is seen, else the first. */
  readonly onView: (view: { readonly first: number; readonly end: number; readonly at: number }) => void;
}

/** One way through the session, row by row: what is selected, what is open, what was found. */
export class Timeline {
  readonly #log: Log;
  readonly #scroller: HTMLElement;
  readonly #list: VirtualList;
  readonly #listeners: Listeners;
  /** Parts whose state is not the one they begin with, as `handle.part`. */
  readonly #turned = new Set<string>();
  readonly #whole = new Set<string>();
  #rows: readonly Row[] = [];
  #index = new Map<number, number>();
  #tip: number | null;
  #selected: number | undefined;
  #withNotes = false;
  #isAllOpen = false;
  #pattern: RegExp | undefined;
  #hit: Hit | undefined;

  constructor(of: { readonly log: Log; readonly scroller: HTMLElement } & Listeners) {
    this.#log = of.log;
    this.#scroller = of.scroller;
    this.#listeners = of;
    this.#tip = of.log.session.leaf;
    this.#list = new VirtualList({
      scroller: of.scroller,
      estimate: (index) => estimate(this.#rows[index]?.entry),
      render: (index) => this.#render(index),
      onView: () => this.#viewed(),
    });
    this.#load();
  }

  get selected(): number | undefined {
    return this.#selected;
  }

  /** Goes to an entry, on whatever branch it is. */
  goTo(handle: number, at: 'top' | 'middle' = 'top'): void {
    const entry = this.#log.get(handle);
    if (!entry) return;
    if (!entry.isNode) this.#withNotes = true;
    const place = entry.isNode ? handle : (entry.parent ?? this.#tip);
    if (!this.#index.has(handle)) {
      if (!this.#log.pathTo(this.#tip).some((node) => node.handle === place) && place !== null) {
        this.#tip = this.#log.tipOf(place);
      }
      this.#load();
    }
    // An epoch is shown in the row of the entry it belongs to.
    const index = this.#index.get(handle) ?? (entry.parent === null ? undefined : this.#index.get(entry.parent));
    if (index === undefined) return;
    this.#select(index);
    this.#list.show({ index, at });
  }

  /** Shows the path to the leaf again. */
  goBack(): void {
    this.#tip = this.#log.session.leaf;
    this.#load();
    if (this.#tip !== null) this.goTo(this.#tip);
  }

  /** Goes to where something was found: the part is opened, all of it shown. */
  goToHit(hit: Hit): void {
    if (hit.field === textKey(hit.part)) this.#open({ ...hit, isOpen: true });
    this.#whole.add(keyOf(hit));
    this.#hit = hit;
    this.goTo(hit.handle, 'middle');
    const index = this.#index.get(hit.handle);
    if (index === undefined) return;
    this.#list.refresh({ index });
    const place = markCurrent({ row: this.#list.row(index), hit });
    const frame = this.#scroller.getBoundingClientRect();
    if (place && (place.top < frame.top + 40 || place.bottom > frame.bottom - 40)) {
      this.#scroller.scrollTop += place.top - frame.top - frame.height / 3;
    }
  }

  /** Selects the next row, or the next that is wanted. */
  step({ by, isWanted = () => true }: { readonly by: 1 | -1; readonly isWanted?: (row: Row) => boolean }): void {
    const { first } = this.#list.view;
    const from = (this.#selected === undefined ? undefined : this.#index.get(this.#selected)) ?? first - by;
    for (let index = from + by; index >= 0 && index < this.#rows.length; index += by) {
      const row = this.#rows[index];
      if (!row || !isWanted(row)) continue;
      this.#select(index);
      this.#list.show({ index, at: 'near' });
      return;
    }
  }

  goToEnd(end: 'first' | 'last'): void {
    const row = end === 'first' ? this.#rows[0] : this.#rows.at(-1);
    if (row) this.goTo(row.entry.handle);
  }

  goToRow(index: number): void {
    const row = this.#rows[index];
    if (row) this.goTo(row.entry.handle);
  }

  /** Opens what is folded in the selected row, or folds it. */
  toggleSelected(): void {
    const entry = this.#selected === undefined ? undefined : this.#log.get(this.#selected);
    const folded = entry?.parts.flatMap((part, index) => (isFolded(part) ? [index] : [])) ?? [];
    const [first] = folded;
    if (!entry || first === undefined) return;
    const isOpen = !this.#isOpen({ handle: entry.handle, part: first });
    for (const part of folded) this.#open({ handle: entry.handle, part, isOpen });
    this.#list.refresh({ index: this.#index.get(entry.handle) ?? 0 });
  }

  toggleAll(): void {
    this.#isAllOpen = !this.#isAllOpen;
    this.#turned.clear();
    this.#list.refresh();
  }

  toggleNotes(): void {
    this.#withNotes = !this.#withNotes;
    const selected = this.#selected;
    this.#load();
    if (selected !== undefined && this.#index.has(selected)) this.goTo(selected);
  }

  /** Marks what is found in what is seen. */
  mark(pattern: RegExp | undefined): void {
    this.#pattern = pattern;
    this.#hit = undefined;
    this.#viewed();
  }

  async copySelected(): Promise<void> {
    const entry = this.#selected === undefined ? undefined : this.#log.get(this.#selected);
    if (entry) await copy(textOf(entry));
  }

  #load(): void {
    this.#rows = rowsOf({ log: this.#log, tip: this.#tip, withNotes: this.#withNotes });
    this.#index = new Map(this.#rows.map(({ entry }, index) => [entry.handle, index]));
    this.#listeners.onPath({ rows: this.#rows, tip: this.#tip });
    this.#list.reset({ length: this.#rows.length });
  }

  #render(index: number): HTMLElement {
    const row = this.#rows[index];
    if (!row) throw new Error(`There is no row ${index}.`);
    const { handle } = row.entry;
    const change = (work: (part: number) => void) => (part: number) => {
      work(part);
      this.#list.refresh({ index });
    };
    return rowElement({
      row,
      log: this.#log,
      isSelected: handle === this.#selected,
      actions: {
        isOpen: (part) => this.#isOpen({ handle, part }),
        isWhole: (part) => this.#whole.has(keyOf({ handle, part })),
        toggle: change((part) => this.#open({ handle, part, isOpen: !this.#isOpen({ handle, part }) })),
        showWhole: change((part) => this.#whole.add(keyOf({ handle, part }))),
        goTo: (to) => this.goTo(to),
        select: () => this.#select(index),
        copy: () => void copy(textOf(row.entry)),
      },
    });
  }

  #select(index: number): void {
    const before = this.#selected === undefined ? undefined : this.#index.get(this.#selected);
    const handle = this.#rows[index]?.entry.handle;
    if (handle === undefined || handle === this.#selected) return;
    this.#selected = handle;
    this.#list.row(before ?? -1)?.classList.remove('selected');
    this.#list.row(index)?.classList.add('selected');
    history.replaceState(null, '', `#@${handle}`);
  }

  #viewed(): void {
    mark({ root: this.#scroller, pattern: this.#pattern });
    const index = this.#hit && this.#index.get(this.#hit.handle);
    markCurrent({ row: index === undefined ? undefined : this.#list.row(index), hit: this.#hit });
    const view = this.#list.view;
    const selected = this.#selected === undefined ? -1 : (this.#index.get(this.#selected) ?? -1);
    const isSeen = selected >= view.first && selected < view.end;
    this.#listeners.onView({ ...view, at: isSeen ? selected : view.first });
  }

  #isOpen(of: { readonly handle: number; readonly part: number }): boolean {
    return this.#isAllOpen !== this.#turned.has(keyOf(of));
  }

  #open(of: { readonly handle: number; readonly part: number; readonly isOpen: boolean }): void {
    if (of.isOpen === this.#isAllOpen) this.#turned.delete(keyOf(of));
    else this.#turned.add(keyOf(of));
  }
}

function keyOf({ handle, part }: { readonly handle: number; readonly part: number }): string {
  return `${handle}.${part}`;
}

function textOf({ parts }: PageEntry): string {
  return parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');
}

/** About how high a row is that was never there. */
function estimate(entry: PageEntry | undefined): number {
  const texts = entry?.parts.map((part) => (isFolded(part) || part.type === 'image' ? 0 : part.text.length)) ?? [];
  const letters = texts.reduce((sum, length) => sum + length, 0);
  return 56 + 26 * texts.length + Math.min(3000, (letters / 95) * 22);
}
