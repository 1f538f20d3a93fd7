import type { Command } from 'commander';
import { type Moved, openSession, type Session } from 'longhaul/session';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';
import { answer } from '../output/answer.ts';
import { placeAt } from '../session/place.ts';
import { shownEntry } from '../session/shown-entry.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';

interface MoveOptions {
  readonly summary?: string;
}

/** `longhaul move SESSION HANDLE` and `longhaul rewind SESSION HANDLE`. */
export function addMoveCommands({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const move = program
    .command('move')
    .summary('stand elsewhere in a session')
    .description(
      'Lets a session stand at another entry, on any branch. Nothing is lost: what is left stays in the tree.',
    )
    .usage('SESSION HANDLE [options]')
    .argument('<SESSION>', 'its id, the beginning of its id, its name, or last')
    .argument('<HANDLE>', 'the entry to stand at, e.g. @12; root is before the first')
    .option('--summary <text>', 'tell the model, at the new place, what happened on the branch that is left');
  const rewind = program
    .command('rewind')
    .summary('go back on the path of a session')
    .description(
      'Goes back to an earlier entry of the path. What lies between stays in the tree, and undo returns to it.',
    )
    .usage('SESSION HANDLE')
    .argument('<SESSION>', 'its id, the beginning of its id, its name, or last')
    .argument('<HANDLE>', 'the entry to go back to, e.g. @12; root is before the first');
  for (const command of [move, rewind]) addSettingFlags({ command, keys: ['store.dir'] });
  move.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul tree last', 'see where one can stand'],
        ['longhaul move last @12', 'stand there'],
        ['longhaul move last @12 --summary "The rewrite failed."', 'and tell the model why'],
        ['longhaul undo last', 'stand where it stood before'],
      ],
    })}`,
  );
  rewind.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul rewind last @12', 'as if nothing had been said since'],
        ['longhaul undo last', 'return to where it stood'],
      ],
    })}`,
  );
  bind<MoveOptions>({ command: move, action: goTo(moveTo) });
  bind<MoveOptions>({ command: rewind, action: goTo(({ live, to }) => live.rewind({ to })) });
}

type Go = (input: {
  readonly live: Session;
  readonly to: string | null;
  readonly options: MoveOptions;
}) => Promise<Moved>;

const moveTo: Go = ({ live, to, options }) =>
  live.move({ to, ...(options.summary !== undefined && { summary: { text: options.summary } }) });

function goTo(go: Go): Action<MoveOptions> {
  return async (invocation) => {
    const { io, args, options } = invocation;
    const [wanted = '', written = ''] = args;
    return await withStore({
      invocation,
      work: async ({ store }) => {
        const { header } = await findSession({ store, wanted });
        const live = await openSession({ store, id: header.id, now: io.now });
        const place = await placeAt({ store, session: live.id, written });
        const { abandoned, summary } = await go({ live, to: place?.id ?? null, options });
        const stands = summary ?? place;
        const leaf = stands ? `@${stands.handle}` : null;
        const shown = stands && (await shownEntry({ session: live, entry: stands }));
        const left = abandoned.map(({ handle }) => `@${handle}`);
        await answer({
          invocation,
          value: { session: live.id, leaf, abandoned: left },
          lines: () => [
            `the session stands ${shown ? `at @${shown.handle}` : 'before the first entry'} now`,
            ...(left.length > 0
              ? [`${count({ amount: left.length, of: 'entry' })} left behind, still in the tree`]
              : []),
          ],
        });
        return 0;
      },
    });
  };
}
