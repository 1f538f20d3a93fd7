import type { Dialect, Problem } from 'longhaul/message';
import { count } from '../text/count.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';
import type { Copy } from './copy.ts';

/** What was found out about a conversation, and what was done. */
export interface Report extends Partial<Copy> {
  /** As the person wrote it. */
  readonly file: string;
  /** The dialect it is written in. */
  readonly dialect: Dialect;
  /** Whose rules were applied. */
  readonly provider: Dialect;
  readonly messages: number;
  readonly problems: readonly Problem[];
}

/** The report for a program; the shape is described in docs/cli.md. */
export function reportJson({ report }: { readonly report: Report }): string {
  const { file, dialect, provider, messages, problems, ...copy } = report;
  const legal = problems.length === 0;
  return `${JSON.stringify({ file, dialect, provider, legal, messages, problems, ...copy }, undefined, 2)}\n`;
}

/** The report for a person. */
export function reportText({
  report,
  paint,
  repairable = false,
}: {
  readonly report: Report;
  readonly paint: Paint;
  /** Whether a legal copy could be made, where none was asked for. */
  readonly repairable?: boolean;
}): string {
  const lines = [verdictLine({ report, paint }), ...placeLines({ items: report.problems, paint, indent: '  ' })];
  if (report.repairs) lines.push(...copyLines({ repairs: report.repairs, output: report.output, paint }));
  else if (repairable) lines.push(paint.faint('Run it again with --repair to get a legal copy.'));
  return `${lines.join('\n')}\n`;
}

function verdictLine({ report, paint }: { readonly report: Report; readonly paint: Paint }): string {
  const { file, dialect, provider, messages, problems } = report;
  const name = paint.strong(printable(file === '-' ? 'standard input' : file));
  const size = count({ amount: messages, of: 'message' });
  const facts = dialect === provider ? size : `${size}, written as ${dialect}`;
  if (problems.length === 0) return `${name}: ${paint.good(`legal for ${provider}`)} (${facts})`;
  const found = count({ amount: problems.length, of: 'problem' });
  return `${name}: ${paint.bad(`not legal for ${provider}`)}, ${found} (${facts})`;
}

function copyLines({
  repairs,
  output,
  paint,
}: {
  readonly repairs: Copy['repairs'];
  readonly output: string | undefined;
  readonly paint: Paint;
}): string[] {
  const heading = repairs.length === 0 ? 'nothing to repair' : `${count({ amount: repairs.length, of: 'repair' })}:`;
  const where =
    output === undefined
      ? paint.good('the copy is legal')
      : `${paint.good('a legal copy is in')} ${paint.strong(printable(output))}`;
  return [heading, ...placeLines({ items: repairs, paint, indent: '  ' }), where];
}

/**
 * One line for each thing that was found or done, with its place in front, counted from 0 as programs do.
 *
 * @example
 * placeLines({ items: problems, paint, indent: '  ' }); // ['  message 3, part 1  The call …']
 */
function placeLines({
  items,
  paint,
  indent,
}: {
  readonly items: readonly Pick<Problem, 'at' | 'message'>[];
  readonly paint: Paint;
  readonly indent: string;
}): string[] {
  const rows = items.map(({ at, message }) => [
    paint.faint(at.part === undefined ? `message ${at.message}` : `message ${at.message}, part ${at.part}`),
    printable(message),
  ]);
  return columns({ rows, indent });
}
