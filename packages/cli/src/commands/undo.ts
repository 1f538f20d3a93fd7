import type { Command } from 'commander';
import { openSession, type Reversal, type Session } from 'longhaul/session';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { fileLines, undoNewest, versionsOf } from '../session/rewind.ts';
import { shownEntry } from '../session/shown-entry.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';
import { printable } from '../text/printable.ts';

/** `longhaul undo SESSION`. */
export function addUndoCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('undo')
    .description(
      'Undoes the newest compaction, prune, edit, move or rewind of a session. The model is then sent, byte for byte, what it was sent before, plus the messages added since. A rewind of files is undone with its files.',
    );
  addReversalOptions(command);
  bind({ command, action: reverse({ verb: 'undone', act: undoNewest }) });
}

/** `longhaul redo SESSION`. */
export function addRedoCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('redo')
    .description('Redoes what was undone last. Not possible after any other action on the session.');
  addReversalOptions(command);
  bind({ command, action: reverse({ verb: 'redone', act: async ({ live }) => ({ reversal: await live.redo() }) }) });
}

function addReversalOptions(command: Command): void {
  command.usage('SESSION').argument('<SESSION>', sessionArgument);
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul undo last', 'undo the newest action'],
        ['longhaul redo last', 'redo it'],
      ],
    })}\n\nThe exit code is 1 if there is nothing to ${command.name()}.`,
  );
}

/** An action with the handle that `tree` shows: the compaction, prune or edit itself, or the target of a move. */
async function describeAction({ live, action }: { readonly live: Session; readonly action: Reversal['action'] }) {
  const [target] =
    action.type !== 'leaf' ? [action] : action.target === null ? [] : await live.read({ ids: [action.target] });
  const entry = target ? `@${(await shownEntry({ session: live, entry: target })).handle}` : null;
  return { handle: `@${action.handle}`, type: action.type, reason: action.reason, entry };
}

function reverse({ verb, act }: { readonly verb: string; readonly act: typeof undoNewest }): CommandAction<object> {
  return async (invocation) => {
    const { io, args } = invocation;
    return await withStore({
      invocation,
      work: async ({ store, dir }) => {
        const { header } = await findSession({ store, wanted: args[0] ?? '' });
        const live = await openSession({ store, id: header.id, now: io.now });
        const { reversal, files } = await act({ live, versions: versionsOf({ io, dir, header }) });
        const { leaf, epoch } = live.head;
        const [entry] = leaf === null ? [] : await live.read({ ids: [leaf] });
        const what = reversal && (await describeAction({ live, action: reversal.action }));
        const messages = live.context.items.length;
        await printResult({
          invocation,
          value: {
            session: live.id,
            ...(what && { action: what }),
            ...(files && { files }),
            leaf: entry ? `@${entry.handle}` : null,
            epoch,
            messages,
          },
          lines: () => [
            ...(what
              ? [
                  `${what.reason} ${what.type === 'leaf' ? 'to' : 'at'} ${what.entry ?? 'root'} ${verb}; the model is now sent ${count({ amount: messages, of: 'message' })}`,
                ]
              : []),
            ...(files ? ['rewind of files undone', ...fileLines({ files, isDryRun: false, shown: printable })] : []),
          ],
        });
        return 0;
      },
    });
  };
}
