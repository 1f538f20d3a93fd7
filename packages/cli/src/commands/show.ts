import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { type Entry, gistOf, openSession, textsOf } from 'longhaul/session';
import { examplesHelp, sessionArgument } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { sessionFacts } from '../session/facts.ts';
import { entryAt, entryNumber } from '../session/position.ts';
import { readLog } from '../session/read-log.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { type Opened, withStore } from '../store/with-store.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { when } from '../text/when.ts';

interface ShowOptions {
  readonly entry?: string;
  readonly from?: string;
  readonly to?: string;
}

/** Lines shown of a long text; --entry shows all. */
const mostLines = 12;

/** `longhaul show SESSION`. */
export function addShowCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('show')
    .description(
      'Prints the messages of a session, from its first entry to the current position; with --from and --to a range of the whole log, with --entry one entry in full.',
    )
    .usage('SESSION [options]')
    .argument('<SESSION>', sessionArgument)
    .option('--entry <handle>', 'one entry in full, e.g. @12')
    .option('--from <handle>', 'the log from this entry on, all branches and notes included')
    .option('--to <handle>', 'the log up to this entry');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul show last', 'the most recently used session'],
        ['longhaul show last --entry @12', 'one entry in full'],
        ['longhaul show last --from @100 --to @120', 'a range of the log'],
        ['longhaul show last --json', 'the entries as stored'],
      ],
    })}`,
  );
  bind<ShowOptions>({ command, action: showSession });
}

const showSession: CommandAction<ShowOptions> = async (invocation) => {
  const { io, args, options, json, paint } = invocation;
  return await withStore({
    invocation,
    work: async (opened) => {
      const summary = await findSession({ store: opened.store, wanted: args[0] ?? '' });
      const { id } = summary.header;
      const entries = await chosen({ opened, session: id, options });
      if (json) {
        await io.stdout.write(`${JSON.stringify({ session: sessionFacts(summary), entries }, undefined, 2)}\n`);
        return 0;
      }
      const colors = paint('stdout');
      const name = summary.name ?? summary.title ?? '';
      if (options.entry === undefined) {
        await io.stdout.write(`${colors.strong(id)}  ${when(summary.updatedAt)}  ${printable(name)}\n`);
      }
      const isWhole = options.entry !== undefined;
      for (const entry of entries) await io.stdout.write(entryText({ entry, paint: colors, isWhole }));
      return 0;
    },
  });
};

async function chosen({
  opened: { store },
  session,
  options,
}: {
  readonly opened: Opened;
  readonly session: string;
  readonly options: ShowOptions;
}): Promise<readonly Entry[]> {
  if (options.entry !== undefined) return [await entryAt({ store, session, written: options.entry })];
  if (options.from === undefined && options.to === undefined) {
    const live = await openSession({ store, id: session, allowDamage: true });
    return await live.path();
  }
  const from = options.from === undefined ? 1 : entryNumber(options.from);
  const to = options.to === undefined ? Number.POSITIVE_INFINITY : entryNumber(options.to);
  if (from > to) {
    throw new LonghaulError({
      code: 'bad-usage',
      message: `--from @${from} is after --to @${to}.`,
      hint: 'Give the earlier entry first.',
    });
  }
  return await Array.fromAsync(readLog({ store, session, from, to }));
}

/** The text output of an entry: a heading, then its text. */
function entryText({
  entry,
  paint,
  isWhole,
}: {
  readonly entry: Entry;
  readonly paint: Paint;
  readonly isWhole: boolean;
}): string {
  const { kind, text } = gistOf(entry);
  const texts = textsOf(entry).filter(({ isProse }) => isProse);
  const heading = `${paint.strong(`@${entry.handle}`)} ${kind} ${paint.faint(when(entry.at))}`;
  if (texts.length === 0) return `\n${heading}${text === '' ? '' : `  ${printable(text)}`}\n`;
  const lines = texts.flatMap((part) => part.text.split('\n')).map((line) => `  ${printable(line)}`.trimEnd());
  const shown = isWhole || lines.length <= mostLines + 1 ? lines : lines.slice(0, mostLines);
  const hidden = lines.length - shown.length;
  const more = hidden === 0 ? [] : [paint.faint(`  … ${hidden} more lines: --entry @${entry.handle}`)];
  return `\n${[heading, ...shown, ...more].join('\n')}\n`;
}
