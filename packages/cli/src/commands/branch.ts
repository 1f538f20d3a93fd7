import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { createEngine, type MoveResult, type Summarizer } from 'longhaul/engine';
import { type Entry, formatHandle, openSession, type Store } from 'longhaul/session';
import { secretsOf } from '../agent/secrets-of.ts';
import { conversationModelOf } from '../compaction/conversation-model.ts';
import { policyOf } from '../compaction/policy-of.ts';
import { compactionSettings } from '../compaction/settings.ts';
import { summarizerOf } from '../compaction/summarizer-of.ts';
import { examplesHelp, sessionArgument } from '../help.ts';
import { hooksOf } from '../hooks/configured.ts';
import { hookFailuresOf } from '../hooks/failures.ts';
import { reportRefusedSettings } from '../hooks/refused.ts';
import type { Bind, CommandAction, Invocation } from '../invocation.ts';
import { wireSettings } from '../models/wire-limits.ts';
import { showElapsedTime } from '../output/elapsed-time.ts';
import { printResult } from '../output/print-result.ts';
import { placeAt } from '../session/position.ts';
import { shownEntry } from '../session/shown-entry.ts';
import { targetOf } from '../session/target.ts';
import { addSettingFlags } from '../settings/flags.ts';
import type { Settings } from '../settings/schema.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

interface BranchOptions {
  readonly to?: string;
  readonly summarize?: boolean;
  readonly focus?: string;
  readonly label?: string;
  readonly dryRun?: true;
}

