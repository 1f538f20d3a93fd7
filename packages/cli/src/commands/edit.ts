import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { openSession } from 'longhaul/session';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { editContext } from '../session/edit-context.ts';
import { entryAt } from '../session/position.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';

interface EditOptions {
  readonly remove?: true;
}

/** `longhaul edit SESSION HANDLE [TEXT]`. */
export function addEditCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('edit')
    .description(
      'Changes a message in what the model is sent, or leaves it out, e.g. a wrong answer or a long tool result. The log keeps the original, `recall` finds it, and `undo` brings it back.',
    )
    .usage('SESSION HANDLE [TEXT | --remove]')
    .argument('<SESSION>', sessionArgument)
    .argument('<HANDLE>', 'the message, as `tree` and `context` show it, e.g. @12')
    .argument('[TEXT]', 'what is sent in place of its text; calls of tools stay')
    .option('--remove', 'leave the message out');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul edit last @12 "The port is 8080."', 'send another text'],
        ['longhaul edit last @12 --remove', 'leave the message out'],
        ['longhaul undo last', 'send it again as it was'],
      ],
    })}`,
  );
  bind<EditOptions>({ command, action: edit });
}

const edit: CommandAction<EditOptions> = async (invocation) => {
  const { io, args, options } = invocation;
  const [wanted = '', handle = '', text] = args;
  if ((text === undefined) !== (options.remove === true)) throw textOrRemove();
  return await withStore({
    invocation,
    work: async ({ store }) => {
      const { header } = await findSession({ store, wanted });
      const entry = await entryAt({ store, session: header.id, written: handle });
      const live = await openSession({ store, id: header.id, now: io.now });
      const { edit: made } = await editContext({ live, entry, text });
      const messages = live.context.items.length;
      const edited = `@${entry.handle}`;
      await printResult({
        invocation,
        value: { session: live.id, edited, removed: text === undefined, handle: `@${made.handle}`, messages },
        fits: true,
        lines: () => [
          `${edited} is ${text === undefined ? 'left out' : 'sent with the new text'}; the model is now sent ${count({ amount: messages, of: 'message' })}`,
        ],
      });
      return 0;
    },
  });
};

function textOrRemove(): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: 'Give either a text or --remove.',
    hint: 'For example: longhaul edit last @12 "The port is 8080."',
  });
}
