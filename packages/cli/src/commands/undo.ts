import type { Command } from 'commander';
import { openSession, type Reversal, type Session } from 'longhaul/session';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';
import { answer } from '../output/answer.ts';
import { shownEntry } from '../session/shown-entry.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';

/** `longhaul undo SESSION` and `longhaul redo SESSION`. */
export function addUndoCommands({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const undo = program
    .command('undo')
    .summary('take the last compaction, edit, move or rewind back')
    .description(
      'Takes the newest compaction, prune, edit, move or rewind of a session back. What the model is sent is, byte for byte, what it was before, and what was said since.',
    );
  const redo = program
    .command('redo')
    .summary('do again what was undone')
    .description('Puts in force again what was undone last, as long as nothing else was done since.');
  for (const command of [undo, redo]) {
    command.usage('SESSION').argument('<SESSION>', 'its id, the beginning of its id, its name, or last');
    addSettingFlags({ command, keys: ['store.dir'] });
    command.addHelpText(
      'after',
      `\n${examplesHelp({
        examples: [
          ['longhaul undo last', 'take the newest action back'],
          ['longhaul redo last', 'and do it again'],
        ],
      })}\n\nThe exit code is 1 when there is nothing to ${command.name()}.`,
    );
  }
  bind({ command: undo, action: reverse({ word: 'undone', act: (live) => live.undo() }) });
  bind({ command: redo, action: reverse({ word: 'done again', act: (live) => live.redo() }) });
}

/** The handle that `tree` shows for an action: the compaction, prune or edit, or the entry that a move went to. */
async function shownAction({ live, action }: { readonly live: Session; readonly action: Reversal['action'] }) {
  const [target] =
    action.type !== 'leaf' ? [action] : action.target === null ? [] : await live.read({ ids: [action.target] });
  return target ? `@${(await shownEntry({ session: live, entry: target })).handle}` : null;
}

function reverse({
  word,
  act,
}: {
  readonly word: string;
  readonly act: (live: Session) => Promise<Reversal>;
}): Action<object> {
  return async (invocation) => {
    const { io, args } = invocation;
    return await withStore({
      invocation,
      work: async ({ store }) => {
        const { header } = await findSession({ store, wanted: args[0] ?? '' });
        const live = await openSession({ store, id: header.id, now: io.now });
        const { action } = await act(live);
        const { leaf, epoch } = live.head;
        const [stands] = leaf === null ? [] : await live.read({ ids: [leaf] });
        const shown = await shownAction({ live, action });
        const what = { handle: `@${action.handle}`, type: action.type, reason: action.reason, entry: shown };
        const messages = live.context.items.length;
        await answer({
          invocation,
          value: { session: live.id, action: what, leaf: stands ? `@${stands.handle}` : null, epoch, messages },
          lines: () => [
            `${what.reason} ${action.type === 'leaf' ? 'to' : 'at'} ${shown ?? 'root'} ${word}; the model is sent ${count({ amount: messages, of: 'message' })} now`,
          ],
        });
        return 0;
      },
    });
  };
}
