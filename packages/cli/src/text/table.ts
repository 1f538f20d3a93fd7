import { stripVTControlCharacters } from 'node:util';

/**
 * Rows as lines with aligned columns; the last column is not padded. Color codes have no width.
 *
 * @example
 * columns({ rows: [['a', 'bb'], ['ccc', 'd']] }); // ['a    bb', 'ccc  d']
 */
export function columns({
  rows,
  indent = '',
}: {
  readonly rows: readonly (readonly string[])[];
  readonly indent?: string;
}): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    });
  }
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const missing = (widths[column] ?? 0) - widthOf(cell);
      return column === row.length - 1 ? cell : cell + ' '.repeat(missing);
    });
    return (indent + cells.join('  ')).trimEnd();
  });
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
