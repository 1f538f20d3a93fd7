import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import type { Completion } from '../interactive/index.ts';
import { type Drawing, editBy, type KeyPress, type Room } from './overlay.ts';
import { rowOf, TextBuffer } from './text-buffer.ts';
import { VimKeys } from './vim.ts';

/** What the input asks of its surroundings. */
export interface PromptEditorOptions {
  readonly isVim: boolean;
  /** Earlier messages, oldest first. */
  readonly history: () => readonly string[];
  /** What is inserted for a pasted text. */
  readonly pasted: (text: string) => string;
  readonly complete: (input: { readonly text: string; readonly cursor: number }) => Promise<Completion | undefined>;
  /** Something has to be drawn. */
  readonly changed: () => void;
}

/** Rows of candidates that are shown at once. */
const mostCandidates = 8;

/**
 * The input: text with completion, history and search in it.
 *
 * @example
 * const input = new PromptEditor({ isVim: false, history: () => [], pasted: (text) => text, complete, changed });
 * input.press({ key: 'a', text: 'a' });
 */
export class PromptEditor {
  readonly buffer = new TextBuffer();
  readonly #options: PromptEditorOptions;
  readonly #vim: VimKeys | undefined;
  #completion: Completion | undefined;
  /** The text and cursor that the candidates are for. */
  #completed = { text: '', cursor: 0 };
  /** Whether Tab was pressed before the candidates for the text were there. */
  #isAwaited = false;
  #chosen = 0;
  #asked = 0;
  /** How far back in the history, and what was typed before. */
  #back = 0;
  #draft = '';
  #search: { query: string; at: number; readonly draft: string } | undefined;
  #width = 80;

  constructor(options: PromptEditorOptions) {
    this.#options = options;
    this.#vim = options.isVim ? new VimKeys({ buffer: this.buffer }) : undefined;
  }

  get isSearching(): boolean {
    return this.#search !== undefined;
  }

  get isCompleting(): boolean {
    return this.#completion !== undefined;
  }

  /** What the mode of vim is called; nothing without vim. */
  get vimMode(): string {
    return this.#vim ? (this.#vim.isNormal ? 'NORMAL' : 'INSERT') : '';
  }

  /** Takes the text to be sent, and empties the input. */
  take(): string {
    const { text } = this.buffer;
    this.buffer.clear();
    this.#vim?.insertMode();
    this.#back = 0;
    this.#close();
    return text;
  }

  set(text: string): void {
    this.buffer.set(text);
    this.#close();
  }

