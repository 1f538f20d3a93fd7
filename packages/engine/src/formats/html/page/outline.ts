import { element } from '../../../page/browser/dom.ts';
import { VirtualList } from '../../../page/browser/virtual-list.ts';
import { firstWords } from '../../../page/browser/words.ts';
import type { PageEntry } from '../shape.ts';
import type { Log } from './log.ts';

/** A line of the outline. */
interface Item {
  readonly entry: PageEntry;
  /** How many branches it is away from the main line. */
  readonly depth: number;
  /** Whether a branch begins here. */
  readonly isBranch: boolean;
}

const height = 28;

/**
 * The tree of a session as a table of contents: human messages, compactions and names, and each branch at its fork. The
 * path to the leaf is not indented; abandoned branches are indented under the entry they fork from.
 */
export class Outline {
  readonly #log: Log;
  readonly #items: readonly Item[];
  readonly #list: VirtualList;
  readonly #index = new Map<number, number>();
  readonly #goTo: (handle: number) => void;
  #path: readonly PageEntry[] = [];
  #onPath: ReadonlySet<number> = new Set();
  #current: number | undefined;

  constructor(of: { readonly log: Log; readonly scroller: HTMLElement; readonly goTo: (handle: number) => void }) {
    this.#log = of.log;
    this.#goTo = of.goTo;
    this.#items = itemsOf(of.log);
    this.#items.forEach(({ entry }, index) => {
      this.#index.set(entry.handle, index);
    });
    this.#list = new VirtualList({
      scroller: of.scroller,
      estimate: () => height,
      render: (index) => this.#render(index),
    });
    this.#list.reset({ length: this.#items.length });
  }

  /** Says which way is shown. */
  showPath(path: readonly PageEntry[]): void {
    this.#path = path;
    this.#onPath = new Set(path.map(({ handle }) => handle));
    this.#list.refresh();
  }

  /** Marks where a place of the way is: the last item at or before it. */
  follow({ index: place }: { readonly index: number }): void {
    let at = place;
    while (at > 0 && !this.#index.has(this.#path[at]?.handle ?? 0)) at -= 1;
    const handle = this.#path[at]?.handle;
    if (handle === undefined || handle === this.#current) return;
    this.#current = handle;
    this.#list.refresh();
    const index = this.#index.get(handle);
    if (index !== undefined) this.#list.show({ index, at: 'near' });
  }

  #render(index: number): HTMLElement {
    const item = this.#items[index];
    if (!item) return element('div', {});
    const { entry, depth, isBranch } = item;
    const state = [
      this.#onPath.has(entry.handle) ? 'on-path' : 'aside',
      this.#current === entry.handle ? 'current' : '',
    ];
    const line = element(
      'button',
      {
        class: ['item', entry.who, `is-${entry.type}`, ...state].filter(Boolean).join(' '),
        type: 'button',
        data: { handle: entry.handle },
        onClick: () => this.#goTo(entry.handle),
      },
      isBranch && element('span', { class: 'fork' }, '↳'),
      element('span', { class: 'handle' }, `@${entry.handle}`),
      element('span', { class: 'words' }, wordsOf(entry)),
      this.#log.session.leaf === entry.handle && element('span', { class: 'here' }, 'here'),
    );
    line.style.paddingInlineStart = `${10 + 14 * Math.min(depth, 12)}px`;
    return line;
  }
}

function wordsOf(entry: PageEntry): string {
  if (entry.type === 'compaction') return 'compaction';
  const said = entry.parts.find((part) => part.type === 'text' && (part.who === 'human' || part.who === entry.who));
  const [first] = entry.parts;
  const text = said?.type === 'text' ? said.text : first && 'text' in first ? first.text : '';
  const words = firstWords({ text: text.replace(/^#+ /, ''), length: 90 });
  return [entry.label, entry.who === 'human' ? words : `${entry.name} ${words}`].filter(Boolean).join(' · ');
}

/** Without recursion: a session is as deep as it is long. */
function itemsOf(log: Log): Item[] {
  const items: Item[] = [];
  const main = new Set(log.pathTo(log.session.leaf).map(({ handle }) => handle));
  const waiting: { readonly handle: number; readonly depth: number; readonly isBranch: boolean }[] = [];
  const enter = (handles: readonly number[], depth: number): void => {
    // The way that goes on is entered last, so that the branches stand before it, under the place they left from.
    const onward = handles.find((handle) => main.has(handle)) ?? handles.at(-1);
    const aside = handles.filter((handle) => handle !== onward);
    if (onward !== undefined) waiting.push({ handle: onward, depth, isBranch: false });
    for (const handle of aside.reverse()) waiting.push({ handle, depth: depth + 1, isBranch: true });
  };
  enter(log.children(null), 0);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const entry = log.get(next.handle);
    if (!entry) continue;
    const { depth, isBranch } = next;
    const isListed = isBranch || entry.who === 'human' || entry.type === 'compaction' || entry.label !== undefined;
    if (isListed || entry.handle === log.session.leaf) items.push({ entry, depth, isBranch });
    enter(log.children(entry.handle), depth);
  }
  return items;
}
