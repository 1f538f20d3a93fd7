import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import { rowsAbove } from './images.ts';

/** Where output goes. */
export interface ScreenOutput {
  readonly columns: number;
  readonly rows: number;
  readonly write: (text: string) => void;
}

/** One picture of the conversation's end and what is below it. */
export interface ScreenFrame {
  /** The lines of the conversation that have not scrolled off, oldest first. */
  readonly lines: readonly string[];
  /** How many of them, from the first on, are final. Only these may scroll off. */
  readonly final: number;
  /** What follows: panels, input, status. */
  readonly bottom: readonly string[];
  /** In `bottom`; hidden if absent. */
  readonly cursor?: CursorPosition;
}

export interface CursorPosition {
  readonly row: number;
  readonly column: number;
}

/** Terminals that know it show a frame at once; others ignore it. Wrapping is off: a line never takes two rows. */
const begin = '\u001b[?2026h\u001b[?25l\u001b[?7l';
const end = '\u001b[?7h\u001b[?2026l';

/**
 * Draws into the main screen of a terminal. A line that is final scrolls off into the scrollback of the terminal and is
 * never touched again, so that a frame costs as much as the screen is high, however long the conversation is, and the
 * scrollback holds each line once. Lines that may still change are not let off the screen: if they do not fit, their
 * beginning is drawn later.
 *
 * All moves are relative to the first line that is drawn, since a program cannot know where on the screen it started.
 */
export class MainScreen {
  readonly #output: ScreenOutput;
  #shown: readonly string[] = [];
  #row = 0;
  #column = 0;
  #columns: number;

  constructor(output: ScreenOutput) {
    this.#output = output;
    this.#columns = output.columns;
  }

  /** Draws a frame; returns how many lines of the conversation have scrolled off, which belong to no later frame. */
  draw({ lines, final, bottom, cursor }: ScreenFrame): number {
    const { rows } = this.#output;
    const overflow = Math.max(0, lines.length + bottom.length - rows);
    const off = Math.min(overflow, final);
    const hidden = overflow - off;
    const rest = [...lines.slice(off), ...bottom].slice(hidden);
    const next = [...lines.slice(0, off), ...rest];
    const body = off > 0 ? this.#scrolled(next) : this.#inPlace(next);
    this.#shown = rest;
    // The lines that scrolled off are above the first line from now on.
    if (off > 0) this.#row -= off;
    const place = cursor && { row: lines.length - off - hidden + cursor.row, column: cursor.column };
    const isVisible = place !== undefined && place.row >= 0 && place.row < rest.length;
    if (body === '' && isVisible && place.row === this.#row && place.column === this.#column) return off;
    const move = isVisible ? this.#moveTo(place) : '';
    this.#output.write(`${begin}${body}${move}${end}${isVisible ? '\u001b[?25h' : ''}`);
    return off;
  }

  /**
   * After a change of the size: clears what was drawn, which the terminal has wrapped anew. Returns how many lines were
   * pushed off the screen by that.
   */
  resize(): number {
    const { columns, rows } = this.#output;
    const heights = this.#shown.map((line) =>
      columns < this.#columns && rowsAbove(line) === undefined
        ? Math.max(1, Math.ceil(visibleWidth(line) / columns))
        : 1,
    );
    const above = heights.slice(0, this.#row).reduce((sum, height) => sum + height, 0);
    const up = above + Math.floor(this.#column / columns);
    let lost = Math.max(0, up + 1 - rows);
    let pushed = 0;
    for (const height of heights) {
      if (lost <= 0) break;
      lost -= height;
      pushed += 1;
    }
    this.#columns = columns;
    this.#output.write(`${begin}\r${up > 0 ? `\u001b[${Math.min(up, rows)}A` : ''}\u001b[J${end}`);
    this.#shown = [];
    this.#row = 0;
    this.#column = 0;
    return pushed;
  }

  /** Draws the next frame from nothing, below what is there: after another program has used the terminal. */
  forget(): void {
    this.#shown = [];
    this.#row = 0;
    this.#column = 0;
    this.#columns = this.#output.columns;
  }

  /** Removes what is not part of the conversation and leaves the cursor on the line below it. */
  finish({ lines }: Pick<ScreenFrame, 'lines'>): void {
    // Everything is final now: what does not fit scrolls off.
    this.draw({ lines, final: lines.length, bottom: [''] });
    this.#output.write(`${this.#moveTo({ row: this.#shown.length - 1, column: 0 })}\u001b[?25h`);
  }

  /** Writes only the lines that changed. */
  #inPlace(next: readonly string[]): string {
    let text = '';
    const kept = Math.min(next.length, this.#shown.length);
    for (let at = 0; at < kept; at += 1) {
      if (next[at] === this.#shown[at]) continue;
      text += `${this.#moveTo({ row: at, column: 0 })}${this.#line({ text: next[at], row: at })}`;
    }
    if (next.length > kept) text += this.#appended({ next, from: kept });
    if (next.length < this.#shown.length && next.length > 0)
      text += `${this.#moveTo({ row: next.length - 1, column: 0 })}\u001b[B\r\u001b[J\u001b[A`;
    return text;
  }

  /** Writes everything from the first changed line on; what is too much scrolls off. */
  #scrolled(next: readonly string[]): string {
    let first = 0;
    while (first < this.#shown.length && next[first] === this.#shown[first]) first += 1;
    return this.#appended({ next, from: first });
  }

  #appended({ next, from }: { readonly next: readonly string[]; readonly from: number }): string {
    const isOver = from === 0 || from < this.#shown.length;
    let text = this.#moveTo({ row: isOver ? from : from - 1, column: 0 });
    for (let at = from; at < next.length; at += 1)
      text += `${isOver && at === from ? '' : '\r\n'}${this.#line({ text: next[at], row: at })}`;
    this.#row = next.length - 1;
    this.#column = 0;
    return text;
  }

  #line({ text = '', row }: { readonly text: string | undefined; readonly row: number }): string {
    const { columns, rows } = this.#output;
    const above = rowsAbove(text);
    // An image of which some rows have scrolled off cannot be drawn again.
    if (above !== undefined) return `\u001b[2K${above <= row && above < rows ? text : ''}`;
    return `\u001b[2K${fitted({ line: text, columns })}${text.includes('\u001b') ? '\u001b[0m' : ''}`;
  }

  #moveTo({ row, column }: CursorPosition): string {
    const rows = row - this.#row;
    const vertical = rows === 0 ? '' : rows > 0 ? `\u001b[${rows}B` : `\u001b[${-rows}A`;
    this.#row = row;
    this.#column = column;
    return `${vertical}\r${column > 0 ? `\u001b[${column}C` : ''}`;
  }
}

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
