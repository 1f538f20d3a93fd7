import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { type CompactionResult, createEngine, type EngineSession } from 'longhaul/engine';
import { type EntryId, formatHandle, openSession, type Store } from 'longhaul/session';
import { secretsOf } from '../agent/secrets-of.ts';
import { compactLines } from '../compaction/compact-lines.ts';
import { conversationModelOf } from '../compaction/conversation-model.ts';
import { asksModel, policyOf } from '../compaction/policy-of.ts';
import { compactionSettings, summaryModelSettings } from '../compaction/settings.ts';
import { summarizerOf } from '../compaction/summarizer-of.ts';
import { shortenedInput, shortenedLines } from '../context/shortened-input.ts';
import { examplesHelp } from '../help.ts';
import { hookFailuresOf } from '../hooks/failures.ts';
import { hooksOf } from '../hooks/hooks-of.ts';
import { tellRefused } from '../hooks/refused.ts';
import { tokenCount } from '../input/token-count.ts';
import type { Action, Bind } from '../invocation.ts';
import { wireSettings } from '../models/wire-limits.ts';
import { answer } from '../output/answer.ts';
import { waiting } from '../output/waiting.ts';
import { entryAt } from '../session/place.ts';
import { targetOf } from '../session/target.ts';
import { addSettingFlags } from '../settings/flags.ts';
import type { Resolved } from '../settings/resolve.ts';
import type { settingsSchema } from '../settings/schema.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { startTelemetry } from '../telemetry/start-telemetry.ts';
import { printable } from '../text/printable.ts';

