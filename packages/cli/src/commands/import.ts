import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { type FormatWarning, type ImportFormat, importFormats } from 'longhaul/session';
import { exitCodeOf } from '../errors/exit-codes.ts';
import { asLonghaulError } from '../errors/family.ts';
import { errorText } from '../errors/render.ts';
import { examplesHelp } from '../help.ts';
import { importFile } from '../import/import-file.ts';
import type { Action, Bind } from '../invocation.ts';
import { createProgress } from '../output/progress.ts';
import { loadTokenCounter } from '../session/token-counter.ts';
import { type Totals, totalsOf } from '../session/totals.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { type Opened, withStore } from '../store/with-store.ts';
import { closest } from '../text/closest.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

interface ImportOptions {
  readonly format?: string;
}

/** What came of one file, for a program; the shape is described in docs/sessions.md. */
interface Report extends Totals {
  readonly sessionId: string;
  readonly format: ImportFormat;
  readonly warnings: readonly FormatWarning[];
}

/** What came of one file, and how much of it is new. */
interface Outcome {
  readonly report: Report;
  readonly added: number;
}

/** `longhaul import FILE…`. */
export function addImportCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('import')
    .summary('bring conversations and sessions of other agents into the store')
    .description(
      'Brings files into the store, each as a session. The same file is the same session: importing it again adds what is new in it, and nothing twice. The file itself is never changed.',
    )
    .usage('FILE… [options]')
    .argument('<FILE...>', 'a session of Longhaul or pi (JSON lines), or messages (JSON or JSONL); - is standard input')
    .option('--format <format>', `${importFormats.join(', ')} (told from the content unless given)`);
  addSettingFlags({ command, keys: ['store.dir', 'limits.fileBytes', 'limits.lineBytes'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul import session.jsonl', 'the format is told from the content'],
        ['longhaul import ~/.pi/agent/sessions/*/*.jsonl', 'all sessions of pi'],
        ['cat chat.json | longhaul import - --format anthropic', 'from a pipe'],
        ['longhaul import chat.json --json', 'for a program'],
      ],
    })}`,
  );
  bind<ImportOptions>({ command, action: importFiles });
}

const importFiles: Action<ImportOptions> = async (invocation) => {
  const { io, args, options, json, paint } = invocation;
  const format = formatOf(options.format);
  return await withStore({
    invocation,
    work: async (opened) => {
      const bringIn = (name: string) => importOne({ invocation, opened, name, format });
      const [only, ...others] = args;
      if (only !== undefined && others.length === 0) {
        const outcome = await bringIn(only);
        const text = json
          ? `${JSON.stringify(outcome.report, undefined, 2)}\n`
          : outcomeText({ name: only, outcome, paint: paint('stdout') });
        await io.stdout.write(text);
        return 0;
      }
      // One bad file among many does not keep the others out.
      const reports: (Report | { readonly error: unknown })[] = [];
      let code = 0;
      for (const name of args) {
        try {
          const outcome = await bringIn(name);
          reports.push(outcome.report);
          if (!json) await io.stdout.write(outcomeText({ name, outcome, paint: paint('stdout') }));
        } catch (thrown) {
          const error = asLonghaulError(thrown);
          code = Math.max(code, exitCodeOf(error));
          reports.push({ error: error.toJSON() });
          if (!json) await io.stderr.write(errorText({ error, paint: paint('stderr') }));
        }
      }
      if (json) await io.stdout.write(`${JSON.stringify(reports, undefined, 2)}\n`);
      return code;
    },
  });
};

async function importOne({
  invocation,
  opened,
  name,
  format,
}: {
  readonly invocation: Parameters<Action<ImportOptions>>[0];
  readonly opened: Opened;
  readonly name: string;
  readonly format: ImportFormat | undefined;
}): Promise<Outcome> {
  const { io } = invocation;
  const { store, values } = opened;
  const progress = createProgress({ io });
  try {
    const {
      session,
      format: found,
      added,
      warnings,
    } = await importFile({
      io,
      store,
      name,
      format,
      limits: values.limits,
      onProgress: (entries) => void progress.show(`${printable(name)}: ${number(entries)} entries`),
    });
    const totals = await totalsOf({
      store,
      session,
      countTokens: await loadTokenCounter(),
      onProgress: (entries) => progress.show(`${printable(name)}: ${number(entries)} entries counted`),
    });
    return { report: { sessionId: session, format: found, ...totals, warnings }, added };
  } finally {
    await progress.clear();
  }
}

function outcomeText({
  name,
  outcome: { report, added },
  paint,
}: {
  readonly name: string;
  readonly outcome: Outcome;
  readonly paint: Paint;
}): string {
  const { sessionId, format, entries, messages, toolCalls, tokens, warnings } = report;
  const size = [
    count({ amount: messages, of: 'message' }),
    count({ amount: toolCalls, of: 'tool call' }),
    count({ amount: entries, of: 'entry' }),
    `${number(tokens)} tokens`,
  ];
  const verdict =
    added === entries ? 'imported' : added === 0 ? 'already there' : `${count({ amount: added, of: 'new entry' })}`;
  const shown = printable(name === '-' ? 'standard input' : name);
  const lines = [
    `${shown}: ${paint.good(verdict)}, ${format} session ${paint.strong(sessionId)} (${size.join(', ')})`,
    ...warnings.map(({ line, message }) => {
      const place = paint.faint(line === undefined ? 'note:' : `line ${line}:`);
      return `  ${place} ${printable(message)}`;
    }),
  ];
  return `${lines.join('\n')}\n`;
}

function formatOf(written: string | undefined): ImportFormat | undefined {
  if (written === undefined || written === 'auto') return undefined;
  const found = importFormats.find((format) => format === written);
  if (found) return found;
  const near = closest({ word: written, candidates: importFormats });
  throw new LonghaulError({
    code: 'unknown-format',
    cause: `there is no format "${written}"${near === undefined ? '.' : `; did you mean "${near}"?`}`,
    next: `Use one of ${importFormats.join(', ')}, or leave --format out.`,
  });
}
