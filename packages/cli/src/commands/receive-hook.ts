import type { Command } from 'commander';
import { createExtractiveSummarizer, sourceItems } from 'longhaul/engine';
import { openSession, type SessionId, type Store } from 'longhaul/session';
import { secretsOf } from '../agent/secrets-of.ts';
import { asLonghaulError } from '../errors/family.ts';
import { examplesHelp } from '../help.ts';
import { createImporter } from '../import/importer.ts';
import { openLedger } from '../import/ledger.ts';
import { openSource } from '../import/open-source.ts';
import { isRecord } from '../input/is-record.ts';
import { readText } from '../input/read-text.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import type { Io } from '../io/io.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { type Opened, withStore } from '../store/with-store.ts';

/** `longhaul receive-hook`. */
export function addReceiveHookCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('receive-hook')
    .description(
      "Handles a hook of another agent, whose JSON is on standard input. PreCompact and SessionEnd import the agent's transcript, so that nothing is lost; SessionStart after a compaction gives the state of the work back to the agent. Installed by `longhaul install`. It never makes the agent fail.",
    )
    .usage('[options]');
  addSettingFlags({ command, keys: ['store.dir', 'limits.fileBytes', 'limits.lineBytes'] });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [['longhaul install claude', 'installs it as a hook of Claude Code']],
    })}`,
  );
  bind<object>({ command, action: receiveHook });
}

/** What agents send; Claude Code's names, which others use as well. */
interface ReceivedHook {
  readonly event: string;
  readonly transcript: string;
  /** Why a session starts: startup, resume, clear, compact. */
  readonly source: string | undefined;
}

const mostInput = 1_000_000;

const receiveHook: CommandAction<object> = async (invocation) => {
  const { io } = invocation;
  try {
    const hook = await readHook(io);
    if (!hook) return 0;
    const context = await withStore({
      creates: true,
      invocation,
      work: async (opened) => {
        const session = await importTranscript({ io, opened, path: hook.transcript });
        const isCompacted = hook.event === 'SessionStart' && hook.source === 'compact';
        return isCompacted ? await stateOf({ io, store: opened.store, session }) : undefined;
      },
    });
    if (context !== undefined) {
      const output = { hookSpecificOutput: { hookEventName: hook.event, additionalContext: context } };
      await io.stdout.write(`${JSON.stringify(output)}\n`);
    }
  } catch (error) {
    // The other agent must not fail because of its hook.
    const { message, hint } = asLonghaulError(error);
    await io.stderr.write(`longhaul: ${message} ${hint}\n`);
  }
  return 0;
};

/** `undefined` for a hook that says nothing about a transcript. */
async function readHook(io: Io): Promise<ReceivedHook | undefined> {
  const hint = 'The input must be the JSON of a hook.';
  const name = 'standard input';
  const text = await readText({ name, from: { stream: io.stdin() }, limit: { bytes: mostInput, hint } });
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) return undefined;
  const { hook_event_name: event, transcript_path: transcript, source } = value;
  if (typeof event !== 'string' || typeof transcript !== 'string' || transcript === '') return undefined;
  return { event, transcript, source: typeof source === 'string' ? source : undefined };
}

async function importTranscript({
  io,
  opened,
  path,
}: {
  readonly io: Io;
  readonly opened: Opened;
  readonly path: string;
}): Promise<SessionId> {
  const ledger = await openLedger({ io, dir: opened.dir });
  const importer = await createImporter({ io, opened, ledger, format: undefined, isDry: false });
  const source = await openSource({ io, name: path, limit: opened.values.limits.fileBytes });
  try {
    const { report } = await importer.bringIn({ source, signal: new AbortController().signal, leaveUnfinished: true });
    return report.sessionId;
  } finally {
    await ledger.save();
  }
}

/** Tokens that are given back after a compaction of the other agent: the first choice, and what is tried if it is too long. */
const stateBudgets = [2_500, 1_500, 800];

/** Claude Code 2.1.325 writes longer output of a hook to a file, and gives the model only its first lines. */
const mostOutput = 9_000;

/** What the agent needs to go on after its own compaction: rules, state of the work, selected lines with handles. */
async function stateOf({
  io,
  store,
  session,
}: {
  readonly io: Io;
  readonly store: Store;
  readonly session: SessionId;
}): Promise<string> {
  const live = await openSession({ store, id: session, allowDamage: true });
  const header = await store.header(session);
  const items = sourceItems(await live.path());
  let text = '';
  for (const budget of stateBudgets) {
    ({ text } = await createExtractiveSummarizer({ worker: false }).summarize({
      items,
      kept: [],
      pins: [],
      budget,
      secrets: secretsOf(io.env),
      salt: session,
      ...(header?.cwd !== undefined && { root: header.cwd }),
    }));
    if (text.length <= mostOutput) break;
  }
  text = text.slice(0, mostOutput).toWellFormed();
  return `${text}\n\nThis is from the log of the conversation before it was compacted (session ${session}). The exact text of a handle such as @12, and everything else, is in the MCP tools \`recall\` and \`search\` of longhaul.`;
}