  /** Begins a search in the history, or goes to the next older match. */
  searchHistory(): void {
    this.#close();
    if (this.#search) this.#find({ from: this.#search.at - 1 });
    else this.#search = { query: '', at: this.#options.history().length, draft: this.buffer.text };
  }

  /** Takes a key; whether it had a meaning here. Enter is left to the caller, unless it chooses a candidate. */
  press(press: KeyPress): boolean {
    const { key, text, isPaste } = press;
    if (isPaste) {
      this.buffer.insertWhole(this.#options.pasted(text));
      this.#edited();
      return true;
    }
    if (this.#search) return this.#pressInSearch(press);
    if (this.#completion && this.#pressInCompletion(key)) return true;
    if (key === 'enter' && this.#endsInBackslash()) {
      this.buffer.delete({ extent: 'character', direction: -1 });
      this.buffer.insert('\n');
      return true;
    }
    if (this.#vim?.press(press)) {
      this.#edited();
      return true;
    }
    if (editBy({ buffer: this.buffer, key, width: this.#width })) {
      if (key !== 'up' && key !== 'down') this.#edited();
      return true;
    }
    if (key === 'up' || key === 'ctrl+p') return this.#recall(1);
    if (key === 'down' || key === 'ctrl+n') return this.#recall(-1);
    if (text === '' || this.#vim?.isNormal) return false;
    this.buffer.insert(text);
    this.#edited();
    return true;
  }

  newline(): void {
    this.buffer.insert('\n');
    this.#close();
  }

  #endsInBackslash(): boolean {
    return this.buffer.text.slice(0, this.buffer.cursor).endsWith('\\');
  }

  #pressInCompletion(key: string | undefined): boolean {
    const completion = this.#completion;
    if (!completion) return false;
    const { length } = completion.items;
    if (key === 'up' || key === 'ctrl+p') this.#chosen = (this.#chosen + length - 1) % length;
    else if (key === 'down' || key === 'ctrl+n') this.#chosen = (this.#chosen + 1) % length;
    else if (key === 'tab' && !this.#isCurrent()) this.#isAwaited = true;
    else if (key === 'tab' || (key === 'enter' && this.#isCurrent() && !this.#isComplete())) this.#accept();
    else if (key === 'escape') this.#close();
    else return false;
    return true;
  }

  /** Whether the candidates are for the text as it is: they come a moment after a key. */
  #isCurrent(): boolean {
    const { text, cursor } = this.#completed;
    return text === this.buffer.text && cursor === this.buffer.cursor;
  }

  /** Whether the word is already what the chosen candidate says. */
  #isComplete(): boolean {
    const { from = 0, to = 0, items = [] } = this.#completion ?? {};
    return items[this.#chosen]?.value.trimEnd() === this.buffer.text.slice(from, to).trimEnd();
  }

  #accept(): void {
    const completion = this.#completion;
    const candidate = completion?.items[this.#chosen];
    if (!completion || !candidate) return;
    // The beginning of a name is followed by the rest of it.
    const isPrefix = /[/:]$/.test(candidate.value);
    const gap = isPrefix || /\s$/.test(candidate.value) || this.buffer.text[completion.to] === ' ' ? '' : ' ';
    this.buffer.replace({ start: completion.from, end: completion.to, text: `${candidate.value}${gap}` });
    this.#close();
    // A folder is entered, a command may have arguments.
    void this.#ask();
  }

  #close(): void {
    this.#completion = undefined;
    this.#isAwaited = false;
    this.#chosen = 0;
    this.#asked += 1;
  }

  #edited(): void {
    this.#back = 0;
    this.#isAwaited = false;
    void this.#ask();
  }

  async #ask(): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    const { text, cursor } = this.buffer;
    const completion = await this.#options.complete({ text, cursor }).catch(() => undefined);
    // A later key has asked again.
    if (asked !== this.#asked) return;
    const before = this.#completion?.items[this.#chosen]?.value;
    this.#completion = completion && completion.items.length > 0 ? completion : undefined;
    this.#completed = { text, cursor };
    this.#chosen = Math.max(0, this.#completion?.items.findIndex(({ value }) => value === before) ?? 0);
    if (this.#isAwaited) this.#accept();
    this.#isAwaited = false;
    this.#options.changed();
  }

  #recall(step: 1 | -1): boolean {
    const history = this.#options.history();
    const back = this.#back + step;
    if (back < 0 || back > history.length) return false;
    if (this.#back === 0) this.#draft = this.buffer.text;
    this.#back = back;
    // A long message is shown as a paste.
    this.buffer.set(back === 0 ? this.#draft : this.#options.pasted(history[history.length - back] ?? ''));
    this.#close();
    return true;
  }

  #pressInSearch({ key, text }: KeyPress): boolean {
    const search = this.#search;
    if (!search) return false;
    if (key === 'escape' || key === 'ctrl+c') {
      this.#search = undefined;
      this.buffer.set(search.draft);
      return true;
    }
    if (key === 'ctrl+r') {
      this.searchHistory();
      return true;
    }
    if (key === 'backspace') search.query = search.query.slice(0, -1);
    else if (text !== '') search.query += text;
    else {
      // Any other key takes what was found and acts on it.
      this.#search = undefined;
      return key === 'enter' || key === 'tab' ? true : this.press({ key, text });
    }
    this.#find({ from: this.#options.history().length - 1 });
    return true;
  }

  #find({ from }: { readonly from: number }): void {
    const search = this.#search;
    if (!search) return;
    const history = this.#options.history();
    const wanted = search.query.toLowerCase();
    const at =
      wanted === '' ? -1 : history.findLastIndex((text, index) => index <= from && text.toLowerCase().includes(wanted));
    if (at < 0) return;
    search.at = at;
    this.buffer.set(this.#options.pasted(history[at] ?? ''));
  }

  /** The input with its candidates below it. */
  draw({ width, rows: most, theme }: Room): Drawing {
    const inner = Math.max(1, width - 2);
    this.#width = inner;
    const rows = this.buffer.rows(inner);
    const at = rowOf({ rows, cursor: this.buffer.cursor });
    const top = Math.max(0, Math.min(at - Math.floor(most / 2), rows.length - most));
    const mark = this.buffer.text.startsWith('!') ? theme.warn('! ') : theme.accent('› ');
    const lines = rows.slice(top, top + most).map(({ start, end }, index) => {
      const text = this.buffer.text.slice(start, end).replaceAll('\t', ' ');
      return `${top + index === 0 ? mark : '  '}${text}`;
    });
    if (this.buffer.isEmpty && !this.#search)
      lines[0] = `${mark}${theme.faint(truncateToWidth('Ask anything · / commands · @ files · ! shell', inner - 1, ''))}`;
    const here = rows[at];
    const column = 2 + (here ? visibleWidth(this.buffer.text.slice(here.start, this.buffer.cursor)) : 0);
    const drawing = { lines, cursor: { row: at - top, column: Math.min(column, width - 1) } };
    if (this.#search) {
      const { query } = this.#search;
      return {
        ...drawing,
        lines: [
          ...lines,
          truncateToWidth(
            `${theme.faint('  search: ')}${query}${theme.faint(' · Ctrl-R older · Enter takes it · Esc back')}`,
            width,
            '…',
          ),
        ],
      };
    }
    return { ...drawing, lines: [...lines, ...this.#candidateLines({ width, theme })] };
  }

  #candidateLines({ width, theme }: Pick<Room, 'width' | 'theme'>): string[] {
    const candidates = this.#completion?.items ?? [];
    const top = Math.max(0, Math.min(this.#chosen - mostCandidates + 2, candidates.length - mostCandidates));
    const shown = candidates.slice(top, top + mostCandidates);
    const widest = Math.min(
      Math.floor(width / 2),
      Math.max(0, ...shown.map(({ label }) => visibleWidth(label.trimEnd()))),
    );
    const lines = shown.map(({ label, detail = '' }, index) => {
      const name = truncateToWidth(label.trimEnd(), widest, '…', true);
      const row = truncateToWidth(`  ${name}  ${theme.faint(detail)}`, width, '…');
      return top + index === this.#chosen
        ? theme.chosen(`${row}${' '.repeat(Math.max(0, width - visibleWidth(row)))}`)
        : row;
    });
    if (candidates.length > mostCandidates) lines.push(theme.faint(`  ${this.#chosen + 1} of ${candidates.length}`));
    return lines;
  }
}
