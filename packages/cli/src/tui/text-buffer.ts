import { visibleWidth } from '@earendil-works/pi-tui';

/** A row of the input as it is drawn: a part of a line. */
export interface BufferRow {
  readonly start: number;
  readonly end: number;
}

interface BufferState {
  readonly text: string;
  readonly cursor: number;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** What a long paste is shown as (see `Pastes`). */
const placeholder = /\[paste \d{1,6}: \d+ (?:lines|characters)\]/g;

/** What a motion or a deletion covers. */
export type Extent = 'character' | 'word' | 'line' | 'all';

/**
 * The text of the input with its cursor, undo, and a kill ring. Positions are offsets into the text; the cursor never stops
 * inside a grapheme or a placeholder.
 *
 * @example
 * const buffer = new TextBuffer();
 * buffer.insert('two words');
 * buffer.kill({ extent: 'word', direction: -1 });
 * buffer.text; // 'two '
 */
export class TextBuffer {
  #text = '';
  #cursor = 0;
  #past: BufferState[] = [];
  #future: BufferState[] = [];
  #killed: string[] = [];
  /** What the last change was: typing is undone word by word, kills in a row are one. */
  #last: 'typed' | 'killed' | 'yanked' | undefined;
  #yankedAt = 0;
  #column: number | undefined;

  get text(): string {
    return this.#text;
  }

  get cursor(): number {
    return this.#cursor;
  }

  get isEmpty(): boolean {
    return this.#text === '';
  }

  /** Replaces everything; can be undone. */
  set(text: string): void {
    this.#save();
    this.#text = text;
    this.#cursor = text.length;
    this.#settle();
  }

  /** Empties it for the next message: nothing before it can be undone. */
  clear(): void {
    this.#text = '';
    this.#cursor = 0;
    this.#past = [];
    this.#future = [];
    this.#settle();
  }

