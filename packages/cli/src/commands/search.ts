import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { secretsOf } from '../agent/secrets-of.ts';
import { examplesHelp } from '../help.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { searchStore } from '../session/search-store.ts';
import { shortId } from '../session/short-id.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { printable } from '../text/printable.ts';

interface SearchOptions {
  readonly session?: string;
  readonly limit?: string;
}

/** `longhaul search QUERY`. */
export function addSearchCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('search')
    .description('Full-text search in sessions; best matches first, each with its handle for recall.')
    .usage('[options] [--] QUERY')
    .argument('<QUERY...>', 'words; put words that begin with - after --')
    .option('--session <session>', 'only in this session')
    .option('--limit <n>', 'maximum number of results (default 20)');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul search unsigned char', 'in all sessions'],
        ['longhaul search --session last -- --no-verify', 'in one session, for a word with dashes'],
        ['longhaul recall last @12.2', 'then read a result'],
        ['longhaul search unsigned --json', 'as JSON'],
      ],
    })}`,
  );
  bind<SearchOptions>({ command, action: search });
}

const search: CommandAction<SearchOptions> = async (invocation) => {
  const { io, args, options, paint } = invocation;
  const text = args.join(' ').trim();
  if (text === '') throw emptyQuery();
  const limit = options.limit === undefined ? 20 : wholeNumber({ flag: '--limit', text: options.limit, least: 1 });
  return await withStore({
    invocation,
    work: async ({ store }) => {
      const session =
        options.session === undefined ? undefined : (await findSession({ store, wanted: options.session })).header.id;
      const results = await searchStore({ store, text, limit, session, secrets: secretsOf(io.env) });
      const { strong, faint } = paint('stdout');
      await printResult({
        invocation,
        value: { results },
        lines: () =>
          results.length === 0
            ? ['No results.']
            : results.map(
                (hit) =>
                  `${faint(shortId({ id: hit.session }))} ${strong(hit.handle)}  ${printable(oneLine(hit.snippet))}`,
              ),
      });
      return 0;
    },
  });
};

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function emptyQuery(): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: 'The query is empty.',
    hint: 'Give at least one word, e.g. `longhaul search unsigned char`.',
  });
}
