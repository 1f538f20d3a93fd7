import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { examplesHelp } from '../help.ts';
import { tokenCount } from '../input/token-count.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Action, Bind } from '../invocation.ts';
import { answer } from '../output/answer.ts';
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
    .summary('find the code that a question is about')
    .description('Finds places in the code below a folder by words, identifiers and definitions: the best first.')
    .usage('[options] [--] QUERY')
    .argument('<QUERY...>', 'a question or words; what begins with a - goes after --')
    .option('--root <dir>', 'the folder to search (default: here)')
    .option('--limit <n>', 'at most so many places (default 20)')
    .option('--budget <tokens>', 'at most so many tokens in all; a workspace that fits is listed whole')
    .option('--explain', 'say why each place was found')
    .option('--embed', 'first give every chunk a vector; without it only the best lexical ones get theirs');
  addSettingFlags({ command, keys: ['store.dir', 'workspace.embeddings'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul search-code where is the retry delay computed', 'a question in words'],
        ['longhaul search-code --root ../other --limit 5 -- parseCookie', 'an identifier, elsewhere'],
        ['longhaul search-code --explain --json session lease', 'for a program, with reasons'],
      ],
    })}\n\nThe first search of a folder makes an index in the store (code-index/), which may be deleted at any time.\nIgnored files, dependencies, binaries and files with secrets are left out.`,
  );
  bind<SearchCodeOptions>({ command, action: searchCode });
}

const searchCode: Action<SearchCodeOptions> = async (invocation) => {
  const { io, args, options, paint } = invocation;
  const query = args.join(' ').trim();
  if (query === '') {
    throw new LonghaulError({
      code: 'bad-usage',
      message: 'there is nothing to search for.',
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
  const tell = (what: string) => ({
    onProgress: ({ done, total }: { readonly done: number; readonly total: number }) =>
      void progress.show(`${what} ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`),
  });
  try {
    const report = await index.refresh(tell('Indexing files:'));
    if (options.embed) await index.embed(tell('Embedding chunks:'));
    await progress.clear();
    const found = await index.search({ query, limit, ...(budget !== undefined && { budget }) });
    const { strong, faint } = paint('stdout');
    await answer({
      invocation,
      value: { results: found.results, strategy: found.strategy, notes: found.notes, index: report },
      lines: () =>
        found.results.length === 0
          ? ['Nothing was found.']
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
    message: facts ? `${path} is not a folder.` : `There is no folder ${path}.`,
    hint: 'Name the folder to search with --root.',
  });
}
