import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import type { SessionSummary } from 'longhaul/session';
import { examplesHelp } from '../help.ts';
import { openLedger } from '../import/ledger.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { forgetPrompts } from '../store/prompt-history.ts';
import { withStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';
import { printable } from '../text/printable.ts';

interface DeleteOptions {
  readonly yes?: true;
}

/** `longhaul delete SESSION…`. */
export function addDeleteCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('delete')
    .description('Deletes sessions permanently: the log, its text in the index, and files that no other session uses.')
    .usage('SESSION… [--yes]')
    .argument('<SESSION...>', 'id, start of an id, or name')
    .option('--yes', 'do not ask');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul delete 019b7ca9', 'asks first'],
        ['longhaul delete 019b7ca9 --yes', 'for scripts'],
        ['longhaul export 019b7ca9 --output backup.jsonl', 'make a copy first'],
      ],
    })}`,
  );
  bind<DeleteOptions>({ command, action: deleteSessions });
}

const deleteSessions: CommandAction<DeleteOptions> = async (invocation) => {
  const { io, args, options } = invocation;
  return await withStore({
    invocation,
    work: async ({ store, dir }) => {
      const found: SessionSummary[] = [];
      // All names are resolved before the first deletion, so that a typo in the third does not lose the first.
      for (const wanted of args) {
        if (wanted === 'last') throw lastIsVague();
        found.push(await findSession({ store, wanted }));
      }
      if (!options.yes) await confirm({ invocation, found });
      const deleted = [...new Set(found.map(({ header }) => header.id))];
      for (const id of deleted) await store.delete(id);
      const ledger = await openLedger({ io, dir });
      ledger.forget(deleted);
      await ledger.save();
      await forgetPrompts({ io, dir, sessions: deleted });
      await printResult({
        invocation,
        value: { deleted },
        lines: () => [`deleted ${count({ amount: deleted.length, of: 'session' })}`],
      });
      return 0;
    },
  });
};

async function confirm({
  invocation: { io, json },
  found,
}: {
  readonly invocation: Parameters<CommandAction<DeleteOptions>>[0];
  readonly found: readonly SessionSummary[];
}): Promise<void> {
  const list = found.map(({ header, name, title, messages }) => {
    const words = printable(name ?? title ?? '');
    return `  ${header.id}  ${count({ amount: messages, of: 'message' })}  ${words}\n`;
  });
  const sessions = count({ amount: found.length, of: 'session' });
  // With --json the user cannot be asked.
  const reply = json ? undefined : await io.ask(`${list.join('')}Delete ${sessions} permanently? [y/N] `);
  if (/^(y|yes)$/i.test(reply?.trim() ?? '')) return;
  throw new LonghaulError({
    code: 'not-confirmed',
    message:
      reply === undefined
        ? 'Deleting is permanent and needs confirmation, but there is no terminal.'
        : 'Not confirmed.',
    hint: 'Nothing was deleted. Add --yes to delete without being asked.',
  });
}

function lastIsVague(): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: 'A session to delete must be named; "last" may not be the one you mean.',
    hint: 'Give its id or name; `longhaul sessions` lists them.',
  });
}
