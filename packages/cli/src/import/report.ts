import type { FormatWarning, ImportFormat } from 'longhaul/formats';
import type { EntryCounts, SessionId } from 'longhaul/session';
import { shortId } from '../session/short-id.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

/** The result for one file; the JSON output, see docs/import.md. */
export interface ImportReport extends EntryCounts {
  readonly sessionId: SessionId;
  readonly format: ImportFormat;
  /** The number of new entries. */
  readonly added: number;
  /** All sessions of the file, the main one first, if there are several. */
  readonly sessions?: readonly SessionId[];
  /** Whether it was a dry run. */
  readonly dryRun?: true;
  readonly warnings: readonly FormatWarning[];
}

/** The text output. */
export function reportText({
  name,
  report,
  paint,
}: {
  readonly name: string;
  readonly report: ImportReport;
  readonly paint: Paint;
}): string {
  const { sessionId, format, warnings } = report;
  const lines = [
    `${printable(name)}: ${paint.good(verdictOf(report))}, ${format} session ${paint.strong(shortId({ id: sessionId }))} (${sizeText(report)})`,
    ...warnings.map((warning) => `  ${warningText({ warning, paint })}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** A warning on one line. */
function warningText({
  warning: { line, message },
  paint,
}: {
  readonly warning: FormatWarning;
  readonly paint: Paint;
}): string {
  return `${paint.faint(line === undefined ? 'note:' : `line ${line}:`)} ${printable(message)}`;
}

/** The size of an import in words. */
export function sizeText({
  sessions,
  messages,
  toolCalls,
  entries,
  tokens,
}: EntryCounts & Pick<ImportReport, 'sessions'>): string {
  return [
    ...(sessions ? [count({ amount: sessions.length, of: 'session' })] : []),
    count({ amount: messages, of: 'message' }),
    count({ amount: toolCalls, of: 'tool call' }),
    count({ amount: entries, of: 'entry' }),
    `${number(tokens)} tokens`,
  ].join(', ');
}

function verdictOf({ added, entries, dryRun }: ImportReport): string {
  if (added === 0) return entries === 0 ? 'empty so far' : 'already imported';
  if (added === entries) return dryRun ? 'would be imported' : 'imported';
  const fresh = count({ amount: added, of: 'new entry' });
  return dryRun ? `${fresh} would be imported` : fresh;
}
