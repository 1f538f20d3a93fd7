import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui';
import { actionFor } from './keymap.ts';
import type { CursorPosition } from './screen.ts';
import { TextBuffer } from './text-buffer.ts';
import type { Style, Theme } from './theme.ts';

/** A key, or text that was typed or pasted. */
export interface KeyPress {
  /** As the terminal library names it: `ctrl+o`, `a`. */
  readonly key: string | undefined;
  /** The characters, if it is text. */
  readonly text: string;
  readonly isPaste?: boolean;
}

/** The room that a part of the screen has. */
export interface Room {
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
}

/** Lines with the place of the cursor in them. */
export interface Drawing {
  readonly lines: readonly string[];
  readonly cursor?: CursorPosition;
}

/** A dialog, a list or a view that takes the keys until it is closed. */
export interface Overlay {
  /** Whether it needs the whole screen. */
  readonly isFull?: boolean;
  draw(room: Room): Drawing;
  press(press: KeyPress): void;
}

/**
 * One line of text that can be edited: a filter, a rule, a name.
 *
 * @example
 * const field = new LineField({ text: 'bash(npm test:*)' });
 * field.press({ key: 'end', text: '' });
 */
export class LineField {
  readonly #buffer = new TextBuffer();

  constructor({ text = '' }: { readonly text?: string } = {}) {
    this.#buffer.set(text);
  }

  get text(): string {
    return this.#buffer.text;
  }

