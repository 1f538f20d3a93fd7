import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { openSession } from 'longhaul/session';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { entryAt } from '../session/position.ts';
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
    .description('Names an entry; `tree` shows the name. The newest name counts.')
    .usage('SESSION HANDLE NAME | SESSION HANDLE --remove')
    .argument('<SESSION>', sessionArgument)
    .argument('<HANDLE>', 'the entry, e.g. @12')
    .argument('[NAME]', 'the name')
    .option('--remove', 'remove the name');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul label last @12 "before the rewrite"', 'name an entry'],
        ['longhaul label last @12 --remove', 'remove the name'],
      ],
    })}`,
  );
  bind<LabelOptions>({ command, action: label });
}

const label: CommandAction<LabelOptions> = async (invocation) => {
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
      await printResult({
        invocation,
        value: { session: live.id, handle, label: options.remove ? null : name },
        lines: () => [options.remove ? `${handle} has no name now` : `${handle} is now named "${printable(name)}"`],
      });
      return 0;
    },
  });
};

function nameOrRemove(): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: 'label needs either a name or --remove.',
    hint: 'Run `longhaul label SESSION HANDLE NAME`, or use --remove instead of the name.',
  });
}