/** `longhaul branch SESSION --to ENTRY`. */
export function addBranchCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('branch')
    .description(
      'Continues a session from another entry. Choosing one of your messages means the position before it; its text is returned for editing. With --summarize the model gets a summary of the abandoned branch: what was said, the results, the rules that were set, the files read and changed. Nothing is lost: the abandoned branch stays in the tree, and `undo` returns to it.',
    )
    .usage('SESSION --to HANDLE [options]')
    .argument('<SESSION>', sessionArgument)
    .option('--to <handle>', 'the entry to continue from, e.g. @12; root is before the first entry')
    .option('--summarize', 'summarize the abandoned branch for the model')
    .option('--no-summarize', 'no summary, whatever the settings say')
    .option('--focus <text>', 'what the summary should focus on')
    .option('--label <name>', 'a name for the summary, or for the entry if there is no summary')
    .option('--dry-run', 'show what would be done without doing it')
    .option('--config <file>', 'a trusted settings file, including its hooks');
  addSettingFlags({
    command,
    keys: ['provider', 'store.dir', 'compaction.branchSummaries', ...compactionSettings, ...wireSettings],
  });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul tree last', 'list the entries to continue from'],
        ['longhaul branch last --to @12 --summarize --dry-run', 'preview the summary'],
        ['longhaul branch last --to @12 --summarize', 'move there with a summary'],
        ['longhaul undo last', 'return to the previous position'],
      ],
    })}`,
  );
  bind<BranchOptions>({ command, action: branch });
}

const branch: CommandAction<BranchOptions> = async (invocation) => {
  const { io, args, options, paint } = invocation;
  const { to: written, focus, label, dryRun = false } = options;
  if (written === undefined) throw noTarget();
  const wanted = args[0] ?? '';
  await reportRefusedSettings({ invocation, resolved: await invocation.settings() });
  return await withStore({
    invocation,
    purpose: 'longhaul branch',
    work: async ({ store, values }) => {
      const { header } = await findSession({ store, wanted });
      if (!dryRun) await store.acquire({ session: header.id });
      const { branchSummaries } = values.compaction;
      const summarize = options.summarize ?? (branchSummaries === 'extractive' || branchSummaries === 'model');
      const engine = await createEngine({
        store,
        secrets: secretsOf(io.env),
        clock: { now: io.now },
        hooks: hooksOf({ io, values }),
        policy: policyOf({ values, env: io.env }),
        ...(summarize && (await summarizing({ invocation, store, session: header.id, values }))),
      });
      const session = await engine.open(header.id);
      const printFailures = hookFailuresOf({ invocation, session });
      const place = await placeAt({ store, session: header.id, written });
      const { model } = await targetOf({ session, settings: values, window: undefined });
      const result = await showElapsedTime({
        io,
        text: 'writing the summary',
        calledOff: 'the session was not moved',
        work: (signal) =>
          session.move({
            to: place?.id ?? null,
            model,
            summarize,
            dryRun,
            signal,
            ...(focus !== undefined && focus.trim() !== '' && { focus }),
            ...(label !== undefined && { label }),
          }),
      });
      await printFailures();
      const [leaf] = result.leaf === null ? [] : await session.session.read({ ids: [result.leaf] });
      const shown = leaf && (await shownEntry({ session: session.session, entry: leaf }));
      await printResult({
        invocation,
        value: branchJson({ session: header.id, result, leaf, dryRun }),
        lines: () => branchLines({ result, leaf: shown, wanted, dryRun, paint: paint('stdout') }),
      });
      return result.cancelled === undefined ? 0 : 1;
    },
  });
};

/** The summarizer for branches: the one for compactions, unless the settings name another. */
async function summarizing(of: {
  readonly invocation: Pick<Invocation, 'io'>;
  readonly store: Store;
  readonly session: string;
  readonly values: Settings;
}): Promise<{ readonly summarizer?: Summarizer }> {
  const { io } = of.invocation;
  const { branchSummaries } = of.values.compaction;
  const chosen = branchSummaries === 'preset' || branchSummaries === 'off' ? {} : { summarizer: branchSummaries };
  const values = { ...of.values, compaction: { ...of.values.compaction, ...chosen } };
  const live = await openSession({ store: of.store, id: of.session });
  const summarizer = await summarizerOf({ values, io, conversation: conversationModelOf({ live, io }) });
  return summarizer ? { summarizer } : {};
}

function noTarget(): LonghaulError {
  return new LonghaulError({
    code: 'missing-value',
    message: 'No target was given.',
    hint: 'Add --to HANDLE; `longhaul tree SESSION` shows the handles.',
  });
}

/** The result of a move with its session. */
interface BranchOutput {
  readonly result: MoveResult;
  readonly leaf: Entry | undefined;
  readonly dryRun: boolean;
}

/** The JSON output; see docs/cli.md. */
function branchJson({ session, result, leaf, dryRun }: BranchOutput & { readonly session: string }): object {
  const { moved, text, abandoned, branch, cancelled } = result;
  const at = (entry: number) => formatHandle({ entry });
  return {
    session,
    moved,
    cancelled: cancelled ?? null,
    dryRun,
    leaf: leaf ? at(leaf.handle) : null,
    abandoned: abandoned.map(({ handle }) => at(handle)),
    text: text ?? null,
    summary: branch
      ? {
          text: branch.text,
          strategy: branch.strategy,
          handles: { from: at(branch.handles.from), to: at(branch.handles.to) },
          unread: branch.left,
          files: branch.files,
        }
      : null,
  };
}

/** The text output. */
function branchLines({
  result,
  leaf,
  wanted,
  dryRun,
  paint,
}: BranchOutput & { readonly wanted: string; readonly paint: Paint }): string[] {
  const { moved, abandoned, branch, text, cancelled } = result;
  if (cancelled !== undefined) return [`A hook cancelled the move: ${printable(cancelled)}`];
  const left = count({ amount: abandoned.length, of: 'entry' });
  return [
    ...place(),
    ...(text === undefined || text === '' ? [] : ['', 'The message, for editing:', ...indented(text)]),
    ...(branch ? ['', dryRun ? 'The model would get:' : 'The model gets:', ...indented(branch.text)] : []),
    ...(moved ? ['', paint.faint(`\`longhaul undo ${printable(wanted)}\` returns to the previous position.`)] : []),
  ];

  function place(): string[] {
    if (dryRun) return [`${left} would be abandoned, still in the tree`];
    const where = leaf ? `at @${leaf.handle}` : 'before the first entry';
    if (!moved) return [`the session is already ${where}`];
    return [`the session is now ${where}`, ...(abandoned.length > 0 ? [`${left} abandoned, still in the tree`] : [])];
  }
}

function indented(text: string): string[] {
  return text.split('\n').map((line) => `  ${printable(line)}`.trimEnd());
}
