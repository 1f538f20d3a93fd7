import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { openSession } from 'longhaul/session';
import { examplesHelp } from '../help.ts';
import type { Action, Bind } from '../invocation.ts';
import { answer } from '../output/answer.ts';
import { entryAt } from '../session/place.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { printable } from '../text/printable.ts';

interface LabelOptions {
  readonly remove?: true;
}

/** `longhaul label SESSION HANDLE NAME`. */
export function addLabelCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('label')
    .summary('give an entry a name')
    .description('Gives an entry a name that the tree shows; the newest name counts.')
    .usage('SESSION HANDLE NAME | SESSION HANDLE --remove')
    .argument('<SESSION>', 'its id, the beginning of its id, its name, or last')
    .argument('<HANDLE>', 'the entry, e.g. @12')
    .argument('[NAME]', 'the name')
    .option('--remove', 'take the name off');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul label last @12 "before the rewrite"', 'find it again'],
        ['longhaul label last @12 --remove', 'take the name off'],
      ],
    })}`,
  );
  bind<LabelOptions>({ command, action: label });
}

const label: Action<LabelOptions> = async (invocation) => {
  const { io, args, options } = invocation;
  const [wanted = '', written = '', name = ''] = args;
  if ((name === '') === (options.remove === undefined)) throw nameOrRemove();
  return await withStore({
    invocation,
    work: async ({ store }) => {
      const { header } = await findSession({ store, wanted });
      const live = await openSession({ store, id: header.id, now: io.now });
      const target = await entryAt({ store, session: live.id, written });
      await live.label({ target: target.id, label: options.remove ? null : name });
      const handle = `@${target.handle}`;
      await answer({
        invocation,
        value: { session: live.id, handle, label: options.remove ? null : name },
        lines: () => [options.remove ? `${handle} has no name now` : `${handle} is called "${printable(name)}"`],
      });
      return 0;
    },
  });
};

function nameOrRemove(): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: 'label needs either a name or --remove.',
    hint: 'Write `longhaul label SESSION HANDLE NAME`, or --remove in place of the name.',
  });
}
