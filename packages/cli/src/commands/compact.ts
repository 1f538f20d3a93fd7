import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { type CompactionResult, createEngine, type EngineSession } from 'longhaul/engine';
import { type EntryId, formatHandle, openSession, type Store } from 'longhaul/session';
import { secretsOf } from '../agent/secrets-of.ts';
import { startTelemetry } from '../agent/telemetry.ts';
import { beforeAfter } from '../compaction/before-after.ts';
import { conversationModelOf } from '../compaction/conversation-model.ts';
import { asksModel, policyOf } from '../compaction/policy-of.ts';
import { askedLines, lossLines } from '../compaction/result-lines.ts';
import { compactionSettings, summaryModelSettings } from '../compaction/settings.ts';
import { summarizerOf } from '../compaction/summarizer-of.ts';
import { shortenedInput, shortenedLines } from '../context/shortened-input.ts';
import { examplesHelp, sessionArgument } from '../help.ts';
import { hooksOf } from '../hooks/configured.ts';
import { hookFailuresOf } from '../hooks/failures.ts';
import { reportRefusedSettings } from '../hooks/refused.ts';
import { tokenCount } from '../input/token-count.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { wireSettings } from '../models/wire-limits.ts';
import { showElapsedTime } from '../output/elapsed-time.ts';
import { printResult } from '../output/print-result.ts';
import { entryAt } from '../session/position.ts';
import { targetOf } from '../session/target.ts';
import { addSettingFlags } from '../settings/flags.ts';
import type { Resolved } from '../settings/resolve.ts';
import type { settingsSchema } from '../settings/schema.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

/** Lines of the summary shown; the rest is available by handle or with --json. */
const most = 40;

/** The text output. `place` is the handle of the compaction, once installed. */
function compactLines({
  result,
  window,
  wanted,
  place,
  paint,
}: {
  readonly result: CompactionResult;
  readonly window: number;
  /** The session as given on the command line. */
  readonly wanted: string;
  readonly place: string | undefined;
  readonly paint: Paint;
}): string[] {
  const { installed, worthwhile, reason, tokensBefore: before, tokensAfter: after, loss, summary } = result;
  const asked = askedLines(result);
  if (!loss || summary === undefined) return [printable(reason)];
  if (!worthwhile) return [`Nothing was compacted. ${printable(reason)}`, ...asked];
  const lines = summary.split('\n');
  const more = lines.length - most;
  const whole = place === undefined ? '--json' : `longhaul recall ${printable(wanted)} ${place}`;
  return [
    ...beforeAfter({ before, after, window, isDone: installed, paint }),
    printable(reason),
    `${installed ? 'Saved' : 'Would save'}: ${number(before - after)} tokens.`,
    ...asked,
    ...lossLines(loss),
    '',
    ...lines.slice(0, most).map((line) => `  ${printable(line)}`.trimEnd()),
    ...(more > 0 ? [paint.faint(`  … ${number(more)} more lines: ${whole}`)] : []),
    ...(installed ? ['', paint.faint(`\`longhaul undo ${printable(wanted)}\` reverts it.`)] : []),
  ];
}

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
    .description(
      'Replaces the older part of a session with a summary in what the model is sent. Nothing is lost: the log keeps every entry under its handle, and `undo` reverts the compaction. It works from two messages on, however full the window is, if it saves anything. Pending input is not changed.',
    )
    .usage('SESSION [options]')
    .argument('<SESSION>', sessionArgument)
    .option('--window <tokens>', "the context window to fit; default: the model's own")
    .option('--focus <text>', 'what the summary should focus on')
    .option('--from <handle>', 'the first entry to replace, e.g. @12')
    .option('--to <handle>', 'the last entry to replace')
    .option('--dry-run', 'show what would be done without doing it')
    .option('--config <file>', 'a trusted settings file, including its hooks and endpoint');
  addSettingFlags({
    command,
    keys: ['provider', 'store.dir', ...compactionSettings, 'otel.enabled', ...wireSettings],
  });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul compact last --dry-run', 'what would be replaced, and what would be lost?'],
        ['longhaul compact last --focus "the login bug"', 'focus the summary'],
        ['longhaul compact last --from @12 --to @80', 'only that part'],
        ['longhaul compact last --summarizer model --summary-model NAME', 'let a model write the summary'],
        ['longhaul undo last', 'revert it'],
      ],
    })}\n\nThe exit code is 1 when nothing would be saved.`,
  );
  bind<CompactOptions>({ command, action: compact });
}

const compact: CommandAction<CompactOptions> = async (invocation) => {
  const { io, args, options, paint } = invocation;
  const { focus = '', dryRun = false } = options;
  const [wanted = ''] = args;
  const window =
    options.window === undefined ? undefined : tokenCount({ flag: '--window', text: options.window, least: 1_000 });
  const resolved = await invocation.settings();
  await reportRefusedSettings({ invocation, resolved });
  if (!asksModel(resolved.values.compaction)) refuseInVain(resolved);
  return await withStore({
    invocation,
    purpose: 'longhaul compact',
    work: async ({ store, values }) => {
      const { header } = await findSession({ store, wanted });
      if (!dryRun) await store.acquire({ session: header.id });
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
      const result = await showElapsedTime({
        io,
        text: summarizer ? 'waiting for the summary of the model' : 'selecting what to keep',
        calledOff: 'nothing was compacted',
        work: (signal) =>
          session.compact({
            ...target,
            ...range,
            dryRun,
            signal,
            ...(focus.trim() !== '' && { focus }),
          }),
      });
      await telemetry.close();
      await failures();
      const place = result.installed ? await placeOf(session) : undefined;
      const shortened = await shortenedInput(session.session);
      await printResult({
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

/** The JSON output; see docs/cli.md. */
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

/** The range to replace, if one was chosen. Both ends must be in the context, the earlier one first. */
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

/** The entry of the newest compaction. */
async function placeOf({ session }: EngineSession): Promise<string | undefined> {
  const newest = (await session.read({ types: ['compaction'] })).at(-1);
  return newest && formatHandle({ entry: newest.handle });
}

function notSent(handle: number): LonghaulError {
  return new LonghaulError({
    code: 'not-in-context',
    message: `@${handle} is not in the current context, so a compaction cannot begin or end there.`,
    hint: 'Choose a message that `longhaul show SESSION` lists and that no compaction has replaced.',
  });
}

/** A flag without effect is an error; the same setting in a file is not. */
function refuseInVain({ given }: Resolved<typeof settingsSchema>): void {
  const flag = given.find(
    ({ key, origin }) => origin.kind === 'flag' && summaryModelSettings.some((name) => name === key),
  )?.setting.flag;
  if (flag === undefined) return;
  throw new LonghaulError({
    code: 'bad-usage',
    message: `${flag} configures a summarizing model, but the summary is made without one.`,
    hint: `Add --summarizer model, or omit ${flag}.`,
  });
}
