import { truncateToWidth } from '@earendil-works/pi-tui';
import type { Interactive, TranscriptItem } from '../interactive/index.ts';
import { actionFor } from './keymap.ts';
import { type Drawing, type KeyPress, LineField, type Overlay, type Room, rule } from './overlay.ts';
import type { Theme } from './theme.ts';
import { ItemRenderer } from './transcript-view.ts';

/** Lines of an output that is unfolded here. */
const mostLines = 5_000;

/**
 * The whole conversation on the whole screen. Only items near the screen are drawn; earlier ones are read from the log when
 * the beginning comes into sight.
 *
 * @example
 * new TranscriptViewer({ app, close, changed });
 */
export class TranscriptViewer implements Overlay {
  readonly isFull = true;
  readonly #app: Pick<Interactive, 'view' | 'loadEarlier' | 'readOutput'>;
  readonly #close: () => void;
  readonly #changed: () => void;
  readonly #unfolded = new Set<string>();
  readonly #outputs = new Map<string, string>();
  #isAll = false;
  #renderer: { readonly theme: Theme; readonly of: ItemRenderer } | undefined;
  readonly #lines = new Map<
    string,
    { readonly item: TranscriptItem; readonly key: string; readonly of: readonly string[] }
  >();
  /** The chosen item. Its first line is kept on the screen. */
  #chosen: number;
  /** The item at the top of the screen, and how many of its lines are above it. */
  #top = { at: 0, line: 0 };
  #room: Room | undefined;
  #field: LineField | undefined;
  #query = '';
  #loading: Promise<boolean> | undefined;
  #note = '';

  constructor(of: {
    readonly app: Pick<Interactive, 'view' | 'loadEarlier' | 'readOutput'>;
    readonly close: () => void;
    readonly changed: () => void;
  }) {
    this.#app = of.app;
    this.#close = of.close;
    this.#changed = of.changed;
    this.#chosen = Math.max(0, of.app.view.items.length - 1);
    this.#top = { at: this.#chosen, line: 1e9 };
  }

