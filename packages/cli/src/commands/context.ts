import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { createEngine, type EngineSession, guardCut, repairMessages, type TargetModel } from 'longhaul/engine';
import {
  type Conversation,
  codecs,
  type Dialect,
  type Json,
  type Message,
  type Repair,
  writeRequest,
} from 'longhaul/message';
import { conversationOf, type Entry, type EpochEntry, type Session } from 'longhaul/session';
import { type Snapshot, shares } from 'longhaul/tokens';
import { shortenedInput, shortenedLines } from '../context/shortened-input.ts';
import { examplesHelp, sessionArgument } from '../help.ts';
import { tokenCount } from '../input/token-count.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { shownEntry } from '../session/shown-entry.ts';
import { targetOf } from '../session/target.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

/** What the model would be sent at the current position of a session, in the format of its provider. */
interface ContextView {
  readonly provider: Dialect;
  readonly conversation: Conversation;
  /** The head in provider format; `null` if the provider keeps it among the messages, or there is none. */
  readonly system: Json;
  readonly messages: readonly Json[];
  readonly tools: Json | undefined;
  readonly size: Snapshot;
  readonly epoch: EpochEntry | undefined;
  /** The entry that `tree` shows for the epoch: the compaction, prune or edit that opened it, or the epoch itself. */
  readonly openedBy: Entry | undefined;
  /** Repairs that were needed for the provider. */
  readonly repairs: readonly Repair[];
  /** How many messages the guard dropped. */
  readonly cut: number;
}

/** The request member for the head, per provider. */
const headKeys: Readonly<Record<Dialect, string | undefined>> = {
  anthropic: 'system',
  'openai-chat': undefined,
  'openai-responses': 'instructions',
  gemini: 'systemInstruction',
};

/**
 * Computes what would be sent. Nothing is written.
 *
 * @example
 * const { messages, size } = await viewOf({ session, settings: values, window: undefined, guard: false });
 */
async function viewOf({
  session,
  settings,
  window,
  guard,
}: {
  readonly session: EngineSession;
  readonly settings: Parameters<typeof targetOf>[0]['settings'];
  readonly window: number | undefined;
  readonly guard: boolean;
}): Promise<ContextView> {
  const live = session.session;
  const { model, tools } = await targetOf({ session, settings, window });
  const provider = model.dialect;
  const { head, messages } = conversationOf(live);
  const repairedList = (kept: Conversation['messages']) => repairMessages({ messages: kept, dialect: provider });
  const whole = repairedList(messages);
  const kept = guard
    ? await guarded({ session, model, conversation: { head, messages: whole.messages, tools } })
    : whole.messages;
  const { messages: sent, repairs } = guard ? repairedList(kept) : whole;
  const conversation = { head, messages: sent, tools };
  const isCut = kept.length < whole.messages.length;
  const { snapshot } = await session.size({ model, tools, ...(isCut && { messages: [...head, ...sent] }) });
  const body = writeRequest({ dialect: provider, conversation });
  const key = headKeys[provider];
  const items = body[codecs[provider].itemsKey];
  const epoch = await epochOf(live);
  return {
    provider,
    conversation,
    system: (key === undefined ? undefined : body[key]) ?? null,
    messages: Array.isArray(items) ? items : [],
    tools: body.tools,
    size: snapshot,
    epoch,
    openedBy: epoch && (await shownEntry({ session: live, entry: epoch })),
    repairs: guard ? [...whole.repairs, ...repairs] : repairs,
    cut: whole.messages.length - kept.length,
  };
}

async function epochOf(live: Session): Promise<EpochEntry | undefined> {
  const { epoch } = live.context;
  const [entry] = epoch === null ? [] : await live.read({ ids: [epoch] });
  return entry?.type === 'epoch' ? entry : undefined;
}

/** More attempts than this do not shrink it further. */
const mostAttempts = 12;

/**
 * Applies the engine's guard to a copy of the context. Each attempt keeps less, until the upper bound fits.
 *
 * @example
 * await guarded({ session, model, conversation });
 */
async function guarded({
  session,
  model,
  conversation: { head, messages, tools },
}: {
  readonly session: EngineSession;
  readonly model: TargetModel;
  readonly conversation: Conversation;
}): Promise<readonly Message[]> {
  const sizeOf = (kept: readonly Message[]) => session.size({ model, tools, messages: [...head, ...kept] });
  const { snapshot, countMessage, toolTokens } = await sizeOf(messages);
  const items = messages.map((message) => ({ message, tokens: countMessage(message) }));
  const fixed = head.reduce((sum, message) => sum + countMessage(message), toolTokens);
  const ours = items.reduce((sum, { tokens }) => sum + tokens, fixed);
  const most = snapshot.window - snapshot.reserve;
  let limit = (most * ours) / Math.max(1, snapshot.bound) - fixed;
  let kept: readonly Message[] = messages;
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    kept = guardCut({ items, headCount: 0, limit }).kept.flatMap((index) => messages[index] ?? []);
    if ((await sizeOf(kept)).snapshot.bound <= most) break;
    limit *= 0.9;
  }
  return kept;
}

interface ContextOptions {
  readonly window?: string;
  readonly guard?: true;
}

