import { exitCodeOf } from '../errors/exit-codes.ts';
import { asLonghaulError } from '../errors/family.ts';
import { errorText } from '../errors/render.ts';
import type { Invocation } from '../invocation.ts';
import { callableOff } from '../io/abort-on-sigint.ts';
import type { Importer } from './importer.ts';
import { openSource } from './open-source.ts';
import { type Report, reportText } from './report.ts';

/**
 * Imports what was named, tells what came of each, and answers the exit code. One bad file among many does not keep the
 * others out; Ctrl-C does.
 *
 * @example
 * return await importAll({ invocation, importer, names: ['a.jsonl', '-'], isList: true, limit });
 */
export async function importAll({
  invocation: { io, json, paint },
  importer,
  names,
  isList,
  limit,
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json' | 'paint'>;
  readonly importer: Importer;
  readonly names: readonly string[];
  /** Whether the answer is a list, however many there are. */
  readonly isList: boolean;
  /** How much of standard input is taken. */
  readonly limit: number;
}): Promise<number> {
  if (!isList) {
    const { name, report } = await bringIn(names[0] ?? '');
    await io.stdout.write(json ? jsonText(report) : reportText({ name, report, paint: paint('stdout') }));
    return 0;
  }
  const reports: (Report | { readonly error: unknown })[] = [];
  let code = 0;
  for (const written of names) {
    try {
      const { name, report } = await bringIn(written);
      reports.push(report);
      if (!json) await io.stdout.write(reportText({ name, report, paint: paint('stdout') }));
    } catch (thrown) {
      const error = asLonghaulError(thrown);
      code = Math.max(code, exitCodeOf(error));
      reports.push({ error: error.toJSON() });
      if (!json) await io.stderr.write(errorText({ error, paint: paint('stderr') }));
      if (error.code === 'interrupted') break;
    }
  }
  if (json) await io.stdout.write(jsonText(reports));
  return code;

  async function bringIn(written: string): Promise<{ readonly name: string; readonly report: Report }> {
    const source = await openSource({ io, name: written, limit });
    const { report } = await callableOff({ io, work: (signal) => importer.bringIn({ source, signal }) });
    return { name: source.name, report };
  }
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
