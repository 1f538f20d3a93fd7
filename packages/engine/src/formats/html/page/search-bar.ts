import { button, element } from '../../../page/browser/dom.ts';
import { number } from '../../../page/browser/words.ts';
import type { Log } from './log.ts';
import { find, type Hit, mostHits, patternOf } from './search.ts';

/** What was typed is searched for when typing stops for so long, in milliseconds. */
const pause = 150;

/** The field to search in, how much was found, and the way from one find to the next. */
export class SearchBar {
  readonly element: HTMLElement;
  readonly #log: Log;
  readonly #input = element('input', { class: 'query', type: 'search', title: 'Search everything (/)' });
  readonly #count = element('span', { class: 'found', aria: { live: 'polite' } });
  readonly #onPattern: (pattern: RegExp | undefined) => void;
  readonly #onHit: (hit: Hit) => void;
  #hits: readonly Hit[] = [];
  #at = -1;
  #stop = new AbortController();
  #timer = 0;

  constructor(of: {
    readonly log: Log;
    readonly onPattern: (pattern: RegExp | undefined) => void;
    readonly onHit: (hit: Hit) => void;
  }) {
    this.#log = of.log;
    this.#onPattern = of.onPattern;
    this.#onHit = of.onHit;
    this.#input.placeholder = 'Search';
    this.#input.setAttribute('aria-label', 'Search everything');
    this.#input.addEventListener('input', () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#search(), pause);
    });
    this.#input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.step(event.shiftKey ? -1 : 1);
      if (event.key === 'Escape') this.clear();
    });
    this.element = element(
      'div',
      { class: 'search', aria: { role: 'search' } },
      this.#input,
      this.#count,
      button({ label: '↑', title: 'Previous find (Shift+Enter, N)', onClick: () => this.step(-1) }),
      button({ label: '↓', title: 'Next find (Enter, n)', onClick: () => this.step(1) }),
    );
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  clear(): void {
    this.#input.value = '';
    this.#search();
    this.#input.blur();
  }

  /** Goes to the next find, or the one before, and round at the ends. */
  step(by: 1 | -1): void {
    if (this.#hits.length === 0) return;
    const from = this.#at < 0 && by < 0 ? 0 : this.#at;
    this.#at = (from + by + this.#hits.length) % this.#hits.length;
    this.#showCount({ isDone: true });
    const hit = this.#hits[this.#at];
    if (hit) this.#onHit(hit);
  }

  #search(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#hits = [];
    this.#at = -1;
    const pattern = patternOf(this.#input.value);
    this.#onPattern(pattern);
    this.#count.textContent = '';
    if (!pattern) return;
    void find({
      log: this.#log,
      pattern,
      signal: this.#stop.signal,
      onHits: ({ hits, isDone }) => {
        this.#hits = hits;
        this.#showCount({ isDone });
      },
    });
  }

  #showCount({ isDone }: { readonly isDone: boolean }): void {
    const amount = this.#hits.length;
    const all = `${number(amount)}${amount >= mostHits ? '+' : ''}${isDone ? '' : '…'}`;
    this.#count.textContent =
      amount === 0 && isDone ? 'nothing' : this.#at < 0 ? all : `${number(this.#at + 1)} of ${all}`;
  }
}
