import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { createEngine } from 'longhaul/engine';
import type { Session } from 'longhaul/session';
import { meterLines } from '../context/meter.ts';
import { shortenedInput, shortenedLines } from '../context/shortened-input.ts';
import { type View, viewOf } from '../context/view.ts';
import { examplesHelp } from '../help.ts';
import { tokenCount } from '../input/token-count.ts';
import type { Action, Bind } from '../invocation.ts';
import { answer } from '../output/answer.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { withStore } from '../store/with-store.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

interface ContextOptions {
  readonly window?: string;
  readonly guard?: true;
}

/** `longhaul context SESSION`. */
export function addContextCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('context')
    .summary('what the model is sent, and how full its window is')
    .description(
      'Shows what the model is sent where the session stands, in the words of its provider, with the tokens it takes. It is a view: nothing is written.',
    )
    .usage('SESSION [options]')
    .argument('<SESSION>', 'its id, the beginning of its id, its name, or last')
    .option('--window <tokens>', "how it would fit into a window of this size; by default the model's own")
    .option('--guard', 'leave out what a full window would force out: older rounds first, never the latest request');
  addSettingFlags({ command, keys: ['provider', 'store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul context last', 'how full is the window?'],
        ['longhaul context last --provider openai-chat --json', 'what OpenAI would be sent'],
        ['longhaul context last --window 32000 --guard', 'what a small model could take'],
      ],
    })}`,
  );
  bind<ContextOptions>({ command, action: showContext });
}

const showContext: Action<ContextOptions> = async (invocation) => {
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
      await answer({
        invocation,
        value: { ...viewJson(view), shortened },
        lines: () => viewLines({ live, view, shortened, paint: paint('stdout') }),
      });
      return 0;
    },
  });
};

/** The shape is described in docs/sessions.md. */
function viewJson({ provider, system, messages, tools, size, epoch, openedBy, repairs, cut }: View): object {
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
  readonly view: View;
  /** Where the input is that does not fit. */
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
    ...(over > 0 ? [paint.bad(`It may not fit: ${number(over)} tokens over, with the reserve for the answer.`)] : []),
    ...(cut > 0 ? [`The guard left ${count({ amount: cut, of: 'message' })} out of this view.`] : []),
    ...shortenedLines({ places: shortened, session: live.id }),
    ...repairs.map(({ message }) => paint.faint(`mended for ${provider}: ${printable(message)}`)),
  ];
}

function isFitting({ size }: View): boolean {
  return size.bound + size.reserve <= size.window;
}

function cannotFit({ size }: View): LonghaulError {
  const over = number(size.bound + size.reserve - size.window);
  return new LonghaulError({
    code: 'cannot-fit',
    message: `what may not be cut (the head and the latest request) is ${over} tokens too large for a window of ${number(size.window)}.`,
    hint: 'Use a larger window.',
  });
}
