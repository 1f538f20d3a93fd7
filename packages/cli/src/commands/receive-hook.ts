import type { Command } from 'commander';
import { createExtractiveSummarizer, sourceItems } from 'longhaul/engine';
import { openSession, type SessionId, type Store } from 'longhaul/session';
import { secretsOf } from '../agent/secrets-of.ts';
import { asLonghaulError } from '../errors/family.ts';
import { examplesHelp } from '../help.ts';
import { followAgent } from '../import/follow-agent.ts';
import { createImporter } from '../import/importer.ts';
import { openLedger } from '../import/ledger.ts';
import { openSource } from '../import/open-source.ts';
import { isRecord } from '../input/is-record.ts';
import { readText } from '../input/read-text.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { type Opened, withStore } from '../store/with-store.ts';

/** `longhaul receive-hook`. */
export function addReceiveHookCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('receive-hook')
    .description(
      'Handles a hook of another agent, whose JSON is on standard input. Before a compaction of the agent and at the end of its session it imports the transcript, so that nothing is lost; after a compaction it gives the state of the work back to the agent. Installed by `longhaul install`. It never makes the agent fail.',
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
  /** The file of the session; or the agent and its id of the session, where sessions are in a database. */
  readonly from: { readonly transcript: string } | { readonly agent: string; readonly key: string };
  /** Why a session starts: startup, resume, clear, compact. */
  readonly source: string | undefined;
}

const mostInput = 1_000_000;

/**
 * Agents without a hook after their own compaction: hooks that run soon after it and can add to what the model is sent.
 * Gemini CLI: BeforeAgent, AfterTool. Copilot CLI: UserPromptSubmit, PostToolUse.
 */
const laterEvents: ReadonlySet<string> = new Set(['BeforeAgent', 'AfterTool', 'UserPromptSubmit', 'PostToolUse']);

const receiveHook: CommandAction<object> = async (invocation) => {
  const { io } = invocation;
  try {
    const hook = await readHook(io);
    if (!hook) return 0;
    const { event, from } = hook;
    const isLater = laterEvents.has(event);
    // Runs after every tool call, so the store is opened only if the transcript has a compaction.
    if (isLater && !('transcript' in from && (await hasCompaction({ io, path: from.transcript })))) return 0;
    const context = await withStore({
      creates: true,
      invocation,
      work: async (opened) => {
        const session =
          'transcript' in from
            ? await importTranscript({ io, opened, path: from.transcript })
            : await importSession({ io, opened, ...from });
        if (session === undefined) return undefined;
        const isCompacted = isLater
          ? await isNewCompaction({ io, opened, session })
          : event === 'SessionStart' && hook.source === 'compact';
        return isCompacted ? await stateOf({ io, store: opened.store, session }) : undefined;
      },
    });
    if (context !== undefined) {
      const specific = { hookEventName: event, additionalContext: context };
      // Copilot CLI reads the member on the outside.
      const output = { ...(isLater && { additionalContext: context }), hookSpecificOutput: specific };
      await io.stdout.write(`${JSON.stringify(output)}\n`);
    }
  } catch (error) {
    // The other agent must not fail because of its hook.
    const { message, hint } = asLonghaulError(error);
    await io.stderr.write(`longhaul: ${message} ${hint}\n`);
  }
  return 0;
};

/** `undefined` for a hook that does not say which session it is about. */
async function readHook(io: Io): Promise<ReceivedHook | undefined> {
  const hint = 'The input must be the JSON of a hook.';
  const name = 'standard input';
  const text = await readText({ name, from: { stream: io.stdin() }, limit: { bytes: mostInput, hint } });
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) return undefined;
  const { hook_event_name: event, transcript_path: transcript, source, agent, session_id: key } = value;
  if (typeof event !== 'string') return undefined;
  const reason = typeof source === 'string' ? source : undefined;
  if (typeof transcript === 'string' && transcript !== '') return { event, from: { transcript }, source: reason };
  if (typeof key !== 'string' || !/^[\w-]+$/.test(key)) return undefined;
  if (typeof agent === 'string') return { event, from: { agent, key }, source: reason };
  // Copilot CLI 1.0.102 names the file only before a compaction.
  const { join } = pathOf(io);
  const home = io.env.COPILOT_HOME ?? join(io.home, '.copilot');
  const file = join(home, 'session-state', key, 'events.jsonl');
  const isThere = (await io.files.stat(file).catch(() => undefined)) !== undefined;
  return isThere ? { event, from: { transcript: file }, source: reason } : undefined;
}

/** How a compaction shows in the transcripts of Gemini CLI and Copilot CLI. */
const compactionMarks = ['<state_snapshot>', '"session.compaction_complete"'];

/** Whether the transcript may have a compaction. Much cheaper than reading it as a session. */
async function hasCompaction({ io, path }: { readonly io: Io; readonly path: string }): Promise<boolean> {
  let tail = '';
  for await (const chunk of io.files.read(path)) {
    const text = tail + Buffer.from(chunk).toString('latin1');
    if (compactionMarks.some((mark) => text.includes(mark))) return true;
    tail = text.slice(-40);
  }
  return false;
}

/** Whether the session has a compaction after which its state was not given back yet; from then on it was. */
async function isNewCompaction({
  io,
  opened: { store, dir },
  session,
}: {
  readonly io: Io;
  readonly opened: Opened;
  readonly session: SessionId;
}): Promise<boolean> {
  const newest = (await store.read({ session, query: { types: ['compaction'] } })).at(-1);
  if (!newest) return false;
  const { join } = pathOf(io);
  const folder = join(dir, 'hooks');
  const name = `${session}.json`;
  const isKnown = await readText({
    name,
    from: { files: io.files, path: join(folder, name) },
    limit: { bytes: 1_000, hint: 'Delete the file.' },
  }).then(
    (text) => text.trim() === JSON.stringify({ compaction: newest.id }),
    () => false,
  );
  if (!isKnown) await io.folder(folder).write({ name, text: `${JSON.stringify({ compaction: newest.id })}\n` });
  return !isKnown;
}

/** Imports what an agent that keeps sessions in a database has written in this folder; returns the one that is meant. */
async function importSession({
  io,
  opened,
  agent,
  key,
}: {
  readonly io: Io;
  readonly opened: Opened;
  readonly agent: string;
  readonly key: string;
}): Promise<SessionId | undefined> {
  await (await followAgent({ io, opened, agent, cwd: io.cwd }))();
  const sessions = await opened.store.list({ sort: 'updated', cwd: io.cwd });
  return sessions.find(({ header: { source } }) => source?.format === agent && source.key.startsWith(key))?.header.id;
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
