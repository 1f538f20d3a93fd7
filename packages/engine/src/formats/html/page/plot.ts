import { inNextFrame } from '../../../page/browser/dom.ts';
import { moment, number, short } from '../../../page/browser/words.ts';
import type { Row } from './rows.ts';

const height = 84;
const margin = { left: 46, right: 12, top: 12, bottom: 6 };

/** How much was sent at every place of the way that is shown, with a mark where something changed it. */
export class Plot {
  readonly #host: HTMLElement;
  readonly #svg = make('svg', { height });
  readonly #area = make('path', { class: 'area' });
  readonly #line = make('path', { class: 'line' });
  readonly #marks = make('g', {});
  readonly #window = make('rect', { class: 'window', y: 0, height });
  readonly #cross = make('path', { class: 'cross' });
  readonly #scale = make('g', { class: 'scale' });
  readonly #tip = document.createElement('div');
  readonly #goTo: (index: number) => void;
  #rows: readonly Row[] = [];
  #sizes: readonly number[] = [];
  #most = 1;
  #view = { first: 0, end: 0 };

  constructor(of: { readonly host: HTMLElement; readonly goTo: (index: number) => void }) {
    this.#host = of.host;
    this.#goTo = of.goTo;
    this.#tip.className = 'tip';
    this.#svg.append(this.#scale, this.#window, this.#area, this.#line, this.#marks, this.#cross);
    of.host.append(this.#svg, this.#tip);
    new ResizeObserver(inNextFrame(() => this.#draw())).observe(of.host);
    this.#svg.addEventListener('pointermove', (event) => this.#point(event));
    this.#svg.addEventListener('pointerleave', () => this.#point(undefined));
    this.#svg.addEventListener('click', (event) => this.#goTo(this.#indexAt(event.offsetX)));
  }

  /** Another way from now on. */
  show({ rows }: { readonly rows: readonly Row[] }): void {
    this.#rows = rows;
    this.#sizes = rows.map(({ entry, effect }) => (effect ?? entry).context);
    this.#most = Math.max(1, ...steps(this.#sizes));
    this.#draw();
  }

  /** What of it is seen in the timeline. */
  follow(view: { readonly first: number; readonly end: number }): void {
    this.#view = view;
    const left = this.#x(view.first);
    set(this.#window, { x: left, width: Math.max(3, this.#x(view.end) - left) });
  }

  #draw(): void {
    const points = this.#points();
    const base = this.#y(0);
    const line = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L');
    const [first, last] = [points[0], points.at(-1)];
    set(this.#svg, { width: this.#host.clientWidth });
    set(this.#line, { d: line === '' ? '' : `M${line}` });
    set(this.#area, { d: first && last ? `M${first[0]} ${base}L${line}L${last[0]} ${base}Z` : '' });
    this.#marks.replaceChildren(
      ...this.#rows.flatMap(({ entry }, index) => (entry.type === 'compaction' ? [this.#mark(index)] : [])),
    );
    const sum = `${number(this.#most)} tokens at most`;
    this.#svg.setAttribute('role', 'img');
    this.#svg.setAttribute('aria-label', `Size of what was sent, ${sum}`);
    this.#scale.replaceChildren(...[0, 0.5, 1].flatMap((share) => this.#grid(share * this.#most)));
    this.follow(this.#view);
  }

  /** No more points than pixels: of each pixel the largest, so that no peak is lost. */
  #points(): [number, number][] {
    const wide = Math.max(1, this.#host.clientWidth - margin.left - margin.right);
    const points: [number, number][] = [];
    const each = Math.max(1, this.#sizes.length / wide);
    for (let from = 0; from < this.#sizes.length; from += each) {
      const [start, end] = [Math.floor(from), Math.max(Math.floor(from) + 1, Math.floor(from + each))];
      const most = Math.max(...this.#sizes.slice(start, end));
      points.push([this.#x(start + 0.5), this.#y(most)]);
    }
    return points;
  }

  #mark(index: number): SVGElement {
    const x = this.#x(index + 0.5);
    return make('path', { class: 'compaction', d: `M${x} ${margin.top - 8}V${height - margin.bottom}` });
  }

  #grid(tokens: number): SVGElement[] {
    const y = this.#y(tokens);
    const label = make('text', { x: margin.left - 8, y: y + 4, 'text-anchor': 'end' });
    label.textContent = short(Math.round(tokens));
    return [make('path', { d: `M${margin.left} ${y}H${this.#host.clientWidth - margin.right}` }), label];
  }

  #point(event: PointerEvent | undefined): void {
    const row = event && this.#rows[this.#indexAt(event.offsetX)];
    this.#tip.hidden = !row;
    set(this.#cross, { d: event && row ? `M${event.offsetX} 0V${height}` : '' });
    if (!event || !row) return;
    const size = number((row.effect ?? row.entry).context);
    this.#tip.textContent = `@${row.entry.handle} · ${size} tokens · ${moment(row.entry.at)}`;
    const isRight = event.offsetX > this.#host.clientWidth / 2;
    this.#tip.style.translate = `${isRight ? event.offsetX - this.#tip.offsetWidth - 10 : event.offsetX + 10}px 6px`;
  }

  #x(index: number): number {
    const wide = this.#host.clientWidth - margin.left - margin.right;
    return margin.left + (wide * index) / Math.max(1, this.#rows.length);
  }

  #y(tokens: number): number {
    return height - margin.bottom - ((height - margin.top - margin.bottom) * tokens) / this.#most;
  }

  #indexAt(x: number): number {
    const wide = Math.max(1, this.#host.clientWidth - margin.left - margin.right);
    const index = Math.floor(((x - margin.left) / wide) * this.#rows.length);
    return Math.max(0, Math.min(this.#rows.length - 1, index));
  }
}

/** In pieces: a call takes only so many arguments. */
function steps(sizes: readonly number[]): number[] {
  const most: number[] = [];
  for (let at = 0; at < sizes.length; at += 1000) most.push(Math.max(...sizes.slice(at, at + 1000)));
  return most;
}

function make<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  set(made, attributes);
  return made;
}

function set(target: SVGElement, attributes: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(attributes)) target.setAttribute(name, String(value));
}
