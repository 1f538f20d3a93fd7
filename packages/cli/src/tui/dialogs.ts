import { truncateToWidth, visibleWidth } from '@earendil-works/pi-tui';
import type { CommandResult, ConsentAnswer, ConsentQuestion } from '../interactive/index.ts';
import { renderDiff } from './diff.ts';
import { actionFor, keymap, keyName } from './keymap.ts';
import { StreamingMarkdown } from './markdown.ts';
import { type Drawing, indented, type KeyPress, LineField, type Overlay, type Room, rule } from './overlay.ts';
import type { Theme } from './theme.ts';

export type ResultOf<Kind extends CommandResult['kind']> = Extract<CommandResult, { readonly kind: Kind }>;

/** What a dialog does when it is over. */
export interface DialogEnd {
  readonly close: () => void;
  /** Continues with what a choice returns. */
  readonly follow: (results: Promise<readonly CommandResult[]>) => void;
  /** Something has to be drawn. */
  readonly changed: () => void;
}

/**
 * A question about a call: what would happen, why it is asked, and the answers. Keys that are no answer go to the input.
 *
 * @example
 * const dialog = new ConsentDialog({ question, answer, cwd: io.cwd });
 */
export class ConsentDialog {
  readonly question: ConsentQuestion;
  readonly #answer: (answer: ConsentAnswer) => Promise<void>;
  readonly #cwd: string;
  #field: { readonly kind: 'rule' | 'reason'; readonly line: LineField } | undefined;
  #problem = '';

  constructor(of: {
    readonly question: ConsentQuestion;
    readonly answer: (answer: ConsentAnswer) => Promise<void>;
    readonly cwd: string;
  }) {
    this.question = of.question;
    this.#cwd = of.cwd;
    this.#answer = of.answer;
  }

  /** Takes a key; whether it was an answer or part of one. */
  press(press: KeyPress): boolean {
    const field = this.#field;
    if (field) {
      if (press.key === 'escape' || press.key === 'ctrl+c') this.#field = undefined;
      else if (press.key === 'enter') this.#finish(field);
      else field.line.press(press);
      return true;
    }
    const { rule: text } = this.question;
    switch (actionFor({ context: 'question', key: press.key })) {
      case 'yes':
        this.#send({ kind: 'yes' });
        return true;
      case 'no':
        this.#send({ kind: 'no' });
        return true;
      case 'always':
        this.#send({ kind: 'always', scope: 'run' });
        return true;
      case 'folder':
        if (text !== undefined) this.#send({ kind: 'always', scope: 'folder' });
        return true;
      case 'edit':
        this.#field = { kind: 'rule', line: new LineField({ text: text ?? '' }) };
        return true;
      case 'reason':
        this.#field = { kind: 'reason', line: new LineField() };
        return true;
      default:
        return false;
    }
  }

