import { fuzzyFilter, truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import type { CommandResult } from '../interactive/index.ts';
import { ConfirmDialog, type DialogEnd, type ResultOf } from './dialogs.ts';
import { actionFor } from './keymap.ts';
import {
  type Drawing,
  indented,
  type KeyPress,
  LineField,
  type Overlay,
  paddedLines,
  type Room,
  rule,
} from './overlay.ts';
import type { Theme } from './theme.ts';

/** A row of a list. */
interface Row {
  readonly id: string;
  /** What the filter sees. */
  readonly text: string;
  readonly draw: (theme: Theme) => string;
  readonly isDisabled: boolean;
}

/** Rows with one chosen, a filter, and a preview of the chosen one. */
class RowList {
  readonly filter = new LineField();
  #rows: readonly Row[] = [];
  #chosen = 0;
  #top = 0;
  #height = 10;
  #preview: { readonly id: string; readonly text: string } | undefined;
  readonly #read: ((id: string) => Promise<string>) | undefined;
  readonly #changed: () => void;

  constructor(of: { readonly read?: ((id: string) => Promise<string>) | undefined; readonly changed: () => void }) {
    this.#read = of.read;
    this.#changed = of.changed;
  }

  get chosen(): Row | undefined {
    return this.#rows[this.#chosen];
  }

  set({
    rows,
    selected = this.chosen?.id,
  }: {
    readonly rows: readonly Row[];
    readonly selected?: string | undefined;
  }): void {
    this.#rows = rows;
    this.choose(
      Math.max(
        0,
        rows.findIndex(({ id }) => id === selected),
      ),
    );
  }

  choose(at: number): void {
    this.#chosen = Math.max(0, Math.min(at, this.#rows.length - 1));
    const { id } = this.chosen ?? {};
    if (id === undefined || id === this.#preview?.id || !this.#read) return;
    void this.#read(id)
      .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
      .then((text) => {
        if (this.chosen?.id !== id) return;
        this.#preview = { id, text };
        this.#changed();
      });
  }

  /** Takes a key of lists; whether it was one. */
  press(key: string | undefined): boolean {
    const action = actionFor({ context: 'list', key });
    const step = { previous: -1, next: 1, pagePrevious: -this.#height, pageNext: this.#height, first: -1e9, last: 1e9 }[
      action as string
    ];
    if (step === undefined) return false;
    const { length } = this.#rows;
    // The ends of a list are connected for single steps.
    const at = this.#chosen + step;
    this.choose(Math.abs(step) === 1 && length > 0 ? (at + length) % length : at);
    return true;
  }

  draw({ width, rows, theme, empty }: Room & { readonly empty: string }): string[] {
    if (this.#rows.length === 0) return [theme.faint(`  ${empty}`)];
    const preview = this.#previewLines({ width, rows, theme });
    this.#height = Math.max(3, rows - preview.length);
    if (this.#chosen < this.#top) this.#top = this.#chosen;
    if (this.#chosen >= this.#top + this.#height) this.#top = this.#chosen - this.#height + 1;
    this.#top = Math.max(0, Math.min(this.#top, this.#rows.length - this.#height));
    const list = this.#rows.slice(this.#top, this.#top + this.#height).map((row, index) => {
      const isChosen = this.#top + index === this.#chosen;
      const line = truncateToWidth(`${isChosen ? theme.accent('❯ ') : '  '}${row.draw(theme)}`, width, '…');
      return isChosen ? (paddedLines({ lines: [line], width, style: theme.chosen })[0] ?? '') : line;
    });
    return [...list, ...preview];
  }

  #previewLines({ width, rows, theme }: Room): string[] {
    if (!this.#read || rows < 14) return [];
    const height = Math.floor(rows / 2);
    const text = this.#preview && this.#preview.id === this.chosen?.id ? this.#preview.text : '';
    const lines = text
      .trim()
      .split('\n')
      .flatMap((line) => indented({ text: line, first: '  ', rest: '  ', width }))
      .slice(0, height - 1);
    while (lines.length < height - 1) lines.push('');
    return [rule({ width, style: theme.border, title: theme.faint(' Preview ') }), ...lines];
  }

  get position(): string {
    return this.#rows.length === 0 ? '' : `${this.#chosen + 1} of ${this.#rows.length}`;
  }
}

/**
 * A list to choose from, filtered by what is typed.
 *
 * @example
 * new Picker({ result, end });
 */
export class Picker implements Overlay {
  readonly isFull: boolean;
  readonly #result: ResultOf<'picker'>;
  readonly #end: DialogEnd;
  readonly #list: RowList;
  readonly #rows: readonly Row[];
  #asking:
    | { readonly action: ResultOf<'picker'>['actions'][number]; readonly id: string; readonly field: LineField }
    | undefined;

  constructor(of: { readonly result: ResultOf<'picker'>; readonly end: DialogEnd }) {
    this.#result = of.result;
    this.#end = of.end;
    // A long list below the conversation would push it off the screen.
    this.isFull = of.result.preview !== undefined || of.result.items.length > 8;
    this.#rows = of.result.items.map(({ id, label, detail = '', disabled }) => ({
      id,
      text: `${label} ${detail}`,
      isDisabled: disabled !== undefined,
      draw: (theme) =>
        disabled === undefined
          ? `${label}${detail === '' ? '' : theme.faint(`  ${detail}`)}`
          : theme.faint(`${label}  ${disabled}`),
    }));
    this.#list = new RowList({ read: of.result.preview, changed: of.end.changed });
    this.#list.set({ rows: this.#rows, selected: of.result.selected });
  }

  draw({ width, rows, theme }: Room): Drawing {
    const { title, actions, empty } = this.#result;
    const head = rule({
      width,
      style: theme.accent,
      title: `${theme.bold(` ${title} `)}${theme.faint(`${this.#list.position} `)}`,
    });
    const list = this.#list.draw({ width, rows: Math.max(3, rows - 4), theme, empty });
    if (this.#asking) {
      const { line, column } = this.#asking.field.draw({
        label: `  ${this.#asking.action.input?.label ?? ''}: `,
        width,
        theme,
      });
      return {
        lines: [head, ...list, line, theme.faint('  Enter takes it · Esc goes back')],
        cursor: { row: list.length + 1, column },
      };
    }
    const { line, column } = this.#list.filter.draw({ label: '  filter: ', width, theme });
    const keys = actions.map(({ key, label }, at) =>
      at === 0 ? `Enter ${label}` : `Alt-${(key ?? '').toUpperCase()} ${label}`,
    );
    return {
      lines: [
        head,
        ...list,
        line,
        truncateToWidth(theme.faint(`  ${[...keys, 'Esc closes'].join(' · ')}`), width, '…'),
      ],
      cursor: { row: list.length + 1, column },
    };
  }

  press(press: KeyPress): void {
    if (this.#asking) {
      this.#pressInField(press);
      return;
    }
    const { actions } = this.#result;
    const action = actionFor({ context: 'list', key: press.key });
    if (action === 'close') {
      this.#end.close();
      return;
    }
    const byLetter = actions.find(({ key }) => key !== undefined && press.key === `alt+${key}`);
    const chosen = this.#list.chosen;
    if ((action === 'choose' || byLetter) && chosen) {
      if (chosen.isDisabled) return;
      this.#perform({ action: byLetter ?? actions[0], id: chosen.id });
      return;
    }
    if (action !== 'fold' && action !== 'unfold' && this.#list.press(press.key)) return;
    if (!this.#list.filter.press(press)) return;
    const query = this.#list.filter.text.trim();
    this.#list.set({
      rows: query === '' ? this.#rows : fuzzyFilter([...this.#rows], query, ({ text }) => text),
      // The best match comes first.
      selected: '',
    });
  }

  #perform({
    action,
    id,
  }: {
    readonly action: ResultOf<'picker'>['actions'][number] | undefined;
    readonly id: string;
  }): void {
    if (!action) return;
    if (action.input) {
      this.#asking = { action, id, field: new LineField({ text: action.input.initial?.(id) ?? '' }) };
      return;
    }
    this.#end.close();
    this.#end.follow(action.run(id, ''));
  }

  #pressInField(press: KeyPress): void {
    const asking = this.#asking;
    if (!asking) return;
    if (press.key === 'escape' || press.key === 'ctrl+c') this.#asking = undefined;
    else if (press.key !== 'enter') asking.field.press(press);
    else {
      this.#end.close();
      this.#end.follow(asking.action.run(asking.id, asking.field.text));
    }
  }
}