/** `longhaul context SESSION`. */
export function addContextCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('context')
    .description(
      'Shows what the model is sent at the current position of a session, in the format of its provider, with token counts. Read-only: nothing is written.',
    )
    .usage('SESSION [options]')
    .argument('<SESSION>', sessionArgument)
    .option('--window <tokens>', "the context window to compare with; default: the model's own")
    .option('--guard', 'drop what a full window would force out: older rounds first, never the latest request');
  addSettingFlags({ command, keys: ['provider', 'store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul context last', 'how full is the window?'],
        ['longhaul context last --provider openai-chat --json', 'the request for OpenAI'],
        ['longhaul context last --window 32000 --guard', 'what fits a small model'],
      ],
    })}`,
  );
  bind<ContextOptions>({ command, action: showContext });
}

const showContext: CommandAction<ContextOptions> = async (invocation) => {
  const { args, options, paint } = invocation;
  const window =
    options.window === undefined ? undefined : tokenCount({ flag: '--window', text: options.window, least: 100 });
  return await withStore({
    invocation,
    work: async ({ store, values }) => {
      const { header } = await findSession({ store, wanted: args[0] ?? '' });
      const session = await (await createEngine({ store, clock: { now: invocation.io.now } })).open(header.id);
      const live = session.session;
      const view = await viewOf({ session, settings: values, window, guard: options.guard === true });
      if (options.guard && !isFitting(view)) throw cannotFit(view);
      const shortened = await shortenedInput(live);
      await printResult({
        fits: true,
        invocation,
        value: { ...viewJson(view), shortened },
        lines: () => viewLines({ live, view, shortened, paint: paint('stdout') }),
      });
      return 0;
    },
  });
};

/** The JSON output; see docs/sessions.md. */
function viewJson({ provider, system, messages, tools, size, epoch, openedBy, repairs, cut }: ContextView): object {
  const { used, bound, window, system: head, tools: ofTools, messages: talk, toolResults, files, reserve, free } = size;
  return {
    provider,
    system,
    messages,
    ...(tools !== undefined && { tools }),
    tokens: used,
    bound,
    window,
    epoch: epoch
      ? {
          id: epoch.id,
          handle: `@${epoch.handle}`,
          reason: epoch.reason,
          entry: `@${openedBy?.handle ?? epoch.handle}`,
        }
      : null,
    breakdown: { system: head, tools: ofTools, messages: talk, toolResults, files, reserve, free },
    repairs,
    cut,
  };
}

function viewLines({
  live,
  view,
  shortened,
  paint,
}: {
  readonly live: Session;
  readonly view: ContextView;
  /** Positions of the input that does not fit. */
  readonly shortened: readonly string[];
  readonly paint: Paint;
}): string[] {
  const { provider, size, epoch, openedBy, repairs, cut, conversation } = view;
  const sent = count({ amount: conversation.head.length + conversation.messages.length, of: 'message' });
  const since = epoch && openedBy ? `since the ${epoch.reason} at @${openedBy.handle}` : 'from the beginning';
  const over = size.bound + size.reserve - size.window;
  return [
    `${paint.strong(live.id)}  ${sent} for ${provider}, ${printable(since)}`,
    ...meterLines({ size, paint }),
    ...(over > 0 ? [paint.bad(`It may not fit: ${number(over)} tokens over, including the output reserve.`)] : []),
    ...(cut > 0 ? [`The guard dropped ${count({ amount: cut, of: 'message' })} from this view.`] : []),
    ...shortenedLines({ places: shortened, session: live.id }),
    ...repairs.map(({ message }) => paint.faint(`repaired for ${provider}: ${printable(message)}`)),
  ];
}

function isFitting({ size }: ContextView): boolean {
  return size.bound + size.reserve <= size.window;
}

function cannotFit({ size }: ContextView): LonghaulError {
  const over = number(size.bound + size.reserve - size.window);
  return new LonghaulError({
    code: 'cannot-fit',
    message: `The head and the latest request, which are never cut, are ${over} tokens too large for a window of ${number(size.window)}.`,
    hint: 'Use a larger window.',
  });
}

const cells = 50;

const names = {
  system: 'system',
  tools: 'tools',
  messages: 'messages',
  toolResults: 'tool results',
  files: 'files',
} as const;

/**
 * How full a window is: a bar with used, upper bound and free, then the numbers.
 *
 * @example
 * meterLines({ size, paint });
 */
function meterLines({ size, paint }: { readonly size: Snapshot; readonly paint: Paint }): string[] {
  const wide = (tokens: number) => Math.min(cells, Math.round((tokens / size.window) * cells));
  const used = wide(size.used);
  const bound = Math.max(used, wide(size.bound));
  const bar = `${paint.strong('█'.repeat(used))}${'▒'.repeat(bound - used)}${paint.faint('░'.repeat(cells - bound))}`;
  const parts = shares.filter((share) => size[share] > 0).map((share) => `${names[share]} ${number(size[share])}`);
  const rest = [`reserve ${number(size.reserve)}`, `free ${number(size.free)}`];
  return [
    `${bar} ${number(size.used)} of ${number(size.window)} tokens, at most ${number(size.bound)}`,
    [...parts, ...rest].join(', '),
  ];
}