  insert(text: string): void {
    if (text === '') return;
    // Undo takes back a word with the space before it.
    if (this.#last !== 'typed' || /\s/.test(text)) this.#save();
    this.#put(text);
    this.#settle('typed');
  }

  /** Inserts a text that is undone as a whole. */
  insertWhole(text: string): void {
    this.#save();
    this.#put(text);
    this.#settle();
  }

  /** Replaces a range and puts the cursor behind it. */
  replace({ start, end, text }: BufferRow & { readonly text: string }): void {
    this.#save();
    this.#text = `${this.#text.slice(0, start)}${text}${this.#text.slice(end)}`;
    this.#cursor = start + text.length;
    this.#settle();
  }

  moveTo(at: number): void {
    this.#cursor = Math.max(0, Math.min(at, this.#text.length));
    this.#settle();
  }

  move({ extent, direction }: { readonly extent: Extent; readonly direction: -1 | 1 }): void {
    this.moveTo(this.target({ extent, direction }));
  }

  /** Where a motion leads. */
  target({ extent, direction, from = this.#cursor }: MotionInput): number {
    if (extent === 'all') return direction < 0 ? 0 : this.#text.length;
    if (extent === 'line') return direction < 0 ? this.#lineStart(from) : this.#lineEnd(from);
    if (extent === 'character') return direction < 0 ? this.#before(from) : this.#after(from);
    return direction < 0 ? this.#wordBefore(from) : this.#wordAfter(from);
  }

  delete({ extent, direction }: { readonly extent: Extent; readonly direction: -1 | 1 }): void {
    this.#remove(this.target({ extent, direction }));
    this.#settle();
  }

  /** Deletes into the kill ring. At the end of a line, the line break is killed. */
  kill({ extent, direction }: { readonly extent: Extent; readonly direction: -1 | 1 }): void {
    let target = this.target({ extent, direction });
    if (target === this.#cursor) target = this.target({ extent: 'character', direction });
    this.killTo(target);
  }

  killTo(target: number): void {
    const [start, end] = target < this.#cursor ? [target, this.#cursor] : [this.#cursor, target];
    const text = this.#text.slice(start, end);
    if (text === '') return;
    const before = this.#last === 'killed' ? (this.#killed.pop() ?? '') : '';
    this.#killed.push(target < this.#cursor ? `${text}${before}` : `${before}${text}`);
    this.#remove(target);
    this.#settle('killed');
  }

  yank(): void {
    const text = this.#killed.at(-1);
    if (text === undefined) return;
    this.#save();
    this.#yankedAt = this.#cursor;
    this.#put(text);
    this.#settle('yanked');
  }

  /** Replaces what was yanked by what was killed before it. */
  yankPop(): void {
    if (this.#last !== 'yanked' || this.#killed.length < 2) return;
    this.#killed.unshift(this.#killed.pop() ?? '');
    this.#text = `${this.#text.slice(0, this.#yankedAt)}${this.#text.slice(this.#cursor)}`;
    this.#cursor = this.#yankedAt;
    this.#put(this.#killed.at(-1) ?? '');
    this.#settle('yanked');
  }

  undo(): void {
    this.#exchange({ from: this.#past, to: this.#future });
  }

  redo(): void {
    this.#exchange({ from: this.#future, to: this.#past });
  }

  /** The rows at a width, words kept whole where possible. */
  rows(width: number): readonly BufferRow[] {
    const rows: BufferRow[] = [];
    let start = 0;
    for (const line of this.#text.split('\n')) {
      rows.push(...wrapped({ line, start, width }));
      start += line.length + 1;
    }
    return rows;
  }

  /** One row up or down in the same column; whether there was one. */
  moveRow({ width, direction }: { readonly width: number; readonly direction: -1 | 1 }): boolean {
    const rows = this.rows(width);
    const at = rowOf({ rows, cursor: this.#cursor });
    const here = rows[at];
    const next = rows[at + direction];
    if (!here || !next) return false;
    const column = this.#column ?? visibleWidth(this.#text.slice(here.start, this.#cursor));
    let cursor = next.start;
    for (const { segment } of this.#parts(this.#text.slice(next.start, next.end))) {
      if (visibleWidth(this.#text.slice(next.start, cursor + segment.length)) > column) break;
      cursor += segment.length;
    }
    // The end of a row that continues is the start of the next.
    if (cursor === next.end && rows[at + direction + 1]?.start === cursor) cursor = this.#before(cursor);
    this.#cursor = cursor;
    this.#settle();
    this.#column = column;
    return true;
  }

  #exchange({ from, to }: { readonly from: BufferState[]; readonly to: BufferState[] }): void {
    const snapshot = from.pop();
    if (!snapshot) return;
    to.push({ text: this.#text, cursor: this.#cursor });
    this.#text = snapshot.text;
    this.#cursor = snapshot.cursor;
    this.#settle();
  }

  #save(): void {
    const last = this.#past.at(-1);
    if (last?.text !== this.#text) this.#past.push({ text: this.#text, cursor: this.#cursor });
    if (this.#past.length > 500) this.#past.shift();
    this.#future = [];
  }

  #put(text: string): void {
    this.#text = `${this.#text.slice(0, this.#cursor)}${text}${this.#text.slice(this.#cursor)}`;
    this.#cursor += text.length;
  }

  #remove(target: number): void {
    const [start, end] = target < this.#cursor ? [target, this.#cursor] : [this.#cursor, target];
    if (start === end) return;
    this.#save();
    this.#text = `${this.#text.slice(0, start)}${this.#text.slice(end)}`;
    this.#cursor = start;
  }

  #settle(last?: 'typed' | 'killed' | 'yanked'): void {
    this.#last = last;
    this.#column = undefined;
  }

  /** Graphemes, with placeholders as one. */
  #parts(text: string): { readonly index: number; readonly segment: string }[] {
    const parts: { index: number; segment: string }[] = [];
    let at = 0;
    for (const match of text.matchAll(placeholder)) {
      for (const { segment, index } of graphemes.segment(text.slice(at, match.index)))
        parts.push({ index: at + index, segment });
      parts.push({ index: match.index, segment: match[0] });
      at = match.index + match[0].length;
    }
    for (const { segment, index } of graphemes.segment(text.slice(at))) parts.push({ index: at + index, segment });
    return parts;
  }

  #before(at: number): number {
    if (at <= 0) return 0;
    const start = this.#lineStart(at);
    if (start === at) return at - 1;
    return start + (this.#parts(this.#text.slice(start, at)).at(-1)?.index ?? 0);
  }

  #after(at: number): number {
    if (at >= this.#text.length) return this.#text.length;
    const [first] = this.#parts(this.#text.slice(at, Math.max(at + 1, this.#lineEnd(at))));
    return at + (first?.segment.length ?? 1);
  }

  #lineStart(at: number): number {
    return this.#text.lastIndexOf('\n', at - 1) + 1;
  }

  #lineEnd(at: number): number {
    const found = this.#text.indexOf('\n', at);
    return found < 0 ? this.#text.length : found;
  }

  #wordBefore(from: number): number {
    const before = this.#text.slice(0, from);
    const marked = /\[paste \d{1,6}: \d+ (?:lines|characters)\]\s*$/.exec(before);
    if (marked) return marked.index;
    // Matched backward from the end: searched forward, it would take quadratic time in a long text.
    return from - (/$(?<=((?:[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]+)?\s*))/u.exec(before)?.[1]?.length ?? 0);
  }

  #wordAfter(from: number): number {
    const after = this.#text.slice(from);
    const marked = /^\s*\[paste \d{1,6}: \d+ (?:lines|characters)\]/.exec(after);
    if (marked) return from + marked[0].length;
    return from + (/^\s*(?:[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]+)?/u.exec(after)?.[0].length ?? 0);
  }
}

interface MotionInput {
  readonly extent: Extent;
  readonly direction: -1 | 1;
  readonly from?: number;
}

/** The row that has the cursor; at the end of a row that continues, the next. */
export function rowOf({ rows, cursor }: { readonly rows: readonly BufferRow[]; readonly cursor: number }): number {
  const at = rows.findLastIndex(({ start }) => start <= cursor);
  return Math.max(0, at);
}

function wrapped({
  line,
  start,
  width,
}: {
  readonly line: string;
  readonly start: number;
  readonly width: number;
}): BufferRow[] {
  if (visibleWidth(line) <= width) return [{ start, end: start + line.length }];
  const rows: BufferRow[] = [];
  let [from, columns, space] = [0, 0, -1];
  for (const { segment, index } of graphemes.segment(line)) {
    const wide = visibleWidth(segment);
    if (columns + wide > width) {
      const cut = space > from ? space : index;
      rows.push({ start: start + from, end: start + cut });
      columns = visibleWidth(line.slice(cut, index));
      from = cut;
    }
    columns += wide;
    if (/\s/.test(segment)) space = index + segment.length;
  }
  rows.push({ start: start + from, end: start + line.length });
  return rows;
}
