import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import type { SessionSummary } from 'longhaul/session';
import { examplesHelp } from '../help.ts';
import { openLedger } from '../import/ledger.ts';
import type { Action, Bind } from '../invocation.ts';
import { answer } from '../output/answer.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
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
    .summary('delete sessions for good')
    .description('Deletes sessions for good: the log, its texts in the index, and files that no other session needs.')
    .usage('SESSION… [--yes]')
    .argument('<SESSION...>', 'id, beginning of an id, or name')
    .option('--yes', 'do not ask');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul delete 019b7ca9', 'asks first'],
        ['longhaul delete 019b7ca9 --yes', 'for scripts'],
        ['longhaul export 019b7ca9 --output backup.jsonl', 'keep a copy before'],
      ],
    })}`,
  );
  bind<DeleteOptions>({ command, action: deleteSessions });
}

const deleteSessions: Action<DeleteOptions> = async (invocation) => {
  const { io, args, options } = invocation;
  return await withStore({
    invocation,
    work: async ({ store, dir }) => {
      const found: SessionSummary[] = [];
      // All are looked up before the first is deleted: a slip in the third must not cost the first.
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
      await answer({
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
  readonly invocation: Parameters<Action<DeleteOptions>>[0];
  readonly found: readonly SessionSummary[];
}): Promise<void> {
  const list = found.map(({ header, name, title, messages }) => {
    const words = printable(name ?? title ?? '');
    return `  ${header.id}  ${count({ amount: messages, of: 'message' })}  ${words}\n`;
  });
  const sessions = count({ amount: found.length, of: 'session' });
  // A program cannot be asked.
  const said = json ? undefined : await io.ask(`${list.join('')}Delete ${sessions} for good? [y/N] `);
  if (/^(y|yes)$/i.test(said?.trim() ?? '')) return;
  throw new LonghaulError({
    code: 'not-confirmed',
    message: said === undefined ? 'deleting is for good, and there is nobody here to confirm it.' : 'not confirmed.',
    hint: 'Nothing was deleted. Add --yes to delete without being asked.',
  });
}

function lastIsVague(): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: 'what is deleted must be named; "last" may be another session than you think.',
    hint: 'Give its id or its name; `longhaul sessions` lists them.',
  });
}
