import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { type ImportFormat, importFormats } from 'longhaul/session';
import { examplesHelp } from '../help.ts';
import { importAll } from '../import/import-all.ts';
import { createImporter } from '../import/importer.ts';
import { openLedger } from '../import/ledger.ts';
import type { Action, Bind } from '../invocation.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { lookIntoStore, withStore } from '../store/with-store.ts';
import { closest } from '../text/closest.ts';

interface ImportOptions {
  readonly format?: string;
  readonly dryRun?: true;
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
    .argument('<FILE...>', 'a session of any agent that is known, or messages (JSON or JSONL); - is standard input')
    .option('--format <format>', `${importFormats.join(', ')} (told from the content unless given)`)
    .option('--dry-run', 'tell what would be imported, and import nothing');
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
  const { io, args, options } = invocation;
  const format = formatOf(options.format);
  const isDry = options.dryRun === true;
  return await (isDry ? lookIntoStore : withStore)({
    invocation,
    work: async (opened) => {
      const ledger = await openLedger({ io, dir: opened.dir });
      const importer = await createImporter({ io, opened, ledger, format, isDry });
      try {
        return await importAll({ invocation, importer, names: args, limit: opened.values.limits.fileBytes });
      } finally {
        await ledger.save();
      }
    },
  });
};

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
