import type { Command } from 'commander';
import { createEngine } from 'longhaul/engine';
import { addCounts, type EntryCounts, noCounts, type SessionSummary, type Store } from 'longhaul/session';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { createProgress, type ProgressLine } from '../output/progress.ts';
import { linkedTo } from '../session/linked.ts';
import { readLog } from '../session/read-log.ts';
import { shortId } from '../session/short-id.ts';
import { targetOf } from '../session/target.ts';
import { loadTokenCounter, type TokenCounter, type TokenKind, tokenKinds } from '../session/token-counter.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { createTally, type SessionStats } from '../stats/tally.ts';
import { noUsage, plusUsage } from '../stats/usage.ts';
import { findSession } from '../store/find-session.ts';
import { noSessionsLine, withStore } from '../store/with-store.ts';
import { bar } from '../text/bar.ts';
import { clip } from '../text/clip.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';
import { tableWidth } from '../text/width.ts';

const cells = 30;

/** Rows shown of a long list; --json has all. */
const most = 12;

const names: Readonly<Record<TokenKind, string>> = {
  human: 'user text',
  model: 'model text',
  thinking: 'thinking',
  toolCalls: 'tool calls',
  toolResults: 'tool results',
  engine: 'engine text',
};

/**
 * The text output: the counts, tokens as a chart, then tools, models, compactions and files.
 *
 * @example
 * await io.stdout.write(statsLines({ counted, paint, width: 80 }).join('\n'));
 */
function statsLines({
  counted,
  sessions,
  context,
  paint,
  width,
}: {
  readonly counted: SessionStats;
  /** How many sessions it is the sum of. */
  readonly sessions?: number;
  /** What the model is sent at the current position, as in `longhaul context`. */
  readonly context?: { readonly tokens: number; readonly bound: number; readonly window: number };
  readonly paint: Paint;
  readonly width: number;
}): string[] {
  const { kinds, tools, models, compactions, files } = counted;
  const section = (title: string, rows: readonly (readonly string[])[]) => sectionLines({ title, rows, paint, width });
  const kindRows = Object.entries(kinds).sort(([, a], [, b]) => b - a);
  return [
    ...columns({
      rows: [
        ...(sessions === undefined ? [] : [row('sessions', sessions)]),
        row('entries', counted.entries),
        ...kindRows.map(([kind, amount]) => row(`  ${kind}`, amount)),
        row('turns', counted.turns),
        row('messages', counted.messages),
        row('tool calls', counted.toolCalls),
        row('tool results', counted.toolResults),
        ...(counted.thinking === 0 ? [] : [row('thinking', counted.thinking)]),
        ...(counted.images === 0 ? [] : [row('images', counted.images)]),
        row('tokens in total', counted.tokens),
      ],
    }),
    ...(context
      ? [
          `sent to the model now: ${number(context.tokens)} of ${number(context.window)} tokens, at most ${number(context.bound)}`,
        ]
      : []),
    ...section('tokens', chartRows(counted)),
    ...section(
      'tools',
      tools.map(({ name, calls, errors }) => [
        printable(name),
        count({ amount: calls, of: 'call' }),
        errors === 0 ? '' : paint.bad(count({ amount: errors, of: 'error' })),
      ]),
    ),
    ...section('reported by models', modelRows({ models })),
    ...(counted.dollars === null ? [] : [`  ${money(counted.dollars)} in total, at today's prices`]),
    ...section(
      'compactions',
      compactions.map(({ handle, at, trigger, tokensBefore }) => [
        handle,
        at.slice(0, 16).replace('T', ' '),
        printable(trigger),
        `${number(tokensBefore)} tokens before`,
      ]),
    ),
    ...section(
      'files',
      files.map(({ path, reads, writes }) => [
        writes === 0 ? '' : `${number(writes)} changed`,
        reads === 0 ? '' : `${number(reads)} read`,
        printable(path),
      ]),
    ),
  ];
}

/** A session of a sub-agent. */
interface Linked extends SessionStats {
  readonly session: string;
  /** The session it belongs to. */
  readonly owner: string | null;
  /** The tool call that started it. */
  readonly call: string | null;
  readonly name: string | null;
}

/** The sessions of sub-agents, one line each, and the sum. */
function linkedLines({
  linked,
  total,
  paint,
  width,
}: {
  readonly linked: readonly Linked[];
  readonly total: StatsSum;
  readonly paint: Paint;
  readonly width: number;
}): string[] {
  const amounts = ({ messages, toolCalls, tokens, dollars }: StatsSum) => [
    count({ amount: messages, of: 'message' }),
    count({ amount: toolCalls, of: 'tool call' }),
    `${number(tokens)} tokens`,
    dollars === null ? '' : money(dollars),
  ];
  const rows = linked.map((part) => [
    shortId({ id: part.session }),
    ...amounts(part),
    printable(clip({ text: part.name ?? '', length: 40 })),
  ]);
  return [
    ...sectionLines({ title: 'sub-agents', rows, paint, width }),
    '',
    `${paint.strong('in total')}  ${amounts(total).join(', ').replace(/, $/, '')}`,
  ];
}

function sectionLines({
  title,
  rows,
  paint,
  width,
}: {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
  readonly paint: Paint;
  readonly width: number;
}): string[] {
  if (rows.length === 0) return [];
  const more = rows.length <= most ? [] : [paint.faint(`  … ${rows.length - most} more: --json`)];
  return ['', paint.strong(title), ...columns({ rows: rows.slice(0, most), indent: '  ', width }), ...more];
}

function row(name: string, amount: number): readonly [string, string] {
  return [name, number(amount).padStart(12)];
}

