import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import {
  type CompactionResult,
  createEngine,
  type EngineSession,
  lossKinds,
  type TargetModel,
} from 'longhaul/compaction';
import { examplesHelp } from '../help.ts';
import { wholeNumber } from '../input/whole-number.ts';
import type { Action, Bind } from '../invocation.ts';
import { answer } from '../output/answer.ts';
import { createProgress } from '../output/progress.ts';
import { modelOf, providerOf } from '../session/model-of.ts';
import { entryAt } from '../session/place.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

interface CompactOptions {
  readonly window?: string;
  readonly summarizer?: string;
  readonly focus?: string;
  readonly from?: string;
  readonly to?: string;
  readonly dryRun?: true;
}

/** `longhaul compact SESSION`. */
export function addCompactCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('compact')
    .summary('replace what is old by a summary, in what the model is sent')
    .description(
      'Replaces the older part of a session by a summary, in what the model is sent. Nothing is lost: every word stays in the log under its handle, and `undo` takes it back. It is done only if it frees a tenth of the window.',
    )
    .usage('SESSION [options]')
    .argument('<SESSION>', 'its id, the beginning of its id, its name, or last')
    .option('--window <tokens>', "the window it has to fit into; by default the model's own")
    .option('--summarizer <name>', 'extractive: chooses what to keep, without a model (default)')
    .option('--focus <text>', 'what to keep in view')
    .option('--from <handle>', 'the first entry to replace, e.g. @12')
    .option('--to <handle>', 'the last entry to replace')
    .option('--dry-run', 'tell what would be done, and do nothing');
  addSettingFlags({ command, keys: ['provider', 'store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul compact last --dry-run', 'what would be replaced, and what would be lost to the model?'],
        ['longhaul compact last --focus "the login bug"', 'keep that in view'],
        ['longhaul compact last --from @12 --to @80', 'only that part'],
        ['longhaul undo last', 'take it back'],
      ],
    })}\n\nThe exit code is 1 when nothing was compacted.`,
  );
  bind<CompactOptions>({ command, action: compact });
}

const compact: Action<CompactOptions> = async (invocation) => {
  const { io, args, options, paint } = invocation;
  if (options.summarizer !== undefined && options.summarizer !== 'extractive')
    throw unknownSummarizer(options.summarizer);
  const window =
    options.window === undefined ? undefined : wholeNumber({ flag: '--window', text: options.window, least: 1_000 });
  return await withStore({
    invocation,
    work: async ({ store, values }) => {
      const { header } = await findSession({ store, wanted: args[0] ?? '' });
      const engine = await createEngine({ store, clock: { now: io.now } });
      const session = await engine.open(header.id);
      const model = await targetOf({ session, provider: values.provider, window });
      const at = async (written: string | undefined) =>
        written === undefined ? undefined : (await entryAt({ store, session: header.id, written })).id;
      const [from, to] = [await at(options.from), await at(options.to)];
      const progress = createProgress({ io });
      await progress.show('choosing what to keep');
      const result = await session
        .compact({
          model,
          ...(options.focus !== undefined && { focus: options.focus }),
          ...(from !== undefined && { from }),
          ...(to !== undefined && { to }),
          dryRun: options.dryRun === true,
        })
        .finally(() => progress.clear());
      await answer({ invocation, value: result, lines: () => resultLines({ result, paint: paint('stdout') }) });
      return result.installed || (options.dryRun && result.summary !== undefined) ? 0 : 1;
    },
  });
};

/** The model that the session speaks to, with the window that was asked for. */
async function targetOf(of: {
  readonly session: EngineSession;
  readonly provider: string;
  readonly window: number | undefined;
}): Promise<TargetModel> {
  const live = of.session.session;
  const { inputLimit, ...info } = await modelOf(live);
  const dialect = info.dialects.find((name) => name === of.provider) ?? providerOf({ live, model: info });
  const limit = of.window === undefined && inputLimit !== undefined ? { inputLimit } : {};
  const id = { provider: info.provider ?? 'unknown', name: info.name };
  return { id, dialect, info: { ...info, ...limit, window: of.window ?? info.window } };
}

function resultLines({ result, paint }: { readonly result: CompactionResult; readonly paint: Paint }): string[] {
  const { installed, reason, tokensBefore, tokensAfter, loss, summary } = result;
  if (!loss || summary === undefined) return [printable(reason)];
  const lost = lossKinds
    .filter((kind) => loss.lost[kind].parts > 0)
    .map((kind) => `${names[kind]} ${number(loss.lost[kind].parts)} of ${number(loss.before[kind].parts)}`);
  const where = loss.handles ? `@${loss.handles.from} to @${loss.handles.to}` : 'nothing';
  const pins =
    loss.pins.length === 0
      ? []
      : [`Rules that hold: ${loss.pins.filter((pin) => pin.survived).length} of ${loss.pins.length}.`];
  return [
    `${paint.strong(`${number(tokensBefore)} tokens`)} ${installed ? 'became' : 'would become'} ${paint.strong(`${number(tokensAfter)}`)}. ${printable(reason)}`,
    `No longer in front of the model: ${lost.join(', ')} (${where}; all of it can be recalled).`,
    ...pins,
    '',
    ...summary.split('\n').map(printable),
    '',
    ...(installed ? [paint.faint('`longhaul undo last` takes it back.')] : []),
  ];
}

const names: Readonly<Record<(typeof lossKinds)[number], string>> = {
  human: 'your messages',
  engine: 'notes of the client',
  model: 'answers',
  thinking: 'thoughts',
  calls: 'tool calls',
  results: 'tool results',
  media: 'pictures and files',
};

function unknownSummarizer(name: string): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    cause: `there is no summarizer "${name}".`,
    next: 'Use extractive, or leave it out.',
  });
}
