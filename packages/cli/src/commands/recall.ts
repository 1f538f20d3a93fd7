import type { Command } from 'commander';
import { openSession } from 'longhaul/session';
import { examplesHelp, sessionArgument } from '../help.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { withSign } from '../session/position.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { onTerminal } from '../text/on-terminal.ts';

interface RecallOptions {
  readonly page?: string;
}

/** `longhaul recall SESSION HANDLE`. */
export function addRecallCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('recall')
    .description(
      'Prints the exact text of a handle: @12 an entry, @12.2 its second part, @12:40-80 lines 40 to 80. In a pipe or file the output is byte-exact; on a terminal control characters are made visible.',
    )
    .usage('SESSION HANDLE [options]')
    .argument('<SESSION>', sessionArgument)
    .argument('<HANDLE>', 'e.g. @12, @12.2, @12:40-80, @12.2:40-80')
    .option('--page <n>', 'one page (about 16,000 characters), from 1; all pages joined are the text');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul recall last @12', 'a whole entry'],
        ['longhaul recall last @12.2:1-20', 'twenty lines of a part'],
        ['longhaul recall last @12 > log.txt', 'byte-exact'],
        ['longhaul recall last @12 --page 2 --json', 'as JSON'],
      ],
    })}`,
  );
  bind<RecallOptions>({ command, action: recall });
}

const recall: CommandAction<RecallOptions> = async (invocation) => {
  const { io, args, options, json } = invocation;
  const [wanted = '', handle = ''] = args;
  const page = options.page === undefined ? undefined : wholeNumber({ flag: '--page', text: options.page, least: 1 });
  return await withStore({
    invocation,
    work: async ({ store }) => {
      const { header } = await findSession({ store, wanted });
      const live = await openSession({ store, id: header.id, allowDamage: true });
      const found = await live.recall({ handle: withSign(handle), ...(page !== undefined && { page }) });
      if (json) await io.stdout.write(`${JSON.stringify(found, undefined, 2)}\n`);
      else await io.stdout.write(io.stdout.isTerminal ? `${onTerminal(found.text)}\n` : found.text);
      return 0;
    },
  });
};
