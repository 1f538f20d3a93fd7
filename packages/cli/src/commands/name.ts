import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { openSession } from 'longhaul/session';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { availableName } from '../session/session-name.ts';
import { shortId } from '../session/short-id.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { printable } from '../text/printable.ts';

interface NameOptions {
  readonly remove?: true;
}

/** `longhaul name SESSION NAME`. */
export function addNameCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('name')
    .description('Names a session. Every command accepts the name in place of the id. The newest name counts.')
    .usage('SESSION NAME | SESSION --remove')
    .argument('<SESSION>', sessionArgument)
    .argument('[NAME]', 'the name')
    .option('--remove', 'remove the name');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul name last billing', 'name the newest session'],
        ['longhaul -p "Go on" --session billing', 'then use the name'],
        ['longhaul name billing --remove', 'remove the name'],
      ],
    })}`,
  );
  bind<NameOptions>({ command, action: name });
}

const name: CommandAction<NameOptions> = async (invocation) => {
  const { io, args, options } = invocation;
  const [wanted = '', written = ''] = args;
  if ((written.trim() === '') === (options.remove === undefined)) throw nameOrRemove();
  return await withStore({
    invocation,
    work: async ({ store }) => {
      const { header } = await findSession({ store, wanted });
      const given = options.remove ? '' : await availableName({ store, written, session: header.id });
      const live = await openSession({ store, id: header.id, now: io.now });
      await live.append({ type: 'session_info', info: { name: given } });
      const id = shortId({ id: live.id });
      await printResult({
        invocation,
        value: { session: live.id, name: options.remove ? null : given },
        lines: () => [options.remove ? `${id} has no name now` : `${id} is now named "${printable(given)}"`],
      });
      return 0;
    },
  });
};

function nameOrRemove(): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: 'name needs either a name or --remove.',
    hint: 'Run `longhaul name SESSION NAME`, or use --remove instead of the name.',
  });
}
