import type { Command } from 'commander';
import { createEngine, type PruneResult } from 'longhaul/engine';
import { secretsOf } from '../agent/secrets-of.ts';
import { beforeAfter } from '../compaction/before-after.ts';
import { examplesHelp, sessionArgument } from '../help.ts';
import { tokenCount } from '../input/token-count.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { targetOf } from '../session/target.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';

interface PruneOptions {
  readonly window?: string;
  readonly dryRun?: true;
}

/** Outputs listed; --json has all. */
const most = 12;

/** `longhaul prune SESSION`. */
export function addPruneCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('prune')
    .description(
      'Replaces old tool outputs with a notice that says where to find them: outdated ones first, then the oldest. The newest outputs, up to a fifth of the window, are kept, and so are file reads and skills. Nothing happens unless it frees a tenth of the window; `undo` reverts it.',
    )
    .usage('SESSION [options]')
    .argument('<SESSION>', sessionArgument)
    .option('--window <tokens>', "the context window to fit; default: the model's own")
    .option('--dry-run', 'show what would be done without doing it');
  addSettingFlags({ command, keys: ['provider', 'store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul prune last --dry-run', 'preview'],
        ['longhaul prune last', 'prune'],
        ['longhaul undo last', 'revert it'],
      ],
    })}\n\nThe exit code is 1 when there is nothing to prune, or it would free too little.`,
  );
  bind<PruneOptions>({ command, action: prune });
}

const prune: CommandAction<PruneOptions> = async (invocation) => {
  const { io, args, options, paint } = invocation;
  const [wanted = ''] = args;
  const window =
    options.window === undefined ? undefined : tokenCount({ flag: '--window', text: options.window, least: 1_000 });
  return await withStore({
    invocation,
    work: async ({ store, values }) => {
      const { header } = await findSession({ store, wanted });
      const engine = await createEngine({ store, secrets: secretsOf(io.env), clock: { now: io.now } });
      const session = await engine.open(header.id);
      const target = await targetOf({ session, settings: values, window });
      const { snapshot } = await session.size(target);
      const { worthwhile, ...result } = await session.prune({ ...target, dryRun: options.dryRun === true });
      await printResult({
        invocation,
        value: { session: header.id, ...result },
        fits: true,
        lines: () => pruneLines({ result, window: snapshot.window, wanted, paint: paint('stdout') }),
      });
      return worthwhile ? 0 : 1;
    },
  });
};

function pruneLines({
  result: { installed, reason, tokensBefore: before, tokensAfter: after, outputs },
  window,
  wanted,
  paint,
}: {
  readonly result: Omit<PruneResult, 'worthwhile'>;
  readonly window: number;
  readonly wanted: string;
  readonly paint: Paint;
}): string[] {
  if (outputs.length === 0) return [`Nothing was pruned. ${printable(reason)}`];
  const rows = outputs.slice(0, most).map(({ handle, notice }) => [handle, printable(notice)]);
  const gone = `${count({ amount: outputs.length, of: 'tool output' })} ${installed ? 'pruned' : 'would be pruned'}`;
  return [
    ...beforeAfter({ before, after, window, isDone: installed, paint }),
    `${gone}, ${number(before - after)} tokens freed:`,
    ...columns({ rows, indent: '  ' }),
    ...(outputs.length > most ? [paint.faint(`  … ${outputs.length - most} more: --json`)] : []),
    ...(installed ? [paint.faint(`\`longhaul undo ${printable(wanted)}\` reverts it.`)] : []),
  ];
}