function chartRows({ tokensByKind, tokens }: SessionStats): string[][] {
  const largest = Math.max(1, ...Object.values(tokensByKind));
  return tokenKinds
    .filter((kind) => tokensByKind[kind] > 0)
    .map((kind) => [
      names[kind],
      bar({ share: tokensByKind[kind] / largest, cells }),
      number(tokensByKind[kind]).padStart(number(largest).length),
      `${((tokensByKind[kind] / tokens) * 100).toFixed(1)} %`.padStart(7),
    ]);
}

function modelRows({ models }: Pick<SessionStats, 'models'>): string[][] {
  return models.map(({ provider, name, calls, usage, dollars }) => [
    printable(`${provider}/${name}`),
    count({ amount: calls, of: 'call' }),
    `input ${number(usage.input)}, cache read ${number(usage.cacheRead)}, cache write ${number(usage.cacheWrite)}, output ${number(usage.output)}`,
    dollars === null ? '' : money(dollars),
  ]);
}

function money(dollars: number): string {
  return `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`;
}

/** `longhaul stats [SESSION]`. */
export function addStatsCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('stats')
    .description(
      'Counts what is in the store, or in one session with its sub-agents: turns, entries by kind, tools and their failures, tokens by kind, compactions, model usage and cost, files read and changed.',
    )
    .usage('[SESSION]')
    .argument('[SESSION]', `only this session: ${sessionArgument}`);
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul stats', 'the whole store'],
        ['longhaul stats last', 'one session with its sub-agents'],
        ['longhaul stats last --json', 'as JSON'],
      ],
    })}`,
  );
  bind({ command, action: stats });
}

const stats: CommandAction<object> = async (invocation) => {
  const { io, args, paint } = invocation;
  return await withStore({
    invocation,
    work: async ({ store, values, dir }) => {
      const [wanted] = args;
      const progress = createProgress({ io });
      const counting = { store, tokens: await loadTokenCounter(), progress };
      if (wanted === undefined) {
        const all = await store.list();
        const counted = await countSessions({ ...counting, sessions: all });
        await progress.clear();
        await printResult({
          invocation,
          value: { sessions: all.length, ...counted },
          fits: true,
          lines: () =>
            all.length === 0
              ? [noSessionsLine({ dir })]
              : statsLines({ counted, sessions: all.length, paint: paint('stdout'), width: tableWidth(io) }),
        });
        return 0;
      }
      const own = await findSession({ store, wanted });
      const counted = await countSessions({ ...counting, sessions: [own] });
      const linked: Linked[] = [];
      for (const part of await partsOf({ store, of: own })) {
        linked.push({ ...aboutPart(part), ...(await countSessions({ ...counting, sessions: [part] })) });
      }
      await progress.clear();
      const total = sumOf([counted, ...linked]);
      const session = await (await createEngine({ store, clock: { now: io.now } })).open(own.header.id);
      const { snapshot } = await session.size(await targetOf({ session, settings: values, window: undefined }));
      const context = { tokens: snapshot.used, bound: snapshot.bound, window: snapshot.window };
      await printResult({
        invocation,
        value: { session: own.header.id, ...counted, context, linked, total },
        fits: true,
        lines: () => [
          ...statsLines({ counted, context, paint: paint('stdout'), width: tableWidth(io) }),
          ...(linked.length === 0 ? [] : linkedLines({ linked, total, paint: paint('stdout'), width: tableWidth(io) })),
        ],
      });
      return 0;
    },
  });
};

async function countSessions({
  store,
  tokens,
  progress,
  sessions,
}: {
  readonly store: Store;
  readonly tokens: TokenCounter;
  readonly progress: ProgressLine;
  readonly sessions: readonly SessionSummary[];
}): Promise<SessionStats> {
  const tally = createTally(tokens);
  let read = 0;
  for (const { header } of sessions) {
    for await (const entry of readLog({ store, session: header.id })) {
      tally.take({ header, entry });
      read += 1;
      if (read % 1000 === 0) await progress.show(`${number(read)} entries`);
    }
  }
  return tally.counted();
}

/** The sessions of sub-agents, recursively. */
async function partsOf({
  store,
  of,
}: {
  readonly store: Store;
  readonly of: SessionSummary;
}): Promise<SessionSummary[]> {
  const all = await store.list({ sort: 'created' });
  const linked = linkedTo({ sessions: [of.header.id], all });
  return all.filter(({ header }) => header.id !== of.header.id && linked.has(header.id)).reverse();
}

function aboutPart({ header, name, title }: SessionSummary) {
  const { session = null, call = null } = header.owner ?? {};
  return { session: header.id, owner: session, call, name: name ?? title ?? null };
}

/** Counts that can be summed over sessions. */
type StatsSum = EntryCounts & Pick<SessionStats, 'turns' | 'tokensByKind' | 'usage' | 'dollars'>;

/**
 * The counts of a session and its sub-agents as one.
 *
 * @example
 * sumOf([session, subAgent]).tokens;
 */
function sumOf(all: readonly SessionStats[]): StatsSum {
  const tokens = (kind: TokenKind) => all.reduce((sum, { tokensByKind }) => sum + tokensByKind[kind], 0);
  const priced = all.flatMap(({ dollars }) => dollars ?? []);
  return {
    ...all.reduce<EntryCounts>(addCounts, noCounts),
    turns: all.reduce((sum, { turns }) => sum + turns, 0),
    tokensByKind: Object.fromEntries(tokenKinds.map((kind) => [kind, tokens(kind)])) as Record<TokenKind, number>,
    usage: all.map(({ usage }) => usage).reduce(plusUsage, noUsage),
    dollars: priced.length === 0 ? null : priced.reduce((a, b) => a + b),
  };
}
