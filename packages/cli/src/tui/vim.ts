import type { TextBuffer } from './text-buffer.ts';

/** What a command of the normal mode acts on. */
type Operator = 'd' | 'c' | 'y';

/** A motion: where it leads, and whether it covers whole lines. */
interface Motion {
  readonly to: number;
  readonly isLines?: boolean;
}

/**
 * Vim keys for the input: insert and normal mode, counts, the operators d, c and y with motions, and undo. Keys that it does
 * not know do nothing in normal mode.
 *
 * @example
 * const vim = new VimKeys({ buffer });
 * vim.press({ key: 'escape', text: '' });
 * vim.press({ key: 'd', text: 'd' });
 * vim.press({ key: 'w', text: 'w' });
 */
export class VimKeys {
  readonly #buffer: TextBuffer;
  #isNormal = false;
  #count = '';
  #operator: Operator | undefined;
  /** A command that waits for a character: `f`, `r`, `g`. */
  #waiting: string | undefined;
  #register = { text: '', isLines: false };

  constructor({ buffer }: { readonly buffer: TextBuffer }) {
    this.#buffer = buffer;
  }

  get isNormal(): boolean {
    return this.#isNormal;
  }

  /** Takes a key; whether it was one of vim. Enter, and control keys in both modes, are not. */
  press({ key, text }: { readonly key: string | undefined; readonly text: string }): boolean {
    if (!this.#isNormal) {
      if (key !== 'escape') return false;
      this.#isNormal = true;
      if (this.#buffer.cursor > this.#lineStart()) this.#buffer.move({ extent: 'character', direction: -1 });
      return true;
    }
    if (key === 'escape') {
      const wasBusy = this.#operator !== undefined || this.#count !== '' || this.#waiting !== undefined;
      this.#reset();
      return wasBusy;
    }
    if (key === 'ctrl+r') {
      this.#buffer.redo();
      return true;
    }
    if (text === '' || text.length > 2) return false;
    this.#command(text);
    if (this.#isNormal) this.#stayInLine();
    return true;
  }

  /** In normal mode the cursor is on a character, never after the last one of a line. */
  #stayInLine(): void {
    const { cursor } = this.#buffer;
    if (cursor === this.#lineEnd() && cursor > this.#lineStart())
      this.#buffer.move({ extent: 'character', direction: -1 });
  }

  /** Back to insert mode, for a new message. */
  insertMode(): void {
    this.#isNormal = false;
    this.#reset();
  }

  #reset(): void {
    this.#count = '';
    this.#operator = undefined;
    this.#waiting = undefined;
  }

  #command(char: string): void {
    if (this.#waiting !== undefined) {
      this.#finishWaiting(char);
      return;
    }
    if (/[1-9]/.test(char) || (char === '0' && this.#count !== '')) {
      this.#count += char;
      return;
    }
    if ('fFtTrg'.includes(char)) {
      this.#waiting = char;
      return;
    }
    if (char === 'd' || char === 'c' || char === 'y') {
      if (this.#operator === char) this.#operate(this.#wholeLines());
      else this.#operator = char;
      return;
    }
    const motion = this.#motion(char);
    if (motion) {
      if (this.#operator) this.#operate(motion);
      else {
        this.#buffer.moveTo(motion.to);
        this.#reset();
      }
      return;
    }
    this.#edit(char);
    this.#reset();
  }

  #finishWaiting(char: string): void {
    const { text, cursor } = this.#buffer;
    const command = this.#waiting;
    this.#waiting = undefined;
    if (command === 'r') {
      this.#buffer.replace({ start: cursor, end: this.#after(cursor), text: char });
      this.#buffer.moveTo(cursor);
      this.#reset();
      return;
    }
    if (command === 'g') {
      if (char === 'g') {
        this.#moveOrOperate({ to: 0, isLines: true });
        return;
      }
      this.#reset();
      return;
    }
    const isForward = command === 'f' || command === 't';
    const found = isForward ? text.indexOf(char, cursor + 1) : text.lastIndexOf(char, cursor - 1);
    if (found < 0) {
      this.#reset();
      return;
    }
    const inclusive = isForward && this.#operator ? 1 : 0;
    const to = command === 't' ? found - 1 : command === 'T' ? found + 1 : found;
    this.#moveOrOperate({ to: to + inclusive });
  }

  #moveOrOperate(motion: Motion): void {
    if (this.#operator) {
      this.#operate(motion);
      return;
    }
    this.#buffer.moveTo(motion.to);
    this.#reset();
  }

  #motion(char: string): Motion | undefined {
    const times = Math.min(1_000, Number(this.#count || 1));
    const repeat = (next: (from: number) => number): Motion => {
      let to = this.#buffer.cursor;
      for (let at = 0; at < times; at += 1) to = next(to);
      return { to };
    };
    const { text } = this.#buffer;
    switch (char) {
      case 'h':
        return repeat((from) =>
          Math.max(this.#lineStart(from), this.#buffer.target({ extent: 'character', direction: -1, from })),
        );
      case 'l':
      case ' ':
        return repeat((from) => Math.min(this.#lineEnd(from), this.#after(from)));
      case 'w': {
        // `cw` leaves the space after the word.
        const { to } = repeat((from) => this.#nextWord(from));
        return { to: this.#operator === 'c' ? text.slice(0, to).trimEnd().length : to };
      }
      case 'e':
        return repeat(
          (from) => this.#buffer.target({ extent: 'word', direction: 1, from: from + 1 }) - (this.#operator ? 0 : 1),
        );
      case 'b':
        return repeat((from) => this.#buffer.target({ extent: 'word', direction: -1, from }));
      case '0':
        return { to: this.#lineStart() };
      case '^':
        return {
          to: this.#lineStart() + (/^\s*/.exec(text.slice(this.#lineStart(), this.#lineEnd()))?.[0].length ?? 0),
        };
      case '$':
        return { to: this.#lineEnd() };
      case 'G':
        return { to: text.length, isLines: true };
      case 'j':
        return {
          ...repeat((from) => Math.min(text.length, this.#lineEnd(from) + 1 + from - this.#lineStart(from))),
          isLines: true,
        };
      case 'k':
        return { ...repeat((from) => this.#lineAbove(from)), isLines: true };
      default:
        return undefined;
    }
  }

  #lineAbove(from: number): number {
    const start = this.#lineStart(from);
    if (start === 0) return from;
    const above = this.#lineStart(start - 1);
    return Math.min(start - 1, above + from - start);
  }

  #edit(char: string): void {
    const buffer = this.#buffer;
    const insertAt = (at: number) => {
      buffer.moveTo(at);
      this.#isNormal = false;
    };
    switch (char) {
      case 'i':
        insertAt(buffer.cursor);
        return;
      case 'a':
        insertAt(Math.min(this.#lineEnd(), this.#after(buffer.cursor)));
        return;
      case 'I':
        insertAt(this.#lineStart());
        return;
      case 'A':
        insertAt(this.#lineEnd());
        return;
      case 'o':
        insertAt(this.#lineEnd());
        buffer.insertWhole('\n');
        return;
      case 'O':
        insertAt(this.#lineStart());
        buffer.insertWhole('\n');
        buffer.moveTo(buffer.cursor - 1);
        return;
      case 'x':
        this.#cut({ start: buffer.cursor, end: this.#after(buffer.cursor) });
        return;
      case 'X':
        this.#cut({ start: buffer.target({ extent: 'character', direction: -1 }), end: buffer.cursor });
        return;
      case 'D':
        this.#cut({ start: buffer.cursor, end: this.#lineEnd() });
        return;
      case 'C':
        this.#cut({ start: buffer.cursor, end: this.#lineEnd() });
        this.#isNormal = false;
        return;
      case 'u':
        buffer.undo();
        return;
      case 'p':
      case 'P':
        this.#put(char);
        return;
      case '~': {
        const end = this.#after(buffer.cursor);
        const old = buffer.text.slice(buffer.cursor, end);
        const upper = old.toUpperCase();
        buffer.replace({ start: buffer.cursor, end, text: old === upper ? old.toLowerCase() : upper });
        return;
      }
    }
  }

  #put(char: 'p' | 'P'): void {
    const { text, isLines } = this.#register;
    if (text === '') return;
    if (isLines) {
      const at = char === 'p' ? this.#lineEnd() : this.#lineStart();
      this.#buffer.moveTo(at);
      this.#buffer.insertWhole(char === 'p' ? `\n${text}` : `${text}\n`);
      return;
    }
    if (char === 'p') this.#buffer.moveTo(Math.min(this.#lineEnd(), this.#after(this.#buffer.cursor)));
    this.#buffer.insertWhole(text);
  }

  #wholeLines(): Motion {
    let to = this.#buffer.cursor;
    for (let at = 1; at < Math.min(1_000, Number(this.#count || 1)); at += 1)
      to = Math.min(this.#buffer.text.length, this.#lineEnd(to) + 1);
    return { to, isLines: true };
  }

  #operate({ to, isLines = false }: Motion): void {
    const buffer = this.#buffer;
    const operator = this.#operator;
    let [start, end] = to < buffer.cursor ? [to, buffer.cursor] : [buffer.cursor, to];
    if (isLines) [start, end] = [this.#lineStart(start), this.#lineEnd(end)];
    this.#register = { text: buffer.text.slice(start, end), isLines };
    this.#reset();
    if (operator === 'y') {
      buffer.moveTo(start);
      return;
    }
    // A deleted line takes its line break with it.
    const extra =
      isLines && operator === 'd' ? (end < buffer.text.length ? [0, 1] : start > 0 ? [1, 0] : [0, 0]) : [0, 0];
    buffer.replace({ start: start - (extra[0] ?? 0), end: end + (extra[1] ?? 0), text: '' });
    if (operator === 'c') this.#isNormal = false;
  }

  #cut({ start, end }: { readonly start: number; readonly end: number }): void {
    if (start === end) return;
    this.#register = { text: this.#buffer.text.slice(start, end), isLines: false };
    this.#buffer.replace({ start, end, text: '' });
  }

  #nextWord(from: number): number {
    const rest = this.#buffer.text.slice(from);
    return from + (/^(?:[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]+)?\s*/u.exec(rest)?.[0].length ?? 0);
  }

  #after(from: number): number {
    return this.#buffer.target({ extent: 'character', direction: 1, from });
  }

  #lineStart(from = this.#buffer.cursor): number {
    return this.#buffer.target({ extent: 'line', direction: -1, from });
  }

  #lineEnd(from = this.#buffer.cursor): number {
    return this.#buffer.target({ extent: 'line', direction: 1, from });
  }
}
