import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { type ImportFormat, importFormats } from 'longhaul/formats';
import { examplesHelp } from '../help.ts';
import { importAll } from '../import/import-all.ts';
import { createImporter } from '../import/importer.ts';
import { openLedger } from '../import/ledger.ts';
import { openSource } from '../import/open-source.ts';
import { watch } from '../import/watch.ts';
import type { Action, Bind } from '../invocation.ts';
import { agents } from '../scan/agents.ts';
import { scan } from '../scan/scan.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { lookIntoStore, withStore } from '../store/with-store.ts';
import { closest } from '../text/closest.ts';

interface ImportOptions {
  readonly format?: string;
  readonly dryRun?: true;
  readonly watch?: true;
  readonly scan?: true;
  readonly agent?: string;
  readonly all?: true;
}

/** `longhaul import FILE…` and `longhaul import --scan`. */
export function addImportCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('import')
    .summary('bring conversations and sessions of other agents into the store')
    .description(
      'Brings files into the store, each as a session. The same file is the same session: importing it again adds what is new in it, and nothing twice. The file itself is never changed.',
    )
    .usage('FILE… [options], or --scan [options]')
    .argument('[FILE...]', 'a session of any agent that is known, or messages (JSON or JSONL); - is standard input')
    .option('--format <format>', `${importFormats.join(', ')} (told from the content unless given)`)
    .option('--dry-run', 'tell what would be imported, and import nothing')
    .option('--watch', 'follow a session that is going on: import it again whenever it has grown, until Ctrl-C')
    .option('--scan', 'find the sessions of the agents on this machine, list them, and import what is chosen')
    .option('--agent <name>', `with --scan, only of this one: ${agents.map(({ name }) => name).join(', ')}`)
    .option('--all', 'with --scan, import all that are new or have grown');
  addSettingFlags({ command, keys: ['store.dir', 'limits.fileBytes', 'limits.lineBytes'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul import session.jsonl', 'the format is told from the content'],
        ['longhaul import --scan', 'the sessions of the agents here; asks which'],
        ['longhaul import --scan --agent codex --all', 'all of one agent'],
        ['longhaul import session.jsonl --watch', 'follow a session that is going on'],
        ['cat chat.json | longhaul import - --format anthropic', 'from a pipe'],
        ['longhaul import chat.json --json', 'for a program'],
      ],
    })}`,
  );
  bind<ImportOptions>({ command, action: importFiles });
}

const importFiles: Action<ImportOptions> = async (invocation) => {
  const { io, args, options } = invocation;
  refuseWishes({ args, options });
  const format = formatOf(options.format);
  const isDry = options.dryRun === true;
  const names = options.scan ? await scanned(invocation) : args;
  if (names.length === 0) return 0;
  return await (isDry ? lookIntoStore : withStore)({
    invocation,
    work: async (opened) => {
      const ledger = await openLedger({ io, dir: opened.dir });
      const importer = await createImporter({ io, opened, ledger, format, isDry });
      const limit = opened.values.limits.fileBytes;
      try {
        if (options.watch) {
          const source = await openSource({ io, name: names[0] ?? '', limit });
          return await watch({ invocation, importer, source });
        }
        const isList = options.scan === true || names.length > 1;
        return await importAll({ invocation, importer, names, isList, limit });
      } finally {
        await ledger.save();
      }
    },
  });
};

/** What of other agents is to be imported. */
async function scanned(invocation: Parameters<Action<ImportOptions>>[0]): Promise<readonly string[]> {
  const { io, options } = invocation;
  return await lookIntoStore({
    invocation,
    work: async (opened) => {
      const ledger = await openLedger({ io, dir: opened.dir });
      return await scan({ invocation, opened, ledger, wishes: { agent: options.agent, all: options.all === true } });
    },
  });
}

/** Refuses what makes no sense together. */
function refuseWishes({ args, options }: { readonly args: readonly string[]; readonly options: ImportOptions }): void {
  const { scan: isScan, watch: isWatch, dryRun, agent, all, format } = options;
  const [first, ...others] = args;
  if (first === undefined && !isScan) {
    throw new LonghaulError({
      code: 'missing-argument',
      message: 'no file was named.',
      hint: 'Name a file, or use --scan to find the sessions of the agents on this machine.',
    });
  }
  const objections: readonly (readonly [unknown, string])[] = [
    [isScan && first !== undefined, '--scan finds its files itself, and one was named.'],
    [isScan && isWatch, '--scan and --watch do not go together.'],
    [isScan && format !== undefined, '--scan knows the formats of what it finds, and --format was given.'],
    [!isScan && (agent !== undefined || all), '--agent and --all choose from what --scan finds, and it was not given.'],
    [isWatch && dryRun, '--watch and --dry-run do not go together.'],
    [isWatch && others.length > 0, '--watch follows one file, and several were named.'],
    [isWatch && first === '-', '--watch follows a file, and standard input is none.'],
  ];
  const [, message] = objections.find(([applies]) => applies) ?? [];
  if (message === undefined) return;
  throw new LonghaulError({ code: 'bad-usage', message, hint: 'Run `longhaul import --help` to see what it takes.' });
}

function formatOf(written: string | undefined): ImportFormat | undefined {
  if (written === undefined || written === 'auto') return undefined;
  const found = importFormats.find((format) => format === written);
  if (found) return found;
  const near = closest({ word: written, candidates: importFormats });
  throw new LonghaulError({
    code: 'unknown-format',
    message: `there is no format "${written}"${near === undefined ? '.' : `; did you mean "${near}"?`}`,
    hint: `Use one of ${importFormats.join(', ')}, or leave --format out.`,
  });
}
