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

interface PinOptions {
  readonly remove?: string;
}

/** `longhaul pin SESSION TEXT`. */
export function addPinCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('pin')
    .summary('a rule that every compaction carries on, word for word')
    .description('Pins a rule: every compaction from now on carries it, byte for byte.')
    .usage('SESSION TEXT | SESSION --remove HANDLE')
    .argument('<SESSION>', 'its id, the beginning of its id, its name, or last')
    .argument('[TEXT]', 'the rule')
    .option('--remove <handle>', 'take a pin off, e.g. @12');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul pin last "Never push to main."', 'hold on to it'],
        ['longhaul pin last --remove @12', 'let go of it'],
      ],
    })}`,
  );
  bind<PinOptions>({ command, action: pin });
}

const pin: Action<PinOptions> = async (invocation) => {
  const { io, args, options } = invocation;
  const [wanted = '', text = ''] = args;
  if ((text.trim() === '') === (options.remove === undefined)) throw textOrRemove();
  return await withStore({
    invocation,
    work: async ({ store }) => {
      const { header } = await findSession({ store, wanted });
      const live = await openSession({ store, id: header.id, now: io.now });
      const { remove } = options;
      const removed = remove === undefined ? undefined : await entryAt({ store, session: live.id, written: remove });
      const entry = await live.pin(removed ? { removes: removed.id } : { text });
      const handle = `@${entry.handle}`;
      await answer({
        invocation,
        value: {
          session: live.id,
          handle,
          text: removed ? null : text,
          removed: removed ? `@${removed.handle}` : null,
        },
        lines: () => [removed ? `the pin @${removed.handle} is off` : `pinned as ${handle}: ${printable(text)}`],
      });
      return 0;
    },
  });
};

function textOrRemove(): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    cause: 'pin needs either a rule or --remove.',
    next: 'Write `longhaul pin SESSION "the rule"`, or --remove HANDLE in place of the rule.',
  });
}
