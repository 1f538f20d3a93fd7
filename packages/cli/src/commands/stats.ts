import type { Command } from 'commander';
import { createEngine } from 'longhaul/engine';
import type { SessionSummary, Store } from 'longhaul/session';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';
import { answer } from '../output/answer.ts';
import { createProgress, type Progress } from '../output/progress.ts';
import { linkedTo } from '../session/linked.ts';
import { readLog } from '../session/read-log.ts';
import { targetOf } from '../session/target.ts';
import { loadTokenCounter, type TokenCounter } from '../session/token-counter.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { type Linked, linkedLines, statsLines } from '../stats/lines.ts';
import { sumOf } from '../stats/sum.ts';
import { type Counted, createTally } from '../stats/tally.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { number } from '../text/number.ts';

/** `longhaul stats [SESSION]`. */
export function addStatsCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('stats')
    .summary('how much is in the store, or in a session')
    .description(
      'Counts what is in the store, or in one session and those of its sub-agents: turns, entries by kind, tools and their failures, tokens by what they were spent on, compactions, what models used and what that costs, files that were read and changed.',
    )
    .usage('[SESSION]')
    .argument('[SESSION]', 'only this one: its id, the beginning of its id, its name, or last');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul stats', 'the whole store'],
        ['longhaul stats last', 'one session, with what its sub-agents did'],
        ['longhaul stats last --json', 'for a program'],
      ],
    })}`,
  );
  bind({ command, action: stats });
}

const stats: Action<object> = async (invocation) => {
  const { io, args, paint } = invocation;
  return await withStore({
    invocation,
    work: async ({ store, values }) => {
      const [wanted] = args;
      const progress = createProgress({ io });
      const counting = { store, tokens: await loadTokenCounter(), progress };
      if (wanted === undefined) {
        const all = await store.list();
        const counted = await countSessions({ ...counting, sessions: all });
        await progress.clear();
        await answer({
          invocation,
          value: { sessions: all.length, ...counted },
          lines: () => statsLines({ counted, sessions: all.length, paint: paint('stdout') }),
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
      await answer({
        invocation,
        value: { session: own.header.id, ...counted, context, linked, total },
        lines: () => [
          ...statsLines({ counted, context, paint: paint('stdout') }),
          ...(linked.length === 0 ? [] : linkedLines({ linked, total, paint: paint('stdout') })),
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
  readonly progress: Progress;
  readonly sessions: readonly SessionSummary[];
}): Promise<Counted> {
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

/** The sessions that are part of another: those of its sub-agents, and of theirs. */
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
