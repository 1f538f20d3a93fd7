import { element, inNextFrame } from './dom.ts';
import { lowestIndex } from './lowest-index.ts';

/** Rendered margin around the viewport, in pixels. */
const around = 600;

/** Measuring a row can bring another into view; this bounds the rounds. */
const mostRounds = 6;

/** A scroll anchor: a row, and the offset of the viewport from its top. */
interface Anchor {
  readonly index: number;
  readonly offset: number;
}

/**
 * A list of rows of any height; only those near the viewport are in the document. A row has an estimated height until
 * it was measured. The visible rows stay in place while heights above them become known.
 *
 * @example
 * const list = new VirtualList({ scroller, render: (index) => element('p', {}, lines[index]), estimate: () => 20 });
 * list.reset({ length: lines.length });
 */
export class VirtualList {
  readonly #scroller: HTMLElement;
  readonly #render: (index: number) => HTMLElement;
  readonly #estimate: (index: number) => number;
  readonly #onView: () => void;
  readonly #above = element('div', { class: 'space' });
  readonly #below = element('div', { class: 'space' });
  readonly #rows = new Map<number, HTMLElement>();
  readonly #sizes: ResizeObserver;
  #heights = new Float64Array(0);
  /** Start of each row; one more than there are rows. */
  #offsets = new Float64Array(1);

  constructor(of: {
    readonly scroller: HTMLElement;
    readonly render: (index: number) => HTMLElement;
    readonly estimate: (index: number) => number;
    /** Called when the visible rows change. */
    readonly onView?: () => void;
  }) {
    this.#scroller = of.scroller;
    this.#render = of.render;
    this.#estimate = of.estimate;
    this.#onView = of.onView ?? (() => undefined);
    const update = inNextFrame(() => this.#update(this.#anchor()));
    this.#sizes = new ResizeObserver(update);
    this.#sizes.observe(of.scroller);
    of.scroller.addEventListener('scroll', update, { passive: true });
    of.scroller.append(this.#above, this.#below);
  }

  /** Shows another list from its start. */
  reset({ length }: { readonly length: number }): void {
    this.#unmount(() => true);
    this.#heights = Float64Array.from({ length }, (_, index) => this.#estimate(index));
    this.#update({ index: 0, offset: 0 });
  }

  /** Renders rows again; all rendered ones unless one is named. */
  refresh({ index }: { readonly index?: number } = {}): void {
    const anchor = this.#anchor();
    const focused = index === undefined ? -1 : controlsOf(this.#rows.get(index)).indexOf(document.activeElement);
    this.#unmount((row) => index === undefined || row === index);
    this.#update(anchor);
    // Keep the keyboard focus on the same control.
    const control = index === undefined ? undefined : controlsOf(this.#rows.get(index))[focused];
    if (control instanceof HTMLElement) control.focus({ preventScroll: true });
  }

  /** Scrolls a row into view; `near` scrolls as little as possible. */
  show({ index, at }: { readonly index: number; readonly at: 'top' | 'middle' | 'near' }): void {
    this.#settle();
    const margin = at === 'middle' ? this.#scroller.clientHeight / 3 : 16;
    this.#update(at === 'near' ? this.#nearest({ index, margin }) : { index, offset: -margin });
  }

  /** The element of a row, if it is in the document. */
  row(index: number): HTMLElement | undefined {
    return this.#rows.get(index);
  }

  /** The visible rows, excluding the last. */
  get view(): { readonly first: number; readonly end: number } {
    const { scrollTop, clientHeight } = this.#scroller;
    return { first: this.#indexAt(scrollTop), end: this.#indexAt(scrollTop + clientHeight) + 1 };
  }

  /** Scroll position that shows a row with the least movement. */
  #nearest({ index, margin }: { readonly index: number; readonly margin: number }): Anchor {
    const { scrollTop, clientHeight } = this.#scroller;
    const [top, bottom] = [this.#offset(index), this.#offset(index + 1)];
    if (top >= scrollTop && bottom <= scrollTop + clientHeight) return this.#anchor();
    const isAbove = top < scrollTop || bottom - top >= clientHeight;
    return isAbove ? { index, offset: -margin } : { index: index + 1, offset: margin - clientHeight };
  }

  #anchor(): Anchor {
    const { scrollTop } = this.#scroller;
    const index = this.#indexAt(scrollTop);
    return { index, offset: scrollTop - this.#offset(index) };
  }

  #update(anchor: Anchor): void {
    const { clientHeight } = this.#scroller;
    for (let round = 0; round < mostRounds; round += 1) {
      this.#settle();
      const top = this.#offset(anchor.index) + anchor.offset;
      const first = this.#indexAt(top - around);
      const end = Math.min(this.#heights.length, this.#indexAt(top + clientHeight + around) + 1);
      this.#unmount((index) => index < first || index >= end);
      this.#mount({ first, end });
      this.#above.style.height = `${this.#offset(first)}px`;
      this.#below.style.height = `${this.#offset(this.#heights.length) - this.#offset(end)}px`;
      if (!this.#measure()) break;
    }
    const top = Math.max(0, this.#offset(anchor.index) + anchor.offset);
    if (Math.abs(this.#scroller.scrollTop - top) > 1) this.#scroller.scrollTop = top;
    this.#onView();
  }

  #mount({ first, end }: { readonly first: number; readonly end: number }): void {
    let next: Element = this.#below;
    for (let index = end - 1; index >= first; index -= 1) {
      let row = this.#rows.get(index);
      if (!row) {
        row = this.#render(index);
        this.#rows.set(index, row);
        this.#scroller.insertBefore(row, next);
        this.#sizes.observe(row);
      }
      next = row;
    }
  }

  #unmount(isOut: (index: number) => boolean): void {
    for (const [index, row] of this.#rows) {
      if (!isOut(index)) continue;
      this.#sizes.unobserve(row);
      row.remove();
      this.#rows.delete(index);
    }
  }

  /** `true` if a height differs from its estimate. */
  #measure(): boolean {
    let isChanged = false;
    for (const [index, row] of this.#rows) {
      const { height } = row.getBoundingClientRect();
      if (Math.abs(height - (this.#heights[index] ?? 0)) < 0.5) continue;
      this.#heights[index] = height;
      isChanged = true;
    }
    if (isChanged) this.#settle();
    return isChanged;
  }

  /** Sums up the heights; fast enough for a hundred thousand rows. */
  #settle(): void {
    const offsets = new Float64Array(this.#heights.length + 1);
    this.#heights.forEach((height, index) => {
      offsets[index + 1] = (offsets[index] ?? 0) + height;
    });
    this.#offsets = offsets;
  }

  #offset(index: number): number {
    return this.#offsets[Math.min(index, this.#heights.length)] ?? 0;
  }

  #indexAt(top: number): number {
    const { length } = this.#heights;
    return Math.min(
      Math.max(0, length - 1),
      lowestIndex({ length, isThere: (index) => (this.#offsets[index + 1] ?? 0) > top }),
    );
  }
}

function controlsOf(row: HTMLElement | undefined): (Element | null)[] {
  return [...(row?.querySelectorAll('button, a') ?? [])];
}
