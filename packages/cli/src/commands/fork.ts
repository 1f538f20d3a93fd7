import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { openSession } from 'longhaul/session';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';
import { answer } from '../output/answer.ts';
import { placeAt } from '../session/place.ts';
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
    .summary('go on in a copy of a session')
    .description('Makes a new session with everything of another, on every branch; handles stay the same.')
    .usage('SESSION [options]')
    .argument('<SESSION>', 'its id, the beginning of its id, its name, or last')
    .option('--at <handle>', 'let the copy stand at this entry')
    .option('--path', 'copy only the path to where the session stands')
    .option('--name <name>', 'what the copy is called');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul fork last', 'a copy that stands where the session does'],
        ['longhaul fork last --at @12 --name "another way"', 'try something else from there'],
        ['longhaul fork last --path', 'without the branches'],
      ],
    })}`,
  );
  bind<ForkOptions>({ command, action: fork });
}

const fork: Action<ForkOptions> = async (invocation) => {
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
      // The copy has the notes of the original too, and the newest name counts.
      if (options.name !== undefined) await copy.append({ type: 'session_info', info: { name: options.name } });
      const { count: entries } = copy.head;
      const value = { sessionId: copy.id, parent: live.id, entries };
      await answer({
        invocation,
        value,
        lines: () => [
          `${paint('stdout').strong(copy.id)} has ${count({ amount: entries, of: 'entry' })} of ${live.id}`,
        ],
      });
      return 0;
    },
  });
};

function bothGiven(): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: '--path copies the path to where the session stands, so --at cannot be given with it.',
    hint: 'Leave one of them out, or move the session first with `longhaul move`.',
  });
}
