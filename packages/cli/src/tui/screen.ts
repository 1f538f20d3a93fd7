import { sliceByColumn, stripTerminalSequences, truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import { ImageLine, type ScreenLine } from './images.ts';

/** Where output goes. */
export interface ScreenOutput {
  readonly columns: number;
  readonly rows: number;
  /** What the terminal does with lines that are longer than its new width. */
  readonly reflow: Reflow;
  readonly write: (text: string) => void;
  /**
   * Writes texts with a question for the position of the cursor between each two of them; returns the answers, or
   * `undefined` if the terminal does not answer.
   */
  readonly ask: (texts: readonly string[]) => Promise<readonly CursorPosition[] | undefined>;
}

/**
 * `cut`: lines stay where they are. `wrap`: they take more rows, and the cursor stays in its line. `drift`: as in xterm.js, the
 * line of the cursor is cut, and the cursor moves down by as many rows as lines below it have become higher.
 */
export type Reflow = 'cut' | 'wrap' | 'drift';

/** One picture of the conversation's end and what is below it. */
export interface ScreenFrame {
  /** The lines of the conversation that have not scrolled off, oldest first. */
  readonly lines: readonly ScreenLine[];
  /** How many of them, from the first on, are final. Only these may scroll off. */
  readonly final: number;
  /** What follows: panels, input, status. */
  readonly bottom: readonly string[];
  /** In `bottom`; hidden if absent. */
  readonly cursor?: CursorPosition;
  /** The program ends with it: an answer of the terminal would reach the next program. */
  readonly isLast?: boolean;
}

export interface CursorPosition {
  readonly row: number;
  readonly column: number;
}

/** Terminals that know it show a frame at once; others ignore it. Wrapping is off: a line never takes two rows. */
const begin = '\u001b[?2026h\u001b[?25l\u001b[?7l';
const end = '\u001b[?7h\u001b[?2026l';

/** The cursor in the last cell: asked where it is there, the terminal answers with its size. */
const toLastCell = '\u001b7\u001b[999;999H';
const fromLastCell = '\u001b8';

/** What a change of the size has done to the lines that were drawn. */
export interface ScreenResize {
  /** So many final lines of the last frame, from the first on, are in the scrollback now. */
  readonly gone: number;
  /** What is left of the last line in the scrollback, if the terminal has wrapped it and kept its end on the screen. */
  readonly rest: string;
  /** Lines that had scrolled off for the program, but not in the terminal, and were cleared. */
  readonly again: readonly ScreenLine[];
}

/** What was on the screen after a frame. */
interface DrawnFrame {
  readonly lines: readonly ScreenLine[];
  /** How many of them, from the first on, are final. */
  readonly final: number;
  /** How many lines have scrolled off before them, and those of them that this frame let off. */
  readonly base: number;
  readonly off: readonly ScreenLine[];
  /** The first line that was written, counted from the first line of all. */
  readonly written: number;
  /** Of the cursor. */
  readonly row: number;
  readonly column: number;
  readonly columns: number;
  readonly at: number;
  /** The terminal's own rows, and the row of the cursor in it. */
  terminal?: { readonly rows: number; readonly row: number };
}

/** Without an answer in this time and without a change of the size, a frame was right. Milliseconds. */
const uncertainMs = 1_000;

/** So long is waited for the new size after the terminal has shown that it has one. tmux takes up to 250. Milliseconds. */
const holdMs = 400;

/**
 * Draws into the main screen of a terminal. A line that is final scrolls off into the scrollback of the terminal and is
 * never touched again, so that a frame costs as much as the screen is high, however long the conversation is, and the
 * scrollback holds each line once. Lines that may still change are not let off the screen: if they do not fit, their
 * beginning is drawn later.
 *
 * All moves are relative to the first line that is drawn, since a program cannot know where on the screen it started.
 *
 * A terminal changes its size before the program gets to know of it. So each frame ends with a question for the size: the
 * answers say which frames met a narrower terminal than they were made for. All moves of such a frame are still known, so it
 * is known as well where its lines are.
 */
export class MainScreen {
  readonly #output: ScreenOutput;
  #shown: readonly ScreenLine[] = [];
  #row = 0;
  #column = 0;
  /** How many lines have scrolled off. */
  #base = 0;
  #columns: number;
  /** The last frame of which it is known that it met a terminal of its size, and those after it. */
  #certain: DrawnFrame;
  #uncertain: DrawnFrame[] = [];
  #heldUntil = 0;

  constructor(output: ScreenOutput) {
    this.#output = output;
    this.#columns = output.columns;
    this.#certain = this.#frame({ final: 0, off: [], written: 0 });
  }

  /** Whether the terminal has a size that the program does not know yet: a frame would not fit. */
  get isHeld(): boolean {
    return Date.now() < this.#heldUntil;
  }

  /** Draws a frame; returns how many lines of the conversation have scrolled off, which belong to no later frame. */
  draw({ lines, final, bottom, cursor, isLast = false }: ScreenFrame): number {
    const { rows } = this.#output;
    const overflow = Math.max(0, lines.length + bottom.length - rows);
    const off = Math.min(overflow, final);
    const hidden = overflow - off;
    const rest = [...lines.slice(off), ...bottom].slice(hidden);
    const next = [...lines.slice(0, off), ...rest];
    let written = 0;
    while (written < this.#shown.length && isSame(next[written], this.#shown[written])) written += 1;
    written += this.#base;
    const body = off > 0 ? this.#scrolled(next) : this.#inPlace(next);
    this.#shown = rest;
    // The lines that scrolled off are above the first line from now on.
    this.#row -= off;
    this.#base += off;
    const place = cursor && { row: lines.length - off - hidden + cursor.row, column: cursor.column };
    const isVisible = place !== undefined && place.row >= 0 && place.row < rest.length;
    if (body === '' && isVisible && place.row === this.#row && place.column === this.#column) return off;
    const move = isVisible ? this.#moveTo(place) : '';
    const text = `${begin}${body}${move}`;
    const after = `${end}${isVisible ? '\u001b[?25h' : ''}`;
    if (isLast) this.#output.write(`${text}${after}`);
    else {
      const frame = this.#frame({ final: final - off, off: lines.slice(0, off), written });
      void this.#checked({ texts: [`${text}${toLastCell}`, fromLastCell, after], frame });
    }
    return off;
  }

  #frame(of: Pick<DrawnFrame, 'final' | 'off' | 'written'>): DrawnFrame {
    const at = Date.now();
    const [lines, base, columns] = [this.#shown, this.#base, this.#columns];
    return { ...of, lines, base, columns, row: this.#row, column: this.#column, at };
  }

  /** Writes a frame and asks for the size that the terminal had then, and for the position of the cursor. */
  async #checked({ texts, frame }: { readonly texts: readonly string[]; readonly frame: DrawnFrame }): Promise<void> {
    const old = this.#uncertain.findLastIndex(({ at }) => frame.at - at > uncertainMs);
    this.#certain = this.#uncertain[old] ?? this.#certain;
    this.#uncertain = [...this.#uncertain.slice(old + 1), frame];
    const [size, place] = (await this.#output.ask(texts)) ?? [];
    const at = this.#uncertain.indexOf(frame);
    if (!size || !place || at < 0) return;
    if (size.column + 1 < frame.columns) {
      this.#heldUntil = Date.now() + holdMs;
      return;
    }
    // At any height, and at a larger width, the moves and lines of a frame are right.
    frame.terminal = { rows: size.row + 1, row: place.row };
    this.#certain = frame;
    this.#uncertain = this.#uncertain.slice(at + 1);
  }

  /**
   * After a change of the size: clears what was drawn, which the terminal may have wrapped anew and moved. Where it is, the
   * terminal is asked for. The next frame is drawn in its place.
   */
  async resize(): Promise<ScreenResize> {
    const [at] = (await this.#output.ask(['', ''])) ?? [];
    const { columns, rows, reflow } = this.#output;
    const certain = this.#certain;
    const isWrapped = reflow !== 'cut' && columns < certain.columns;
    const heights = certain.lines.map((line) => (isWrapped ? height({ line, columns }) : 1));
    const extra = reflow === 'wrap' && isWrapped ? Math.floor(certain.column / columns) : 0;
    const drift = reflow === 'drift' ? driftOf({ frame: certain, heights, rows }) : 0;
    // Later frames have moved the cursor by as many rows as lines.
    const moved = this.#base + this.#row - certain.base - certain.row;
    const up = sum(heights.slice(0, certain.row)) + extra + drift + moved;
    const row = at?.row ?? Math.min(up, rows - 1);
    // What later frames have not written is as it was.
    const written = this.#uncertain.map((frame) => frame.written - certain.base);
    const kept = Math.min(certain.final, ...written);
    let lost = Math.max(0, up - row);
    let gone = 0;
    let rest = '';
    for (; gone < kept && lost > 0; gone += 1) {
      const line = certain.lines[gone] ?? '';
      const high = heights[gone] ?? 1;
      if (lost < high && typeof line === 'string') rest = sliceByColumn(line, lost * columns, visibleWidth(line));
      lost -= high;
    }
    const off = this.#uncertain.flatMap((frame) => frame.off);
    const first = Math.max(0, row - up);
    const back = rows - first > 1 ? `\u001b[${rows - first - 1}A` : '';
    const start = `\r${row > first ? `\u001b[${row - first}A` : ''}`;
    this.#output.write(`${begin}${start}${cleared(rows - first)}${back}${end}`);
    this.forget();
    return { gone: Math.max(0, gone - off.length), rest, again: off.slice(gone) };
  }

  /** Clears the whole screen. */
  clear(): void {
    this.#output.write(`${begin}\u001b[H${cleared(this.#output.rows)}\u001b[H${end}`);
    this.forget();
  }

  /** Draws the next frame from nothing, below what is there: after another program has used the terminal. */
  forget(): void {
    this.#shown = [];
    this.#row = 0;
    this.#column = 0;
    this.#columns = this.#output.columns;
    this.#certain = this.#frame({ final: 0, off: [], written: this.#base });
    this.#uncertain = [];
    this.#heldUntil = 0;
  }

  /** Removes what is not part of the conversation and leaves the cursor on the line below it. */
  finish({ lines }: Pick<ScreenFrame, 'lines'>): void {
    // Everything is final now: what does not fit scrolls off.
    this.draw({ lines, final: lines.length, bottom: [''], isLast: true });
    this.#output.write(`${this.#moveTo({ row: this.#shown.length - 1, column: 0 })}\u001b[?25h`);
  }

  /** Writes only the lines that changed. */
  #inPlace(next: readonly ScreenLine[]): string {
    let text = '';
    const kept = Math.min(next.length, this.#shown.length);
    for (let at = 0; at < kept; at += 1) {
      if (isSame(next[at], this.#shown[at])) continue;
      text += `${this.#moveTo({ row: at, column: 0 })}${this.#line({ line: next[at], row: at })}`;
    }
    if (next.length > kept) text += this.#appended({ next, from: kept });
    if (next.length < this.#shown.length && next.length > 0)
      text += `${this.#moveTo({ row: next.length, column: 0 })}\u001b[J${this.#moveTo({ row: next.length - 1, column: 0 })}`;
    return text;
  }

  /** Writes everything from the first changed line on; what is too much scrolls off. */
  #scrolled(next: readonly ScreenLine[]): string {
    let first = 0;
    while (first < this.#shown.length && isSame(next[first], this.#shown[first])) first += 1;
    return this.#appended({ next, from: first });
  }

  #appended({ next, from }: { readonly next: readonly ScreenLine[]; readonly from: number }): string {
    const isOver = from === 0 || from < this.#shown.length;
    let text = this.#moveTo({ row: isOver ? from : from - 1, column: 0 });
    for (let at = from; at < next.length; at += 1)
      text += `${isOver && at === from ? '' : '\r\n'}${this.#line({ line: next[at], row: at })}`;
    this.#row = next.length - 1;
    this.#column = 0;
    return text;
  }

  #line({ line = '', row }: { readonly line: ScreenLine | undefined; readonly row: number }): string {
    const { columns, rows } = this.#output;
    // An image of which some rows have scrolled off cannot be drawn again.
    if (line instanceof ImageLine) return `\u001b[2K${line.above <= row && line.above < rows ? line.sequence : ''}`;
    return `\u001b[2K${fitted({ line, columns })}${line.includes('\u001b') ? '\u001b[0m' : ''}`;
  }

  #moveTo({ row, column }: CursorPosition): string {
    const rows = row - this.#row;
    // Line feeds, since a terminal that has become lower has dropped the lines below its cursor.
    const vertical = rows < 0 ? `\u001b[${-rows}A` : '\n'.repeat(rows);
    this.#row = row;
    this.#column = column;
    return `${vertical}\r${column > 0 ? `\u001b[${column}C` : ''}`;
  }
}

/**
 * How many rows the cursor of xterm.js is below its line. It wraps from the last line on up; each new row moves the cursor
 * down, and with it the line that is not wrapped, since it takes it for that of the cursor.
 */
function driftOf({
  frame: { row, terminal },
  heights,
  rows,
}: {
  readonly frame: DrawnFrame;
  readonly heights: readonly number[];
  readonly rows: number;
}): number {
  const below = Math.max(0, heights.length - 1 - row);
  // A lower screen has lost its last rows, the blank ones first, before the others are wrapped.
  const blank = terminal ? terminal.rows - 1 - terminal.row - below : 0;
  const dropped = terminal ? Math.max(0, terminal.rows - rows - blank) : 0;
  let drift = 0;
  for (let at = row + below - Math.min(below, dropped); at >= row; at -= 1)
    if (at !== row + drift) drift += (heights[at] ?? 1) - 1;
  return drift;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** Clears rows one by one: some terminals put a screen that is cleared at once into the scrollback. */
function cleared(rows: number): string {
  return Array.from({ length: rows }, () => '\u001b[2K').join('\u001b[B');
}

function isSame(one: ScreenLine | undefined, other: ScreenLine | undefined): boolean {
  if (one instanceof ImageLine) return other instanceof ImageLine && one.sequence === other.sequence;
  return one === other;
}

/** The rows that a line has after a terminal of so many columns has wrapped it. */
function height({ line, columns }: { readonly line: ScreenLine; readonly columns: number }): number {
  if (line instanceof ImageLine) return 1;
  const width = visibleWidth(line);
  const plain = stripTerminalSequences(line);
  if (width === plain.length) return Math.max(1, Math.ceil(width / columns));
  // A wide character that does not fit goes to the next row as a whole.
  let [rows, column] = [1, 0];
  for (const { segment } of graphemes.segment(plain)) {
    const cells = visibleWidth(segment);
    if (column + cells > columns) {
      rows += 1;
      column = 0;
    }
    column += cells;
  }
  return rows;
}

const graphemes = new Intl.Segmenter();

/** Draws whole pictures into the alternate screen, which the terminal replaces by the main screen when it is left. */
export class FullScreen {
  readonly #output: ScreenOutput;
  #shown: readonly string[] = [];

  constructor(output: ScreenOutput) {
    this.#output = output;
  }

  enter(): void {
    this.#shown = [];
    this.#output.write('\u001b[?1049h\u001b[2J\u001b[H');
  }

  leave(): void {
    this.#output.write('\u001b[?1049l');
  }

  resize(): void {
    this.#shown = [];
    this.#output.write('\u001b[2J');
  }

  draw({ lines, cursor }: { readonly lines: readonly string[]; readonly cursor?: CursorPosition }): void {
    const { columns, rows } = this.#output;
    let text = '';
    const next = Array.from({ length: rows }, (_, at) => lines[at] ?? '');
    for (const [at, line] of next.entries()) {
      if (line === this.#shown[at]) continue;
      text += `\u001b[${at + 1};1H\u001b[2K${fitted({ line, columns })}\u001b[0m`;
    }
    this.#shown = next;
    const place = cursor ? `\u001b[${cursor.row + 1};${cursor.column + 1}H\u001b[?25h` : '';
    if (text !== '' || place !== '') this.#output.write(`${begin}${text}${end}${place}`);
  }
}

/** At most one frame in this time while text streams. Milliseconds. */
const frameMs = 33;

/** How often the elapsed time and the spinner are drawn. Milliseconds. */
const tickMs = 120;

/** Decides when a frame is drawn: at most 30 times a second, and at once after a key. */
export class FrameTimer {
  readonly #draw: () => void;
  #timer: NodeJS.Timeout | undefined;
  #tick: NodeJS.Timeout | undefined;
  #drawnAt = 0;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  request(): void {
    this.#timer ??= setTimeout(() => this.#run(), Math.max(0, frameMs - (Date.now() - this.#drawnAt)));
  }

  /** Draws what a key has changed, after the other keys that came with it. */
  requestNow(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), 0);
  }

  /** Draws regularly, since time passes on the screen. */
  setTicking(isTicking: boolean): void {
    if (isTicking) this.#tick ??= setInterval(() => this.request(), tickMs);
    else {
      clearInterval(this.#tick);
      this.#tick = undefined;
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.setTicking(false);
  }

  #run(): void {
    this.#timer = undefined;
    this.#drawnAt = Date.now();
    this.#draw();
  }
}

/**
 * A line as it may be written: no wider than the screen, and without control sequences other than styles and links. Texts are
 * cleaned where they come in; this is for what was forgotten there, since a terminal interprets sequences anywhere.
 */
function fitted({ line, columns }: { readonly line: string; readonly columns: number }): string {
  const safe = line.replace(controls, (_, allowed: string | undefined) => allowed ?? '');
  return safe.length > columns && visibleWidth(safe) > columns ? truncateToWidth(safe, columns, '…') : safe;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const controls = /(\u001b\[[\d;:]*m|\u001b\]8;\P{Cc}*(?:\u0007|\u001b\\))|\p{Cc}/gu;
