import type { Command } from 'commander';
import type { SessionId, Store } from 'longhaul/session';
import { examplesHelp } from '../help.ts';
import type { Action, Bind, Invocation } from '../invocation.ts';
import { callableOff } from '../io/abort-on-sigint.ts';
import { readLog } from '../session/read-log.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { lookIntoStore } from '../store/with-store.ts';
import { clip } from '../text/clip.ts';
import { printable } from '../text/printable.ts';
import { when } from '../text/when.ts';
import { type Decided, decisionsAmong } from '../watch/decisions.ts';

interface WatchOptions {
  readonly all?: true;
}

/** So often the log is looked at. Milliseconds. */
const pause = 400;

/** `longhaul watch SESSION`. */
export function addWatchCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('watch')
    .summary('follow what is decided about a session, one line each, as it happens')
    .description(
      'Follows the log of a session while another process works on it, and tells in one line each what changes in what the model is sent: compactions, prunes, cuts, learned limits, moves, pins. It only looks; Ctrl-C ends it.',
    )
    .usage('SESSION [options]')
    .argument('<SESSION>', 'its id, the beginning of its id, its name, or last')
    .option('--all', 'begin with what was decided before');
  addSettingFlags({ command, keys: ['store.dir'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul watch last', 'in a second terminal, beside the agent'],
        ['longhaul watch last --all', 'from the beginning of the session'],
        ['longhaul watch last --json | jq .kind', 'one JSON object a line, for a program'],
      ],
    })}`,
  );
  bind<WatchOptions>({ command, action: watch });
}

const watch: Action<WatchOptions> = async (invocation) => {
  const { io, args, options, json, paint } = invocation;
  const [wanted = ''] = args;
  return await lookIntoStore({
    invocation,
    work: async ({ store }) => {
      const { header } = await findSession({ store, wanted });
      const { last } = await store.head(header.id);
      if (!json) {
        const text = `watching ${header.id} from @${options.all ? 1 : last + 1} on; Ctrl-C ends it`;
        await io.stderr.write(`${paint('stderr').faint(text)}\n`);
      }
      const from = options.all ? 1 : last + 1;
      await callableOff({ io, work: (signal) => follow({ invocation, store, session: header.id, from, signal }) });
      return 0;
    },
  });
};

/** Looks at what has come, tells it, and waits, until nobody wants to know any more. */
async function follow({
  invocation,
  store,
  session,
  from,
  signal,
}: {
  readonly invocation: Invocation;
  readonly store: Store;
  readonly session: SessionId;
  readonly from: number;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { io } = invocation;
  for (let next = from; !signal.aborted; ) {
    const { last } = await store.head(session);
    const entries = readLog({ store, session, from: next, to: last });
    for await (const decided of decisionsAmong(entries)) {
      if (signal.aborted) return;
      await io.stdout.write(`${lineOf({ invocation, decided })}\n`);
    }
    next = Math.max(next, last + 1);
    await io.sleep({ ms: pause, signal });
  }
}

function lineOf({
  invocation: { io, json, paint },
  decided,
}: {
  readonly invocation: Invocation;
  readonly decided: Decided;
}): string {
  const { at, handle, kind, what, facts } = decided;
  if (json) return JSON.stringify({ at: new Date(at).toISOString(), handle, kind, what, ...facts });
  const { strong, faint } = paint('stdout');
  const place = `${when(at)}  ${handle}`;
  const room = Math.max(20, io.stdout.columns - place.length - 2);
  const text = clip({ text: printable(what), length: room });
  return `${faint(place)}  ${kind === 'compaction' || kind === 'guard' ? strong(text) : text}`;
}
