import { extname } from 'node:path';
import { LonghaulError } from 'longhaul';
import { type ExportFormat, exportFormats } from 'longhaul/formats';
import { closest } from '../text/closest.ts';

/** What the ends of names say; `.json` is a request in the words of the session's own provider. */
const byEnding: ReadonlyMap<string, ExportFormat | 'request'> = new Map([
  ['.jsonl', 'longhaul'],
  ['.ndjson', 'longhaul'],
  ['.json', 'request'],
  ['.md', 'markdown'],
  ['.markdown', 'markdown'],
  ['.html', 'html'],
  ['.htm', 'html'],
]);

/**
 * The format to write: the one that was asked for, or else the one that the name of the file says.
 *
 * @example
 * chooseFormat({ written: undefined, output: 'session.html' }); // 'html'
 */
export function chooseFormat({
  written,
  output,
}: {
  readonly written: string | undefined;
  readonly output: string | undefined;
}): ExportFormat | 'request' {
  if (written === undefined) return byEnding.get(extname(output ?? '').toLowerCase()) ?? 'longhaul';
  const found = exportFormats.find((format) => format === written);
  if (found) return found;
  const near = closest({ word: written, candidates: exportFormats });
  throw new LonghaulError({
    code: 'unknown-format',
    message: `there is no format "${written}" to export to${near === undefined ? '.' : `; did you mean "${near}"?`}`,
    hint: `Use one of ${exportFormats.join(', ')}.`,
  });
}