  /** Whether the key was one of editing. */
  press({ key, text }: KeyPress): boolean {
    if (editBy({ buffer: this.#buffer, key, width: 1_000 })) return true;
    if (text === '') return false;
    this.#buffer.insert(text.replace(/[\r\n]+/g, ' '));
    return true;
  }

  draw({ label, width, theme }: { readonly label: string; readonly width: number; readonly theme: Theme }): {
    readonly line: string;
    readonly column: number;
  } {
    const room = Math.max(1, width - visibleWidth(label) - 1);
    const before = this.#buffer.text.slice(0, this.#buffer.cursor);
    // The end of a long text is shown, where the cursor most often is.
    let start = 0;
    while (visibleWidth(before.slice(start)) > room) start += 1;
    const shown = truncateToWidth(this.#buffer.text.slice(start), room, '…');
    return { line: `${theme.accent(label)}${shown}`, column: visibleWidth(label) + visibleWidth(before.slice(start)) };
  }
}

/**
 * Performs an editing key on a buffer; whether it was one.
 *
 * @example
 * editBy({ buffer, key: 'ctrl+w', width: 80 });
 */
export function editBy({
  buffer,
  key,
  width,
}: {
  readonly buffer: TextBuffer;
  readonly key: string | undefined;
  readonly width: number;
}): boolean {
  const action = actionFor({ context: 'input', key });
  if (action === undefined) return false;
  switch (action) {
    case 'left':
      buffer.move({ extent: 'character', direction: -1 });
      break;
    case 'right':
      buffer.move({ extent: 'character', direction: 1 });
      break;
    case 'up':
      return buffer.moveRow({ width, direction: -1 });
    case 'down':
      return buffer.moveRow({ width, direction: 1 });
    case 'wordLeft':
      buffer.move({ extent: 'word', direction: -1 });
      break;
    case 'wordRight':
      buffer.move({ extent: 'word', direction: 1 });
      break;
    case 'lineStart':
      buffer.move({ extent: 'line', direction: -1 });
      break;
    case 'lineEnd':
      buffer.move({ extent: 'line', direction: 1 });
      break;
    case 'allStart':
      buffer.move({ extent: 'all', direction: -1 });
      break;
    case 'allEnd':
      buffer.move({ extent: 'all', direction: 1 });
      break;
    case 'deleteLeft':
      buffer.delete({ extent: 'character', direction: -1 });
      break;
    case 'deleteRight':
      buffer.delete({ extent: 'character', direction: 1 });
      break;
    case 'killWordLeft':
      buffer.kill({ extent: 'word', direction: -1 });
      break;
    case 'killWordRight':
      buffer.kill({ extent: 'word', direction: 1 });
      break;
    case 'killLineEnd':
      buffer.kill({ extent: 'line', direction: 1 });
      break;
    case 'killLineStart':
      buffer.kill({ extent: 'line', direction: -1 });
      break;
    case 'yank':
      buffer.yank();
      break;
    case 'yankPop':
      buffer.yankPop();
      break;
    case 'undo':
      buffer.undo();
      break;
    case 'redo':
      buffer.redo();
      break;
    default:
      action satisfies never;
  }
  return true;
}

/**
 * Wraps text and indents what follows the first line.
 *
 * @example
 * indented({ text: 'a long line', first: '● ', rest: '  ', width: 40 });
 */
export function indented({
  text,
  first,
  rest,
  width,
}: {
  readonly text: string;
  readonly first: string;
  readonly rest: string;
  readonly width: number;
}): string[] {
  const lines = text
    .split('\n')
    .flatMap((line) => wrapTextWithAnsi(line.replaceAll('\t', '  '), Math.max(1, width - visibleWidth(rest))));
  return lines.map((line, at) => `${at === 0 ? first : rest}${line}`);
}

/**
 * A text at the left and one at the right of a line; the right one is left out if there is no room.
 *
 * @example
 * spread({ left: 'model', right: 'ask', width: 80 });
 */
export function spread({
  left,
  right,
  width,
}: {
  readonly left: string;
  readonly right: string;
  readonly width: number;
}): string {
  const room = width - visibleWidth(right) - 1;
  if (right === '' || visibleWidth(left) > room) return truncateToWidth(left, width, '…');
  return `${left}${' '.repeat(width - visibleWidth(left) - visibleWidth(right))}${right}`;
}

/**
 * A horizontal line with a title in it.
 *
 * @example
 * rule({ width: 40, style: theme.border, title: theme.bold(' Models ') });
 */
export function rule({
  width,
  style,
  title = '',
}: {
  readonly width: number;
  readonly style: (text: string) => string;
  readonly title?: string;
}): string {
  if (title === '') return style('─'.repeat(width));
  const shown = truncateToWidth(title, Math.max(0, width - 4), '…');
  return `${style('──')}${shown}${style('─'.repeat(Math.max(0, width - 2 - visibleWidth(shown))))}`;
}

/**
 * Lines with a background that reaches to the end of the line.
 *
 * @example
 * paddedLines({ lines: ['text'], width: 80, style: theme.human });
 */
export function paddedLines({
  lines,
  width,
  style,
}: {
  readonly lines: readonly string[];
  readonly width: number;
  readonly style: Style;
}): string[] {
  return lines.map((line) => style(`${line}${' '.repeat(Math.max(0, width - visibleWidth(line)))}`));
}

/**
 * A number of tokens in few characters.
 *
 * @example
 * tokens(182_400); // '182k'
 */
export function tokens(amount: number): string {
  if (amount < 1_000) return String(Math.round(amount));
  if (amount < 10_000) return `${(amount / 1_000).toFixed(1)}k`;
  return amount < 1_000_000 ? `${Math.round(amount / 1_000)}k` : `${(amount / 1_000_000).toFixed(1)}M`;
}

/**
 * A duration in few characters.
 *
 * @example
 * seconds(75_000); // '1 min 15 s'
 */
export function seconds(ms: number): string {
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/**
 * Drawings below each other, at most `rows` high: what is too much is left out at the top.
 *
 * @example
 * stacked({ parts: [{ lines: ['a'] }, { lines: ['> '], cursor: { row: 0, column: 2 } }], rows: 24, cursor: 'last' });
 */
export function stacked({
  parts,
  rows,
  cursor: wanted,
}: {
  readonly parts: readonly Drawing[];
  readonly rows: number;
  /** Which cursor counts, if several have one. */
  readonly cursor: 'first' | 'last';
}): Drawing {
  const lines: string[] = [];
  let cursor: CursorPosition | undefined;
  for (const part of parts) {
    if (part.cursor && !(cursor && wanted === 'first'))
      cursor = { ...part.cursor, row: part.cursor.row + lines.length };
    lines.push(...part.lines);
  }
  const excess = Math.max(0, lines.length - rows);
  return { lines: lines.slice(excess), ...(cursor && { cursor: { ...cursor, row: cursor.row - excess } }) };
}
