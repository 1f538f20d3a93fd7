import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { createMask } from 'longhaul/engine';
import type { ListQuery, SessionSummary } from 'longhaul/session';
import { secretsOf } from '../agent/secrets-of.ts';
import { examplesHelp } from '../help.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { sessionFacts } from '../session/facts.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { withStore } from '../store/with-store.ts';
import { clip } from '../text/clip.ts';
import { count } from '../text/count.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';
import { when } from '../text/when.ts';

interface SessionsOptions {
  readonly sort?: string;
  readonly limit?: string;
  readonly here?: true;
}

const orders = ['updated', 'created', 'name', 'entries'] as const;

/** `longhaul sessions`. */
export function addSessionsCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('sessions')
    .description('Lists the sessions of the store, most recently used first.')
    .usage('[TEXT] [options]')
    .argument('[TEXT]', 'only sessions with this text in their name, folder or id')
    .option('--sort <by>', `${orders.join(', ')} (default updated)`)
    .option('--limit <n>', 'maximum number of sessions')
    .option('--here', 'only sessions of the current folder');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul sessions', 'newest first'],
        ['longhaul sessions arm64', 'with that text in name, folder or id'],
        ['longhaul sessions --sort entries --limit 5', 'the longest'],
        ['longhaul sessions --here --json', 'as JSON'],
      ],
    })}\n\nTo search the content of sessions, use \`longhaul search\`.`,
  );
  bind<SessionsOptions>({ command, action: listSessions });
}

const listSessions: CommandAction<SessionsOptions> = async (invocation) => {
  const { io, args, options, paint } = invocation;
  const [text] = args;
  const sort = orderOf(options.sort);
  const query: ListQuery = {
    sort,
    ...(text !== undefined && { text }),
    ...(options.limit !== undefined && { limit: wholeNumber({ flag: '--limit', text: options.limit, least: 1 }) }),
    ...(options.here && { cwd: io.cwd }),
  };
  return await withStore({
    invocation,
    work: async ({ store, dir }) => {
      const values = secretsOf(io.env);
      // Titles come from the first message, names from the user or an import.
      const sessions = (await store.list(query)).map((session) => {
        const mask = createMask({ values, salt: session.header.id });
        const { name, title } = session;
        return { ...session, ...(name && { name: mask(name) }), ...(title && { title: mask(title) }) };
      });
      await printResult({
        invocation,
        value: { sessions: sessions.map(sessionFacts) },
        lines: () =>
          sessions.length > 0
            ? listLines({ sessions, paint: paint('stdout'), width: io.stdout.columns })
            : [noneLine({ dir, isSearch: text !== undefined || options.here === true })],
      });
      return 0;
    },
  });
};

function listLines({
  sessions,
  paint,
  width,
}: {
  readonly sessions: readonly SessionSummary[];
  readonly paint: Paint;
  readonly width: number;
}): string[] {
  const rows = sessions.map(({ header, name, title, count: entries, updatedAt }) => [
    paint.strong(header.id),
    when(updatedAt),
    count({ amount: entries, of: 'entry' }),
    printable(clip({ text: name ?? title ?? '', length: Math.max(20, width - 75) })),
  ]);
  return columns({ rows });
}

function noneLine({ dir, isSearch }: { readonly dir: string; readonly isSearch: boolean }): string {
  if (isSearch) return 'No session matches. Run `longhaul sessions` to list all.';
  return `No sessions in ${printable(dir)} yet. Import one with \`longhaul import FILE\`.`;
}

function orderOf(written: string | undefined): (typeof orders)[number] {
  const found = orders.find((order) => order === (written ?? 'updated'));
  if (found) return found;
  throw new LonghaulError({
    code: 'bad-usage',
    message: `--sort must be one of ${orders.join(', ')}, not "${written}".`,
    hint: 'Run `longhaul sessions --help` for usage.',
  });
}