  get #items(): readonly TranscriptItem[] {
    return this.#app.view.items;
  }

  draw(room: Room): Drawing {
    const { width, rows, theme } = room;
    if (this.#renderer?.theme !== theme || this.#room?.width !== width) {
      this.#renderer = { theme, of: new ItemRenderer({ theme, cwd: this.#app.view.status.cwd }) };
      this.#lines.clear();
    }
    this.#room = room;
    const height = rows - 2;
    this.#settle(height);
    const lines: string[] = [];
    for (let at = this.#top.at; at < this.#items.length && lines.length < height; at += 1) {
      const own = this.#linesOf(at);
      const shown = at === this.#top.at ? own.slice(this.#top.line) : own;
      lines.push(...shown.map((line) => `${at === this.#chosen ? theme.accent('▎') : ' '}${line}`));
    }
    lines.length = Math.min(lines.length, height);
    while (lines.length < height) lines.push('');
    const place =
      this.#items.length === 0
        ? 'empty'
        : `${this.#chosen + 1} of ${this.#app.view.hasEarlier ? 'the newest ' : ''}${this.#items.length}`;
    const field = this.#field?.draw({ label: ' search: ', width, theme });
    const hint = '↑↓ item · Enter unfolds · Ctrl-O all · / search · Esc back';
    const bottom = field?.line ?? truncateToWidth(theme.faint(` ${this.#note === '' ? hint : this.#note}`), width, '…');
    return {
      lines: [...lines, rule({ width, style: theme.border, title: theme.faint(` ${place} `) }), bottom],
      ...(field && { cursor: { row: rows - 1, column: field.column } }),
    };
  }

  press(press: KeyPress): void {
    this.#note = '';
    if (this.#field) {
      this.#pressInSearch(press);
      return;
    }
    const page = Math.max(1, (this.#room?.rows ?? 24) - 4);
    switch (
      actionFor({ context: 'transcript', key: press.key === undefined && press.text !== '' ? press.text : press.key })
    ) {
      case 'lineUp':
        this.#choose(this.#chosen - 1);
        return;
      case 'lineDown':
        this.#choose(this.#chosen + 1);
        return;
      case 'pageUp':
        this.#scroll(-page);
        return;
      case 'pageDown':
        this.#scroll(page);
        return;
      case 'top':
        void this.#toBeginning();
        return;
      case 'bottom':
        this.#top = { at: Math.max(0, this.#items.length - 1), line: 1e9 };
        this.#chosen = Math.max(0, this.#items.length - 1);
        return;
      case 'toggle':
        this.#toggle();
        return;
      case 'all':
        this.#isAll = !this.#isAll;
        this.#lines.clear();
        this.#choose(this.#chosen);
        return;
      case 'find':
        this.#field = new LineField({ text: '' });
        return;
      case 'findNext':
        void this.#find();
        return;
      case 'leave':
        this.#close();
        return;
    }
  }

  #pressInSearch(press: KeyPress): void {
    if (press.key === 'escape' || press.key === 'ctrl+c') this.#field = undefined;
    else if (press.key !== 'enter') this.#field?.press(press);
    else {
      this.#query = this.#field?.text ?? '';
      this.#field = undefined;
      void this.#find();
    }
  }

  /** The match before the chosen item, in earlier parts of the log too; from the end again after the first. */
  async #find(): Promise<void> {
    const wanted = this.#query.toLowerCase();
    if (wanted === '') return;
    const matchIn = ({ from, to }: { readonly from: number; readonly to: number }) =>
      this.#items.findLastIndex((item, at) => at >= from && at < to && textOf(item).toLowerCase().includes(wanted));
    let found = matchIn({ from: 0, to: this.#chosen });
    while (found < 0) {
      const { length } = this.#items;
      this.#note = 'Searching earlier messages…';
      if (!(await this.#loadEarlier())) break;
      found = matchIn({ from: 0, to: this.#items.length - length });
    }
    if (found < 0) found = matchIn({ from: this.#chosen, to: this.#items.length });
    this.#note = found < 0 ? `Nothing matches "${this.#query}".` : '';
    if (found >= 0) this.#choose(found);
    this.#changed();
  }

  /** Reads what has not been read of the log. */
  async #toBeginning(): Promise<void> {
    this.#note = 'Reading earlier messages…';
    while (await this.#loadEarlier());
    this.#note = '';
    this.#choose(0);
    this.#changed();
  }

  #toggle(): void {
    const item = this.#items[this.#chosen];
    if (!item) return;
    if (!this.#unfolded.delete(item.id)) this.#unfolded.add(item.id);
    // At the end of the screen, what is unfolded would be below it.
    this.#choose(this.#chosen);
    if (item.kind !== 'tool' || !item.isCut || this.#outputs.has(item.id)) return;
    void this.#app.readOutput(item.id).then((text) => {
      this.#outputs.set(item.id, text);
      this.#changed();
    });
  }

  #choose(at: number): void {
    if (at < 0) void this.#loadEarlier();
    this.#chosen = Math.max(0, Math.min(at, this.#items.length - 1));
    const height = (this.#room?.rows ?? 24) - 2;
    if (this.#chosen <= this.#top.at) this.#top = { at: this.#chosen, line: 0 };
    else {
      // The lines from the top of the screen to the end of the chosen item must fit.
      let needed = this.#linesOf(this.#chosen).length;
      let top = this.#chosen;
      while (top > this.#top.at && needed + this.#linesOf(top - 1).length <= height) {
        top -= 1;
        needed += this.#linesOf(top).length;
      }
      if (top > this.#top.at) this.#top = { at: top, line: 0 };
    }
  }

  #scroll(lines: number): void {
    this.#top = { ...this.#top, line: this.#top.line + lines };
    this.#settle((this.#room?.rows ?? 24) - 2);
    // The chosen item follows the screen.
    const height = (this.#room?.rows ?? 24) - 2;
    let [at, seen] = [this.#top.at, this.#linesOf(this.#top.at).length - this.#top.line];
    while (lines > 0 && seen < height && at < this.#items.length - 1) {
      at += 1;
      seen += this.#linesOf(at).length;
    }
    this.#chosen = at;
  }

  /** Makes the place at the top of the screen one that exists, without empty lines at the end. */
  #settle(height: number): void {
    let { at, line } = this.#top;
    at = Math.max(0, Math.min(at, this.#items.length - 1));
    while (line < 0 && at > 0) {
      at -= 1;
      line += this.#linesOf(at).length;
    }
    if (line < 0) {
      void this.#loadEarlier();
      line = 0;
    }
    while (at < this.#items.length - 1 && line >= this.#linesOf(at).length) {
      line -= this.#linesOf(at).length;
      at += 1;
    }
    let below = -line;
    for (let index = at; index < this.#items.length && below < height; index += 1) below += this.#linesOf(index).length;
    let missing = height - below;
    while (missing > 0 && (line > 0 || at > 0)) {
      if (line === 0) {
        at -= 1;
        line = this.#linesOf(at).length;
      }
      const step = Math.min(missing, line);
      line -= step;
      missing -= step;
    }
    this.#top = { at, line };
  }

  /** Reads the page before the first item; whether there was one. */
  #loadEarlier(): Promise<boolean> {
    this.#loading ??= this.#readEarlier().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #readEarlier(): Promise<boolean> {
    if (!this.#app.view.hasEarlier) return false;
    const before = this.#items.length;
    const wasRead = await this.#app.loadEarlier().catch(() => false);
    const added = this.#items.length - before;
    this.#chosen += added;
    this.#top = { ...this.#top, at: this.#top.at + added };
    this.#changed();
    return wasRead;
  }

  #linesOf(at: number): readonly string[] {
    const item = this.#items[at];
    if (!item || !this.#room || !this.#renderer) return [];
    const isOpen = this.#isAll || this.#unfolded.has(item.id);
    const output = isOpen ? this.#outputs.get(item.id) : undefined;
    const key = `${isOpen} ${output?.length ?? ''}`;
    const known = this.#lines.get(item.id);
    if (known?.item === item && known.key === key) return known.of;
    const shown = output === undefined || item.kind !== 'tool' ? item : { ...item, output };
    const folding = { details: isOpen, thinking: isOpen };
    const rendered = this.#renderer.of.render({
      item: shown,
      width: this.#room.width - 1,
      folding,
      most: mostLines,
    });
    this.#renderer.of.forget(item.id);
    // Images are only named here.
    const lines = rendered.lines.filter((line) => typeof line === 'string');
    // Enough for what is near the screen.
    if (this.#lines.size > 2_000) this.#lines.clear();
    this.#lines.set(item.id, { item, key, of: lines });
    return lines;
  }
}

/** What a search looks at. */
function textOf(item: TranscriptItem): string {
  switch (item.kind) {
    case 'tool':
      return `${item.summary}\n${item.output}\n${item.diff ?? ''}`;
    case 'shell':
      return `${item.command}\n${item.output}`;
    case 'compaction':
      return item.summary;
    default:
      return item.text;
  }
}
