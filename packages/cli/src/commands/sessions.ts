import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { createMask } from 'longhaul/engine';
import type { ListQuery, SessionSummary } from 'longhaul/session';
import { secretsOf } from '../agent/secrets-of.ts';
import { examplesHelp } from '../help.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import type { Io } from '../io/io.ts';
import { printResult } from '../output/print-result.ts';
import { sessionFacts } from '../session/facts.ts';
import { lastModel } from '../session/model-of.ts';
import { shortId } from '../session/short-id.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { noSessionsLine, withReadOnlyStore } from '../store/with-store.ts';
import { age } from '../text/age.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';
import { tableWidth } from '../text/width.ts';

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
    .description(
      'Lists the sessions of the store, most recently used first, each followed by the sessions of its sub-agents. The id shown is short; every command accepts it.',
    )
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
  const query: ListQuery = {
    sort: orderOf(options.sort),
    ...(text !== undefined && { text }),
    ...(options.here && { cwd: io.cwd }),
  };
  const limit =
    options.limit === undefined ? undefined : wholeNumber({ flag: '--limit', text: options.limit, least: 1 });
  return await withReadOnlyStore({
    invocation,
    work: async ({ store, dir }) => {
      const all = await store.list(query);
      const rows: SessionRow[] = [];
      for (const { session, depth } of nested({ sessions: all, limit })) {
        rows.push({
          depth,
          session: masked({ session, io }),
          model: await lastModel({ store, id: session.header.id }),
        });
      }
      await printResult({
        invocation,
        value: { sessions: rows.map(({ session, model }) => ({ ...sessionFacts(session), model: model ?? null })) },
        lines: () =>
          rows.length > 0
            ? listLines({ rows, all, paint: paint('stdout'), io })
            : [noneLine({ dir, isSearch: text !== undefined || options.here === true })],
      });
      return 0;
    },
  });
};

/** A session in the list. */
interface SessionRow {
  readonly session: SessionSummary;
  /** 0, or how many agents are above this sub-agent. */
  readonly depth: number;
  readonly model: string | undefined;
}

/** Titles come from the first message, names from the user or an import. */
function masked({ session, io }: { readonly session: SessionSummary; readonly io: Pick<Io, 'env'> }): SessionSummary {
  const mask = createMask({ values: secretsOf(io.env), salt: session.header.id });
  const { name, title } = session;
  return { ...session, ...(name && { name: mask(name) }), ...(title && { title: mask(title) }) };
}

/** The sessions in their order, each followed by those of its sub-agents. The limit does not count sub-agents. */
function* nested({
  sessions,
  limit = sessions.length,
}: {
  readonly sessions: readonly SessionSummary[];
  readonly limit: number | undefined;
}): Generator<{ readonly session: SessionSummary; readonly depth: number }> {
  const listed = new Set(sessions.map(({ header }) => header.id));
  const ownerOf = ({ header }: SessionSummary) => {
    const owner = header.owner?.session;
    return owner !== undefined && owner !== header.id && listed.has(owner) ? owner : undefined;
  };
  const parts = Map.groupBy(sessions, ownerOf);
  const waiting = (parts.get(undefined) ?? []).slice(0, limit).map((session) => ({ session, depth: 0 }));
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    yield next;
    const { depth, session } = next;
    // Oldest first: the order in which the agent started them.
    const own = (parts.get(session.header.id) ?? []).toSorted((a, b) => a.header.createdAt - b.header.createdAt);
    waiting.unshift(...own.map((part) => ({ session: part, depth: depth + 1 })));
  }
}

function listLines({
  rows,
  all,
  paint,
  io,
}: {
  readonly rows: readonly SessionRow[];
  readonly all: readonly SessionSummary[];
  readonly paint: Paint;
  readonly io: Pick<Io, 'stdout' | 'env' | 'now' | 'home'>;
}): string[] {
  const width = tableWidth(io);
  const ids = all.map(({ header }) => header.id);
  const now = io.now();
  const lines = rows.map(({ session: { header, name, title, messages, updatedAt }, depth, model = '' }) => [
    `${depth === 0 ? '' : `${'  '.repeat(depth - 1)}└ `}${paint.strong(shortId({ id: header.id, all: ids }))}`,
    age({ now, at: updatedAt }),
    String(messages),
    // Names of providers are in --json.
    ...(width < 80 ? [] : [printable(model.slice(model.indexOf('/') + 1)), printable(folderOf({ header, io }))]),
    printable(name ?? title ?? ''),
  ]);
  const heading = ['id', 'age', 'messages', ...(width < 80 ? [] : ['model', 'folder']), 'name or title'];
  return columns({ rows: [heading.map(paint.faint), ...lines], width });
}

function folderOf({
  header: { cwd = '' },
  io,
}: {
  readonly header: SessionSummary['header'];
  readonly io: Pick<Io, 'home'>;
}): string {
  return cwd === io.home || cwd.startsWith(`${io.home}/`) ? `~${cwd.slice(io.home.length)}` : cwd;
}

function noneLine({ dir, isSearch }: { readonly dir: string; readonly isSearch: boolean }): string {
  if (isSearch) return 'No session matches. Run `longhaul sessions` to list all.';
  return noSessionsLine({ dir });
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
