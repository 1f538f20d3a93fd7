import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { type Exported, type ExportFormat, exportFormats, exportSession } from 'longhaul/session';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';
import { lookAtDestination } from '../output/destination.ts';
import { createProgress } from '../output/progress.ts';
import { writeWhole } from '../output/write-whole.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import { printable } from '../text/printable.ts';

interface ExportOptions {
  readonly format?: string;
  readonly output?: string;
  readonly force?: true;
}

/** `longhaul export SESSION`. */
export function addExportCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('export')
    .summary('write a session as a file, ours or pi’s')
    .description(
      'Writes a session as JSON lines: in our own format, which import gives back as it was, or as a session of pi that pi opens at the same place.',
    )
    .usage('SESSION [options]')
    .argument('<SESSION>', 'its id, the beginning of its id, its name, or last')
    .option('--format <format>', `${exportFormats.join(', ')} (default longhaul)`)
    .option('--output <file>', 'write to this file, whole or not at all; otherwise to standard output')
    .option('--force', 'let --output replace a file that exists');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul export last --output backup.jsonl', 'a copy that import gives back'],
        ['longhaul export last --format pi > session.jsonl', 'go on in pi'],
      ],
    })}`,
  );
  bind<ExportOptions>({ command, action: exportOne });
}

const exportOne: Action<ExportOptions> = async (invocation) => {
  const { io, args, options, json, paint } = invocation;
  const format = formatOf(options.format);
  return await withStore({
    invocation,
    work: async ({ store }) => {
      const { header } = await findSession({ store, wanted: args[0] ?? '' });
      const { output } = options;
      const toFile = output !== undefined && output !== '-';
      const destination = toFile
        ? await lookAtDestination({ io, output, input: undefined, force: options.force === true })
        : undefined;
      const exported = await exportSession({ store, session: header.id, format });
      const progress = createProgress({ io });
      let lines = 0;
      const text = linesOf({
        exported,
        onLine: () => {
          lines += 1;
          if (lines % 1000 === 0) void progress.show(`${number(lines)} lines`);
        },
      });
      if (destination) {
        await writeWhole({ io, ...destination, text });
        await progress.clear();
        const value = { sessionId: header.id, format, output: destination.name, lines, warnings: exported.warnings };
        const name = paint('stdout').strong(printable(destination.name));
        const told = `${header.id} is in ${name} (${count({ amount: lines, of: 'line' })})`;
        await io.stdout.write(json ? `${JSON.stringify(value, undefined, 2)}\n` : `${told}\n`);
      } else if (json) {
        const all = await Array.fromAsync(exported.lines);
        const value = { sessionId: header.id, format, lines: all, warnings: exported.warnings };
        await io.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
      } else {
        for await (const line of text) await io.stdout.write(line);
        await progress.clear();
      }
      if (!json) for (const { message } of exported.warnings) await io.stderr.write(`note: ${printable(message)}\n`);
      return 0;
    },
  });
};

async function* linesOf({
  exported,
  onLine,
}: {
  readonly exported: Exported;
  readonly onLine: () => void;
}): AsyncGenerator<string> {
  for await (const line of exported.lines) {
    onLine();
    yield `${JSON.stringify(line)}\n`;
  }
}

function formatOf(written: string | undefined): ExportFormat {
  const found = exportFormats.find((format) => format === (written ?? 'longhaul'));
  if (found) return found;
  throw new LonghaulError({
    code: 'unknown-format',
    cause: `there is no format "${written}" to export to.`,
    next: `Use one of ${exportFormats.join(', ')}.`,
  });
}
