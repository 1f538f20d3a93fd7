import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { openSession } from 'longhaul/session';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { placeAt } from '../session/position.ts';
import { shortId } from '../session/short-id.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';

interface ForkOptions {
  readonly at?: string;
  readonly path?: true;
  readonly name?: string;
}

/** `longhaul fork SESSION`. */
export function addForkCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('fork')
    .description('Creates a new session with all entries of another, on every branch; handles stay the same.')
    .usage('SESSION [options]')
    .argument('<SESSION>', sessionArgument)
    .option('--at <handle>', 'position the copy at this entry')
    .option('--path', 'copy only the path to the current position')
    .option('--name <name>', 'the name of the copy');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul fork last', 'a copy at the same position'],
        ['longhaul fork last --at @12 --name "another way"', 'try something else from there'],
        ['longhaul fork last --path', 'without the branches'],
      ],
    })}`,
  );
  bind<ForkOptions>({ command, action: fork });
}

const fork: CommandAction<ForkOptions> = async (invocation) => {
  const { io, args, options, paint } = invocation;
  if (options.path && options.at !== undefined) throw bothGiven();
  return await withStore({
    invocation,
    work: async ({ store }) => {
      const { header } = await findSession({ store, wanted: args[0] ?? '' });
      const live = await openSession({ store, id: header.id, now: io.now });
      const named = options.name === undefined ? {} : { name: options.name };
      const place =
        options.at === undefined
          ? {}
          : { at: (await placeAt({ store, session: live.id, written: options.at }))?.id ?? null };
      const copy = options.path ? await live.clone(named) : await live.fork({ ...named, ...place });
      // Notes are copied too, and the newest name counts.
      if (options.name !== undefined) await copy.append({ type: 'session_info', info: { name: options.name } });
      const { count: entries } = copy.head;
      const value = { sessionId: copy.id, parent: live.id, entries };
      const all = (await store.list()).map((each) => each.header.id);
      await printResult({
        invocation,
        value,
        lines: () => [
          `${paint('stdout').strong(shortId({ id: copy.id, all }))} has ${count({ amount: entries, of: 'entry' })} of ${shortId({ id: live.id, all })}`,
        ],
      });
      return 0;
    },
  });
};

function bothGiven(): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: '--path copies the path to the current position, so --at cannot be used with it.',
    hint: 'Omit one of them, or move the session first with `longhaul move`.',
  });
}