/**
 * The whole session as a tree, on the whole screen: branches fold, Enter moves there, letters filter.
 *
 * @example
 * new TreeView({ result, end });
 */
export class TreeView implements Overlay {
  readonly isFull = true;
  readonly #result: ResultOf<'tree'>;
  readonly #end: DialogEnd;
  readonly #list: RowList;
  readonly #folded = new Set<string>();
  #labeling: { readonly id: string; readonly field: LineField } | undefined;

  constructor(of: { readonly result: ResultOf<'tree'>; readonly end: DialogEnd }) {
    this.#result = of.result;
    this.#end = of.end;
    this.#list = new RowList({ read: of.result.preview, changed: of.end.changed });
    this.#refresh(of.result.current);
  }

  #refresh(selected?: string): void {
    const { nodes, current } = this.#result;
    const hidden = new Set<string>();
    for (const { id, parent } of nodes)
      if (parent !== undefined && (hidden.has(parent) || this.#folded.has(parent))) hidden.add(id);
    const rows = nodes
      .filter(({ id }) => !hidden.has(id))
      .map(
        (node): Row => ({
          id: node.id,
          text: `${node.handle} ${node.who} ${node.label ?? ''} ${node.text}`,
          isDisabled: false,
          draw: (theme) => {
            const indent = theme.border(
              `${'│ '.repeat(Math.min(12, node.depth))}${node.isFork ? (this.#folded.has(node.id) ? '⊞ ' : '┬ ') : '· '}`,
            );
            const who = node.who === 'you' || node.who === 'user' ? theme.accent(node.who) : theme.info(node.who);
            const place = node.id === current ? theme.good(' ← here') : '';
            const label = node.label === undefined ? '' : theme.warn(` [${node.label}]`);
            const text = node.isOnPath ? node.text : theme.faint(node.text);
            return `${indent}${theme.faint(node.handle.padEnd(5))} ${who}${label}${place} ${text.split('\n')[0] ?? ''}`;
          },
        }),
      );
    const query = this.#list.filter.text.trim().toLowerCase();
    const shown = query === '' ? rows : rows.filter(({ text }) => text.toLowerCase().includes(query));
    this.#list.set({ rows: shown, ...(selected !== undefined && { selected }) });
  }

  draw({ width, rows, theme }: Room): Drawing {
    const head = rule({
      width,
      style: theme.accent,
      title: `${theme.bold(` ${this.#result.title} `)}${theme.faint(`${this.#list.position} `)}`,
    });
    const list = this.#list.draw({ width, rows: rows - 4, theme, empty: 'Nothing matches.' });
    while (list.length < rows - 4) list.push('');
    const field = this.#labeling
      ? this.#labeling.field.draw({ label: '  label: ', width, theme })
      : this.#list.filter.draw({ label: '  search: ', width, theme });
    const hint = this.#labeling
      ? 'Enter takes it · Esc goes back'
      : 'Enter moves here · ← → fold · Alt-L label · Alt-F fork · Esc closes';
    return {
      lines: [
        head,
        ...list,
        rule({ width, style: theme.border }),
        field.line,
        truncateToWidth(theme.faint(`  ${hint}`), width, '…'),
      ],
      cursor: { row: list.length + 2, column: Math.min(field.column, width - 1, visibleWidth(field.line)) },
    };
  }

  press(press: KeyPress): void {
    const { key } = press;
    if (this.#labeling) {
      this.#pressInLabel(press);
      return;
    }
    const id = this.#list.chosen?.id;
    const action = actionFor({ context: 'list', key });
    if (action === 'close') {
      this.#end.close();
      return;
    }
    if (id !== undefined && action === 'choose') {
      this.#leave(this.#result.move(id));
      return;
    }
    if (id !== undefined && key === 'alt+f') {
      this.#leave(this.#result.fork(id));
      return;
    }
    if (id !== undefined && key === 'alt+l') {
      const label = this.#result.nodes.find((node) => node.id === id)?.label;
      this.#labeling = { id, field: new LineField({ text: label ?? '' }) };
      return;
    }
    if (id !== undefined && (action === 'fold' || action === 'unfold')) {
      if (action === 'fold') this.#folded.add(id);
      else this.#folded.delete(id);
      this.#refresh(id);
      return;
    }
    if (this.#list.press(key)) return;
    if (this.#list.filter.press(press)) this.#refresh(id);
  }

  #pressInLabel(press: KeyPress): void {
    const labeling = this.#labeling;
    if (!labeling) return;
    if (press.key === 'escape' || press.key === 'ctrl+c') this.#labeling = undefined;
    else if (press.key !== 'enter') labeling.field.press(press);
    else this.#leave(this.#result.label(labeling.id, labeling.field.text));
  }

  #leave(results: Promise<readonly CommandResult[]>): void {
    this.#end.close();
    this.#end.follow(results);
  }
}

/**
 * What shows a result that takes keys; nothing for results that are only printed.
 *
 * @example
 * const overlay = overlayFor({ result, end });
 */
export function overlayFor({
  result,
  end,
}: {
  readonly result: CommandResult;
  readonly end: DialogEnd;
}): Overlay | undefined {
  switch (result.kind) {
    case 'picker':
      return new Picker({ result, end });
    case 'tree':
      return new TreeView({ result, end });
    case 'confirm':
      return new ConfirmDialog({ result, end });
    default:
      return undefined;
  }
}