  #finish({ kind, line }: { readonly kind: 'rule' | 'reason'; readonly line: LineField }): void {
    if (kind === 'reason') this.#send({ kind: 'no', reason: line.text });
    else if (line.text.trim() !== '') this.#send({ kind: 'always', rule: line.text.trim(), scope: 'run' });
  }

  #send(answer: ConsentAnswer): void {
    this.#problem = '';
    this.#answer(answer).catch((error: unknown) => {
      this.#problem = error instanceof Error ? error.message : String(error);
    });
  }

  draw({ width, rows, theme, isFocused }: Room & { readonly isFocused: boolean }): Drawing {
    const { command, diff, summary, reason, place, rule: text, tool } = this.question;
    const border = isFocused ? theme.warn : theme.border;
    const title = theme.bold(` ${command === undefined ? `Allow ${tool}?` : 'Run this command?'} `);
    // The summary of a change already says why it is asked.
    const own = command === undefined && summary.includes(reason) ? '' : reason;
    const why = [own, place ?? ''].filter((part) => part !== '').join('; ');
    const body =
      command === undefined
        ? [
            ...indented({ text: summary.replaceAll(`${this.#cwd}/`, ''), first: '  ', rest: '  ', width }),
            ...(diff === undefined ? [] : renderDiff({ diff, theme, width, most: Math.max(3, rows - 8) })),
          ]
        : clip({
            lines: command
              .split('\n')
              .flatMap((line) => indented({ text: theme.code(line), first: '  $ ', rest: '    ', width })),
            most: Math.max(3, rows - 8),
            theme,
          });
    const lines = [
      rule({ width, style: border, title }),
      ...body,
      ...(why === '' ? [] : indented({ text: theme.faint(why), first: '  ', rest: '  ', width })),
    ];
    if (this.#problem !== '')
      lines.push(...indented({ text: theme.bad(this.#problem), first: '  ', rest: '  ', width }));
    if (this.#field) {
      const { line, column } = this.#field.line.draw({
        label: this.#field.kind === 'rule' ? '  Always allow: ' : '  Why not: ',
        width,
        theme,
      });
      return {
        lines: [...lines, line, theme.faint('  Enter sends it · Esc goes back')],
        cursor: { row: lines.length, column },
      };
    }
    const answers = keymap.question
      .filter(({ action }) => action !== 'focus' && (text !== undefined || action !== 'folder'))
      .map(({ action, keys }) => `${theme.bold(keyName(keys[0] ?? ''))} ${answerNames[action] ?? action}`);
    lines.push(
      ...indented({
        text: isFocused ? answers.join(theme.faint(' · ')) : theme.faint('Tab goes to this question'),
        first: '  ',
        rest: '  ',
        width,
      }),
    );
    if (isFocused && text !== undefined) lines.push(truncateToWidth(theme.faint(`  The rule: ${text}`), width, '…'));
    return { lines };
  }
}

const answerNames: Readonly<Record<string, string>> = {
  yes: 'yes',
  no: 'no',
  always: 'always',
  folder: 'always here',
  edit: 'edit rule',
  reason: 'no, because',
};

function clip({
  lines,
  most,
  theme,
}: {
  readonly lines: readonly string[];
  readonly most: number;
  readonly theme: Theme;
}): string[] {
  return lines.length <= most
    ? [...lines]
    : [...lines.slice(0, most), theme.faint(`  … ${lines.length - most} more lines`)];
}

/**
 * The lines of a text or a table that a command returned.
 *
 * @example
 * resultLines({ result: { kind: 'text', format: 'plain', text: 'done' }, width: 80, theme });
 */
export function resultLines({
  result,
  width,
  theme,
}: {
  readonly result: ResultOf<'text' | 'table' | 'map'>;
  readonly width: number;
  readonly theme: Theme;
}): string[] {
  const title = result.title === undefined ? [] : [theme.bold(`  ${result.title}`)];
  if (result.kind === 'map') return [...title, ...mapLines({ map: result, width, theme })];
  if (result.kind === 'table') return [...title, ...tableLines({ table: result, width, theme })];
  const { text, format, level } = result;
  if (format === 'markdown') {
    const markdown = new StreamingMarkdown({ theme });
    markdown.set(text);
    return [...title, ...markdown.render(width - 2).lines.map((line) => (line === '' ? '' : `  ${line}`))];
  }
  if (format === 'diff') return [...title, ...renderDiff({ diff: text, theme, width, most: 200 })];
  const style = level === 'error' ? theme.bad : level === 'warning' ? theme.warn : (plain: string) => plain;
  return [
    ...title,
    ...text
      .replace(/\n$/, '')
      .split('\n')
      .flatMap((line) => indented({ text: style(line), first: '  ', rest: '  ', width })),
  ];
}

function tableLines({
  table,
  width,
  theme,
}: {
  readonly table: ResultOf<'table'>;
  readonly width: number;
  readonly theme: Theme;
}): string[] {
  if (table.rows.length === 0)
    return indented({ text: table.empty, first: '  ', rest: '  ', width }).map((line) => theme.faint(line));
  const widths = table.columns.map((name, at) =>
    Math.max(name.length, ...table.rows.map((row) => row[at]?.length ?? 0)),
  );
  // The widest columns give way, until the others are as wide.
  const room = width - 2 - 2 * (widths.length - 1);
  const sum = () => widths.reduce((total, each) => total + each, 0);
  for (let at = widths.length * width; at > 0 && sum() > room; at -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = Math.max(8, (widths[widest] ?? 0) - 1);
  }
  const last = widths.length - 1;
  const row = (cells: readonly string[]) => {
    const fixed = cells
      .slice(0, last)
      .map((cell, at) => `${truncateToWidth(cell.replaceAll('\n', ' '), widths[at] ?? 8, '…', true)}  `);
    // The last column is a text; the others are names and numbers.
    const first = `  ${fixed.join('')}`;
    const text = (cells[last] ?? '').replaceAll('\n', ' ');
    return indented({ text, first, rest: ' '.repeat(visibleWidth(first)), width }).map((line) => line.trimEnd());
  };
  return [...row(table.columns).map((line) => theme.faint(line)), ...table.rows.flatMap(row)];
}

const kindOrder = [
  'system',
  'tools',
  'summary',
  'human',
  'model',
  'thinking',
  'toolCalls',
  'toolResults',
  'engine',
] as const;

/** The window as a map: one cell per share of it, colored by what fills it. */
function mapLines({
  map,
  width,
  theme,
}: {
  readonly map: ResultOf<'map'>;
  readonly width: number;
  readonly theme: Theme;
}): string[] {
  const columns = Math.min(60, width - 4);
  const rows = 6;
  const cells = columns * rows;
  const perCell = Math.max(1, map.window / cells);
  const drawn: string[] = [];
  let filled = 0;
  for (const { kind, tokens: amount } of map.segments) {
    filled += amount;
    const style = theme.kinds[kindOrder.indexOf(kind)] ?? theme.faint;
    while (drawn.length < Math.min(cells, Math.round(filled / perCell))) drawn.push(style('■'));
  }
  const threshold = Math.round(map.threshold / perCell);
  const reserve = cells - Math.round(map.reserve / perCell);
  while (drawn.length < cells)
    drawn.push(drawn.length === threshold ? theme.warn('┃') : theme.border(drawn.length >= reserve ? '░' : '·'));
  const picture = Array.from(
    { length: rows },
    (_, at) => `  ${drawn.slice(at * columns, (at + 1) * columns).join('')}`,
  );
  const share = (amount: number) => `${((100 * amount) / Math.max(1, map.window)).toFixed(1).padStart(5)} %`;
  const number = (amount: number) => amount.toLocaleString('en-US').padStart(9);
  const legend = map.segments.map(({ kind, label, tokens: amount, messages }) => {
    const style = theme.kinds[kindOrder.indexOf(kind)] ?? theme.faint;
    return truncateToWidth(
      `  ${style('■')} ${label.padEnd(24)} ${number(amount)} ${theme.faint(share(amount))}${messages > 0 ? theme.faint(`  ${messages} ${messages === 1 ? 'message' : 'messages'}`) : ''}`,
      width,
      '…',
    );
  });
  return [
    ...picture,
    '',
    ...legend,
    truncateToWidth(
      `    ${'used'.padEnd(24)} ${number(map.used)} ${theme.faint(share(map.used))}${theme.faint(`  at most ${map.bound.toLocaleString('en-US')}`)}`,
      width,
      '…',
    ),
    truncateToWidth(`  ${theme.warn('┃')} ${'compaction due at'.padEnd(24)} ${number(map.threshold)}`, width, '…'),
    truncateToWidth(`  ${theme.border('░')} ${'kept for the answer'.padEnd(24)} ${number(map.reserve)}`, width, '…'),
    ...(map.goesFirst.length === 0
      ? []
      : [
          '',
          theme.bold('  What a compaction would replace first'),
          ...map.goesFirst.flatMap((text) => indented({ text, first: '  · ', rest: '    ', width })),
        ]),
  ];
}

/**
 * A question with a few answers, above them what it is about.
 *
 * @example
 * new ConfirmDialog({ result, end });
 */
export class ConfirmDialog implements Overlay {
  readonly isFull: boolean;
  readonly #result: ResultOf<'confirm'>;
  readonly #end: DialogEnd;
  #chosen = 0;
  #top = 0;

  constructor(of: { readonly result: ResultOf<'confirm'>; readonly end: DialogEnd }) {
    this.#result = of.result;
    this.#end = of.end;
    // A long text below the conversation would push it off the screen.
    this.isFull = of.result.body.some((result) => result.kind !== 'text' || result.text.split('\n').length > 8);
  }

  draw({ width, rows, theme }: Room): Drawing {
    const { title, body, choices } = this.#result;
    const text = body.flatMap((result) => ['', ...resultLines({ result, width, theme })]);
    const room = Math.max(3, rows - choices.length - 4);
    this.#top = Math.max(0, Math.min(this.#top, text.length - room));
    const hidden = text.length - room;
    const shown = text.slice(this.#top, this.#top + room);
    const answers = choices.map(({ key, label }, at) => {
      const line = `  ${theme.bold(key)} ${label}`;
      return at === this.#chosen ? theme.chosen(`${line} `) : line;
    });
    const hint = `  Enter chooses · Esc closes${hidden > 0 ? ` · PageUp, PageDown: ${text.length} lines` : ''}`;
    return {
      lines: [
        rule({ width, style: theme.accent, title: theme.bold(` ${title} `) }),
        ...shown,
        '',
        ...answers,
        theme.faint(hint),
      ],
    };
  }

  press({ key, text }: KeyPress): void {
    const { choices } = this.#result;
    const typed = choices.find((choice) => choice.key === text);
    const action = actionFor({ context: 'list', key });
    if (typed || action === 'choose' || action === 'close') {
      // What asks waits for an answer: closing the question takes the last one.
      const choice = typed ?? (action === 'close' ? choices.at(-1) : choices[this.#chosen]);
      this.#end.close();
      if (choice) this.#end.follow(choice.run());
    } else if (action === 'next') this.#chosen = (this.#chosen + 1) % choices.length;
    else if (action === 'previous') this.#chosen = (this.#chosen + choices.length - 1) % choices.length;
    else if (action === 'pageNext') this.#top += 10;
    else if (action === 'pagePrevious') this.#top -= 10;
  }
}
