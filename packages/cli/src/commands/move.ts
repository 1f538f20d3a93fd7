import type { Command } from 'commander';
import { type Moved, openSession, type Session } from 'longhaul/session';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { placeAt } from '../session/position.ts';
import { shownEntry } from '../session/shown-entry.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';

interface MoveOptions {
  readonly summary?: string;
}

/** `longhaul move SESSION HANDLE`. */
export function addMoveCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('move')
    .description(
      'Moves a session to another entry, on any branch. Nothing is lost: the abandoned branch stays in the tree.',
    )
    .usage('SESSION HANDLE [options]')
    .argument('<SESSION>', sessionArgument)
    .argument('<HANDLE>', 'the entry to move to, e.g. @12; root is before the first entry')
    .option('--summary <text>', 'tell the model what happened on the abandoned branch');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul tree last', 'list the entries to move to'],
        ['longhaul move last @12', 'move to entry 12'],
        ['longhaul move last @12 --summary "The rewrite failed."', 'and tell the model why'],
        ['longhaul undo last', 'move back'],
      ],
    })}`,
  );
  bind<MoveOptions>({ command, action: moveAction(moveTo) });
}

/** `longhaul rewind SESSION HANDLE`. */
export function addRewindCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('rewind')
    .description(
      'Moves a session back to an earlier entry of its path. The later entries stay in the tree; undo returns to them.',
    )
    .usage('SESSION HANDLE')
    .argument('<SESSION>', sessionArgument)
    .argument('<HANDLE>', 'the entry to go back to, e.g. @12; root is before the first entry');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul rewind last @12', 'drop everything after entry 12 from the context'],
        ['longhaul undo last', 'return to the previous position'],
      ],
    })}`,
  );
  bind<MoveOptions>({ command, action: moveAction(({ live, to }) => live.rewind({ to })) });
}

type MoveSession = (input: {
  readonly live: Session;
  readonly to: string | null;
  readonly options: MoveOptions;
}) => Promise<Moved>;

const moveTo: MoveSession = ({ live, to, options }) =>
  live.move({ to, ...(options.summary !== undefined && { summary: { text: options.summary } }) });

function moveAction(move: MoveSession): CommandAction<MoveOptions> {
  return async (invocation) => {
    const { io, args, options } = invocation;
    const [wanted = '', written = ''] = args;
    return await withStore({
      invocation,
      work: async ({ store }) => {
        const { header } = await findSession({ store, wanted });
        const live = await openSession({ store, id: header.id, now: io.now });
        const target = await placeAt({ store, session: live.id, written });
        const { abandoned, summary } = await move({ live, to: target?.id ?? null, options });
        const entry = summary ?? target;
        const leaf = entry ? `@${entry.handle}` : null;
        const shown = entry && (await shownEntry({ session: live, entry }));
        const abandonedHandles = abandoned.map(({ handle }) => `@${handle}`);
        await printResult({
          invocation,
          value: { session: live.id, leaf, abandoned: abandonedHandles },
          lines: () => [
            `the session is now ${shown ? `at @${shown.handle}` : 'before the first entry'}`,
            ...(abandonedHandles.length > 0
              ? [`${count({ amount: abandonedHandles.length, of: 'entry' })} abandoned, still in the tree`]
              : []),
          ],
        });
        return 0;
      },
    });
  };
}
