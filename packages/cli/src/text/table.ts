import { stripVTControlCharacters } from 'node:util';

/** Columns are not narrowed below this many characters. */
const narrowest = 8;

/**
 * Rows as lines with aligned columns; the last column is not padded. Color codes have no width. With `width`, the widest
 * columns are cut until the lines fit.
 *
 * @example
 * columns({ rows: [['a', 'bb'], ['ccc', 'd']] }); // ['a    bb', 'ccc  d']
 */
export function columns({
  rows,
  indent = '',
  width = Number.POSITIVE_INFINITY,
}: {
  readonly rows: readonly (readonly string[])[];
  readonly indent?: string;
  readonly width?: number;
}): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    });
  }
  narrow({ widths, most: width - indent.length });
  return rows.map((row) => {
    const cells = row.map((whole, column) => {
      const cell = cut({ cell: whole, width: widths[column] ?? 0 });
      return column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell));
    });
    return (indent + cells.join('  ')).trimEnd();
  });
}

/** Text that follows a wide gap moves to a line of its own, indented by this much more. */
const hanging = 4;

/**
 * Lines that fit a width: what is too long continues on the next line. A term with its explanation, two or more blanks
 * apart, becomes two lines. Nothing is cut; words longer than a line stay whole.
 *
 * @example
 * fitLines({ lines: ['  --force  let --output replace a file'], width: 24 });
 */
export function fitLines({ lines, width }: { readonly lines: readonly string[]; readonly width: number }): string[] {
  return lines.flatMap((line) => {
    if (widthOf(line) <= width) return [line];
    const [indent = ''] = /^ */.exec(line) ?? [];
    const [, term, rest] = /^( *\S(?:.*?\S)?) {2,}(\S.*)$/.exec(line) ?? [];
    if (term === undefined || rest === undefined) return wrapped({ text: line.trimStart(), indent, width });
    const below = ' '.repeat(indent.length + hanging);
    return [...wrapped({ text: term.trimStart(), indent, width }), ...wrapped({ text: rest, indent: below, width })];
  });
}

function wrapped(of: { readonly text: string; readonly indent: string; readonly width: number }): string[] {
  const { text, indent, width } = of;
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(/ +/)) {
    const isFirst = line.length === indent.length;
    if (!isFirst && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = indent + word;
    } else line += isFirst ? word : ` ${word}`;
  }
  return [...lines, line];
}

/** Takes characters from the widest column until all columns fit. */
function narrow({ widths, most }: { readonly widths: number[]; readonly most: number }): void {
  const total = () => widths.reduce((sum, width) => sum + width + 2, -2);
  while (total() > most) {
    const widest = Math.max(...widths);
    if (widest <= narrowest) return;
    widths[widths.lastIndexOf(widest)] = widest - 1;
  }
}

/** Color codes as the terminal reads them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a color code.
const colorCode = /\u001b\[[\d;]{0,20}m/y;

/** The start of a cell with an ellipsis where it was cut. Color codes are kept, so that a color ends where it should. */
function cut({ cell, width }: { readonly cell: string; readonly width: number }): string {
  if (widthOf(cell) <= width) return cell;
  let shown = '';
  let length = 0;
  for (let at = 0; at < cell.length; ) {
    colorCode.lastIndex = at;
    const [code] = colorCode.exec(cell) ?? [];
    const piece = code ?? String.fromCodePoint(cell.codePointAt(at) ?? 0);
    at += piece.length;
    if (code !== undefined) shown += code;
    else if (length + piece.length < width) {
      shown += piece;
      length += piece.length;
    } else if (length < width) {
      shown += '…';
      length = width;
    }
  }
  return shown;
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
