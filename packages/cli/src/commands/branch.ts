import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { createEngine, type Summarizer } from 'longhaul/engine';
import { openSession, type Store } from 'longhaul/session';
import { secretsOf } from '../agent/secrets-of.ts';
import { branchJson, branchLines } from '../branch/lines.ts';
import { conversationModelOf } from '../compaction/conversation-model.ts';
import { policyOf } from '../compaction/policy-of.ts';
import { compactionSettings } from '../compaction/settings.ts';
import { summarizerOf } from '../compaction/summarizer-of.ts';
import { examplesHelp } from '../help.ts';
import { hookFailuresOf } from '../hooks/failures.ts';
import { hooksOf } from '../hooks/hooks-of.ts';
import { tellRefused } from '../hooks/refused.ts';
import type { Action, Bind, Invocation } from '../invocation.ts';
import { wireSettings } from '../models/wire-limits.ts';
import { answer } from '../output/answer.ts';
import { waiting } from '../output/waiting.ts';
import { placeAt } from '../session/place.ts';
import { shownEntry } from '../session/shown-entry.ts';
import { targetOf } from '../session/target.ts';
import { addSettingFlags } from '../settings/flags.ts';
import type { Settings } from '../settings/schema.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';

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
    .summary('go on from elsewhere in a session, and tell the model what was tried')
    .description(
      'Lets a session go on from another entry. To a message of yours means before it: its text is given back, to be said otherwise. With --summarize the model is told, at the new place, what happened on the branch that is left: what was said there, what came of it, the rules that were set, the files that were read and changed. Nothing is lost: what is left stays in the tree, and `undo` returns to it.',
    )
    .usage('SESSION --to HANDLE [options]')
    .argument('<SESSION>', 'its id, the beginning of its id, its name, or last')
    .option('--to <handle>', 'the entry to go on from, e.g. @12; root is before the first')
    .option('--summarize', 'summarize at the new place what is left behind')
    .option('--no-summarize', 'leave no summary, whatever the settings say')
    .option('--focus <text>', 'what the summary is to keep in view')
    .option('--label <name>', 'a name for the summary, or for the entry where there is none')
    .option('--dry-run', 'tell what would be done, and do nothing')
    .option('--config <file>', 'a settings file whose hooks to run, too');
  addSettingFlags({
    command,
    keys: ['provider', 'store.dir', 'compaction.branchSummaries', ...compactionSettings, ...wireSettings],
  });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul tree last', 'see where one can go on from'],
        ['longhaul branch last --to @12 --summarize --dry-run', 'what would the model be told?'],
        ['longhaul branch last --to @12 --summarize', 'go there, and tell it'],
        ['longhaul undo last', 'return to where it stood'],
      ],
    })}`,
  );
  bind<BranchOptions>({ command, action: branch });
}

const branch: Action<BranchOptions> = async (invocation) => {
  const { io, args, options, paint } = invocation;
  const { to: written, focus, label, dryRun = false } = options;
  if (written === undefined) throw noTarget();
  const wanted = args[0] ?? '';
  await tellRefused({ invocation, resolved: await invocation.settings() });
  return await withStore({
    invocation,
    work: async ({ store, values }) => {
      const { header } = await findSession({ store, wanted });
      const { branchSummaries } = values.compaction;
      const summarize = options.summarize ?? (branchSummaries === 'extractive' || branchSummaries === 'model');
      const engine = await createEngine({
        ...{ store, secrets: secretsOf(io.env), clock: { now: io.now }, hooks: hooksOf({ io, values }) },
        policy: policyOf({ values, env: io.env }),
        ...(summarize && (await summarizing({ invocation, store, session: header.id, values }))),
      });
      const session = await engine.open(header.id);
      const tellFailures = hookFailuresOf({ invocation, session });
      const place = await placeAt({ store, session: header.id, written });
      const { model } = await targetOf({ session, settings: values, window: undefined });
      const result = await waiting({
        io,
        text: 'choosing what to tell',
        calledOff: 'the session stands where it stood',
        work: (signal) =>
          session.move({
            ...{ to: place?.id ?? null, model, summarize, dryRun, signal },
            ...(focus !== undefined && focus.trim() !== '' && { focus }),
            ...(label !== undefined && { label }),
          }),
      });
      await tellFailures();
      const [leaf] = result.leaf === null ? [] : await session.session.read({ ids: [result.leaf] });
      const shown = leaf && (await shownEntry({ session: session.session, entry: leaf }));
      await answer({
        invocation,
        value: branchJson({ session: header.id, result, leaf, dryRun }),
        lines: () => branchLines({ result, leaf: shown, wanted, dryRun, paint: paint('stdout') }),
      });
      return result.cancelled === undefined ? 0 : 1;
    },
  });
};

/** The summarizer of branches: that of compactions, unless the settings name another way. */
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
    message: 'longhaul branch needs to know where to go on from.',
    hint: 'Add --to HANDLE; `longhaul tree SESSION` shows the handles.',
  });
}
