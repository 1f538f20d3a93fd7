import type { Command } from 'commander';
import type { Entry } from 'longhaul/session';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';
import { answer } from '../output/answer.ts';
import { createProgress } from '../output/progress.ts';
import { readLog } from '../session/read-log.ts';
import { loadTokenCounter } from '../session/token-counter.ts';
import { type Totals, totalsOf } from '../session/totals.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { type Opened, withStore } from '../store/with-store.ts';
import { number } from '../text/number.ts';
import { columns } from '../text/table.ts';

/** `longhaul stats [SESSION]`. */
export function addStatsCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('stats')
    .summary('how much is in the store, or in a session')
    .description(
      'Counts what is in the store, or in one session: entries by kind, tool calls, tokens, what models used.',
    )
    .usage('[SESSION]')
    .argument('[SESSION]', 'only this one: its id, the beginning of its id, its name, or last');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul stats', 'the whole store'],
        ['longhaul stats last --json', 'one session, for a program'],
      ],
    })}`,
  );
  bind({ command, action: stats });
}

interface Counted extends Totals {
  readonly kinds: Readonly<Record<string, number>>;
  readonly usage: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
}

const stats: Action<object> = async (invocation) => {
  const { io, args } = invocation;
  return await withStore({
    invocation,
    work: async (opened) => {
      const { store } = opened;
      const [wanted] = args;
      const found = wanted === undefined ? await store.list() : [await findSession({ store, wanted })];
      const ids = found.map(({ header }) => header.id);
      const progress = createProgress({ io });
      const counted = await countAll({
        opened,
        ids,
        onProgress: (entries) => progress.show(`${number(entries)} entries`),
      });
      await progress.clear();
      const value = wanted === undefined ? { sessions: ids.length, ...counted } : { session: ids[0], ...counted };
      await answer({
        invocation,
        value,
        lines: () => statsLines({ counted, sessions: wanted === undefined ? ids.length : undefined }),
      });
      return 0;
    },
  });
};

async function countAll({
  opened: { store },
  ids,
  onProgress,
}: {
  readonly opened: Opened;
  readonly ids: readonly string[];
  readonly onProgress: (entries: number) => Promise<void>;
}): Promise<Counted> {
  const countTokens = await loadTokenCounter();
  const kinds: Record<string, number> = {};
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const sum = { entries: 0, messages: 0, toolCalls: 0, toolResults: 0, tokens: 0 };
  for (const session of ids) {
    const totals = await totalsOf({ store, session, countTokens, isAlone: true });
    for (const key of Object.keys(sum) as (keyof Totals)[]) sum[key] += totals[key];
    for await (const entry of readLog({ store, session })) note({ entry, kinds, usage });
    await onProgress(sum.entries);
  }
  return { ...sum, kinds, usage };
}

function note(of: {
  readonly entry: Entry;
  readonly kinds: Record<string, number>;
  readonly usage: { -readonly [K in keyof Counted['usage']]: number };
}): void {
  const { entry, kinds, usage } = of;
  kinds[entry.type] = (kinds[entry.type] ?? 0) + 1;
  if (entry.type !== 'usage') return;
  usage.input += entry.usage.input;
  usage.output += entry.usage.output;
  usage.cacheRead += entry.usage.cacheRead;
  usage.cacheWrite += entry.usage.cacheWrite;
}

function statsLines({
  counted,
  sessions,
}: {
  readonly counted: Counted;
  readonly sessions: number | undefined;
}): string[] {
  const { entries, messages, toolCalls, toolResults, tokens, kinds, usage } = counted;
  const row = (name: string, amount: number) => [name, number(amount).padStart(12)];
  const used = Object.values(usage).some((amount) => amount > 0);
  return columns({
    rows: [
      ...(sessions === undefined ? [] : [row('sessions', sessions)]),
      row('entries', entries),
      ...Object.entries(kinds)
        .sort(([, a], [, b]) => b - a)
        .map(([kind, amount]) => row(`  ${kind}`, amount)),
      row('messages', messages),
      row('tool calls', toolCalls),
      row('tool results', toolResults),
      row('tokens of all messages', tokens),
      ...(used
        ? [
            row('reported by models: read', usage.input),
            row('  from their cache', usage.cacheRead),
            row('  into their cache', usage.cacheWrite),
            row('  written', usage.output),
          ]
        : []),
    ],
  });
}
