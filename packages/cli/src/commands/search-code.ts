import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { examplesHelp } from '../help.ts';
import { tokenCount } from '../input/token-count.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { createProgress } from '../output/progress.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { printable } from '../text/printable.ts';
import { indexFolderOf, openIndex } from '../workspace/code-index.ts';

interface SearchCodeOptions {
  readonly root?: string;
  readonly limit?: string;
  readonly budget?: string;
  readonly explain?: boolean;
  readonly embed?: boolean;
}

/** `longhaul search-code QUERY`. */
export function addSearchCodeCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('search-code')
    .description('Searches the code below a folder by words, identifiers and definitions; best matches first.')
    .usage('[options] [--] QUERY')
    .argument('<QUERY...>', 'a question or words; put words that begin with - after --')
    .option('--root <dir>', 'the folder to search (default: the current one)')
    .option('--limit <n>', 'maximum number of results (default 20)')
    .option('--budget <tokens>', 'maximum tokens of all results; a workspace that fits is listed completely')
    .option('--explain', 'print why each place was found')
    .option('--embed', 'first embed every chunk; without it only the best lexical matches are embedded');
  addSettingFlags({ command, keys: ['store.dir', 'workspace.embeddings'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul search-code where is the retry delay computed', 'a question'],
        ['longhaul search-code --root ../other --limit 5 -- parseCookie', 'an identifier, in another folder'],
        ['longhaul search-code --explain --json session lease', 'as JSON, with reasons'],
      ],
    })}\n\nThe first search of a folder builds an index in the store (code-index/), which can be deleted at any time.\nIgnored files, dependencies, binaries and files with secrets are skipped.`,
  );
  bind<SearchCodeOptions>({ command, action: searchCode });
}

const searchCode: CommandAction<SearchCodeOptions> = async (invocation) => {
  const { io, args, options, paint } = invocation;
  const query = args.join(' ').trim();
  if (query === '') {
    throw new LonghaulError({
      code: 'bad-usage',
      message: 'The query is empty.',
      hint: 'Give a question, e.g. `longhaul search-code where is the retry delay computed`.',
    });
  }
  const limit = options.limit === undefined ? 20 : wholeNumber({ flag: '--limit', text: options.limit, least: 1 });
  const budget =
    options.budget === undefined ? undefined : tokenCount({ flag: '--budget', text: options.budget, least: 250 });
  const resolved = await invocation.settings();
  const root = await realRoot(resolve(io.cwd, options.root ?? '.'));
  const { index, close } = await openIndex({ root, folder: indexFolderOf({ io, resolved }), values: resolved.values });
  const progress = createProgress({ io });
  const progressOf = (what: string) => ({
    onProgress: ({ done, total }: { readonly done: number; readonly total: number }) =>
      void progress.show(`${what} ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`),
  });
  try {
    const report = await index.refresh(progressOf('Indexing files:'));
    if (options.embed) await index.embed(progressOf('Embedding chunks:'));
    await progress.clear();
    const found = await index.search({ query, limit, ...(budget !== undefined && { budget }) });
    const { strong, faint } = paint('stdout');
    await printResult({
      invocation,
      value: { results: found.results, strategy: found.strategy, notes: found.notes, index: report },
      lines: () =>
        found.results.length === 0
          ? ['No results.']
          : found.results.map(({ path, startLine, endLine, score, reasons }) => {
              const why = options.explain ? faint(`  ${score.toFixed(2)}  ${reasons.join('; ')}`) : '';
              return `${strong(printable(path))}:${startLine}-${endLine}${why}`;
            }),
    });
    return 0;
  } finally {
    await progress.clear();
    await close();
  }
};

async function realRoot(path: string): Promise<string> {
  const facts = await stat(path).catch(() => undefined);
  if (facts?.isDirectory()) return await realpath(path);
  throw new LonghaulError({
    code: 'not-a-folder',
    message: facts ? `${path} is not a folder.` : `The folder ${path} does not exist.`,
    hint: 'Name the folder to search with --root.',
  });
}