interface CompactOptions {
  readonly window?: string;
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
      'Replaces the older part of a session by a summary, in what the model is sent. Nothing is lost: every word stays in the log under its handle, and `undo` takes it back. It works from two messages on, however full the window is, if anything is gained. Input that waits for an answer stays as it is.',
    )
    .usage('SESSION [options]')
    .argument('<SESSION>', 'its id, the beginning of its id, its name, or last')
    .option('--window <tokens>', "the window it has to fit into; by default the model's own")
    .option('--focus <text>', 'what to keep in view')
    .option('--from <handle>', 'the first entry to replace, e.g. @12')
    .option('--to <handle>', 'the last entry to replace')
    .option('--dry-run', 'tell what would be done, and do nothing')
    .option('--config <file>', 'a settings file to trust, its hooks and its endpoint too');
  addSettingFlags({
    command,
    keys: ['provider', 'store.dir', ...compactionSettings, 'otel.enabled', ...wireSettings],
  });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul compact last --dry-run', 'what would be replaced, and what would be lost to the model?'],
        ['longhaul compact last --focus "the login bug"', 'keep that in view'],
        ['longhaul compact last --from @12 --to @80', 'only that part'],
        ['longhaul compact last --summarizer model --summary-model NAME', 'with the words of a model'],
        ['longhaul undo last', 'take it back'],
      ],
    })}\n\nThe exit code is 1 when nothing would be gained.`,
  );
  bind<CompactOptions>({ command, action: compact });
}

const compact: Action<CompactOptions> = async (invocation) => {
  const { io, args, options, paint } = invocation;
  const { focus = '', dryRun = false } = options;
  const [wanted = ''] = args;
  const window =
    options.window === undefined ? undefined : tokenCount({ flag: '--window', text: options.window, least: 1_000 });
  const resolved = await invocation.settings();
  await tellRefused({ invocation, resolved });
  if (!asksModel(resolved.values.compaction)) refuseInVain(resolved);
  return await withStore({
    invocation,
    work: async ({ store, values }) => {
      const { header } = await findSession({ store, wanted });
      const live = await openSession({ store, id: header.id });
      const conversation = conversationModelOf({ live, io });
      const summarizer = await summarizerOf({ values, io, conversation });
      const hooks = hooksOf({ io, values });
      const policy = policyOf({ values, env: io.env });
      const clock = { now: io.now };
      const secrets = secretsOf(io.env);
      const engine = await createEngine({ store, secrets, clock, hooks, policy, ...(summarizer && { summarizer }) });
      const session = await engine.open(header.id);
      const failures = hookFailuresOf({ invocation, session });
      const telemetry = await startTelemetry({ values, io });
      telemetry.observeSession(session);
      const range = await rangeOf({ store, session, options });
      const target = await targetOf({ session, settings: values, window });
      const { snapshot } = await session.size(target);
      const result = await waiting({
        io,
        text: summarizer ? 'waiting for the words of the model' : 'choosing what to keep',
        calledOff: 'nothing was compacted, the session is as it was',
        work: (signal) =>
          session.compact({
            ...{ ...target, ...range, dryRun, signal },
            ...(focus.trim() !== '' && { focus }),
          }),
      });
      await telemetry.close();
      await failures();
      const place = result.installed ? await placeOf(session) : undefined;
      const shortened = await shortenedInput(session.session);
      await answer({
        invocation,
        value: { session: header.id, ...resultJson(result) },
        lines: () => [
          ...compactLines({ result, window: snapshot.window, wanted, place, paint: paint('stdout') }),
          ...shortenedLines({ places: shortened, session: printable(wanted) }),
        ],
      });
      return result.worthwhile ? 0 : 1;
    },
  });
};

/** The shape is described in docs/cli.md. */
function resultJson(result: CompactionResult) {
  const { installed, reason, strategy, tokensBefore, tokensAfter, cut, summary, attempts = [], loss } = result;
  const handle = (entry: number | null) => (entry === null ? null : formatHandle({ entry }));
  return {
    installed,
    reason,
    strategy: strategy ?? null,
    tokensBefore,
    tokensAfter,
    cut: cut ? { replacedTo: handle(cut.replacedTo), keptFrom: handle(cut.keptFrom) } : null,
    summary: summary ?? null,
    attempts: attempts.map(({ model = null, why = null, ...attempt }) => ({ ...attempt, model, why })),
    loss: loss
      ? { ...loss, handles: loss.handles && { from: handle(loss.handles.from), to: handle(loss.handles.to) } }
      : null,
  };
}

/** The stretch to replace, where one was chosen. Its ends must be among what is sent, the earlier one first. */
async function rangeOf({
  store,
  session,
  options,
}: {
  readonly store: Store;
  readonly session: EngineSession;
  readonly options: CompactOptions;
}): Promise<{ readonly from?: EntryId; readonly to?: EntryId }> {
  const sent = session.context.items.map(({ entry }) => entry);
  const find = async (written: string | undefined) => {
    if (written === undefined) return undefined;
    const { id, handle } = await entryAt({ store, session: session.id, written });
    const index = sent.indexOf(id);
    if (index < 0) throw notSent(handle);
    return { id, handle, index };
  };
  const from = await find(options.from);
  const to = await find(options.to);
  if (from && to && from.index > to.index) {
    throw new LonghaulError({
      code: 'bad-usage',
      message: `--from @${from.handle} is after --to @${to.handle}.`,
      hint: 'Give the earlier entry first.',
    });
  }
  return { ...(from && { from: from.id }), ...(to && { to: to.id }) };
}

/** The entry that holds the newest compaction. */
async function placeOf({ session }: EngineSession): Promise<string | undefined> {
  const newest = (await session.read({ types: ['compaction'] })).at(-1);
  return newest && formatHandle({ entry: newest.handle });
}

function notSent(handle: number): LonghaulError {
  return new LonghaulError({
    code: 'not-in-context',
    message: `@${handle} is not among the messages that are sent, so no compaction can begin or end there.`,
    hint: 'Name a message that `longhaul show SESSION` lists and no compaction has replaced.',
  });
}

/** A flag that would change nothing is a mistake; a setting in a file may wait for its time. */
function refuseInVain({ given }: Resolved<typeof settingsSchema>): void {
  const flag = given.find(
    ({ key, origin }) => origin.kind === 'flag' && summaryModelSettings.some((name) => name === key),
  )?.setting.flag;
  if (flag === undefined) return;
  throw new LonghaulError({
    code: 'bad-usage',
    message: `${flag} says how a model is asked, and the summary is made without one.`,
    hint: `Add --summarizer model, or leave ${flag} out.`,
  });
}
