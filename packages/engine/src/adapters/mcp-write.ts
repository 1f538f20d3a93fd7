import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { CompactInput, Engine, EngineSession } from '../engine/index.ts';
import { LonghaulError } from '../errors.ts';
import { addNote, type Memory, memoryKinds, pruneNote, type Repository } from '../memory/index.ts';
import {
  formatHandle,
  openSession,
  parseHandle,
  partTexts,
  type SessionHeader,
  type SessionId,
  type Store,
} from '../session/index.ts';
import { paged, type SessionView, sessionInput, withSign } from './mcp-sessions.ts';

const entryInput = z.string().max(100).describe('The handle of an entry, such as @12.');
const adding = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
const changing = { readOnlyHint: false, destructiveHint: true, openWorldHint: false };

/** What the writing tools of `createMcpServer` work with. */
export interface McpWriting {
  /** Over the same store as the server. */
  readonly engine: Engine;
  /** The model whose window a compaction has to fit, and its tools. */
  readonly target: (session: EngineSession) => Promise<Pick<CompactInput, 'model' | 'tools'>>;
  /** The board of the repository; adds the tools `remember` and `forget`. */
  readonly board?: { readonly memory: Memory; readonly repository: Pick<Repository, 'root' | 'branch'> } | undefined;
  /**
   * Whether a session is a copy that still follows the transcript of another agent. Only labels and memory are possible
   * there: an entry of our own on its path would separate it from the transcript.
   */
  readonly isFollowed?: (header: SessionHeader) => boolean;
  /** Runs one change of a session, for example while the lease of the session is held. */
  readonly exclusively?: <Result>(input: {
    readonly session: SessionId;
    readonly work: () => Promise<Result>;
  }) => Promise<Result>;
}

/** Registers the tools that change sessions and the board. */
export function registerWritingTools({
  server,
  store,
  view: { find, entryAt, masked, answer },
  write: { engine, target, board, isFollowed = () => false, exclusively = ({ work }) => work() },
}: {
  readonly server: McpServer;
  readonly store: Store;
  readonly view: SessionView;
  readonly write: McpWriting;
}): void {
  const change = async (
    wanted: string | undefined,
    work: (session: EngineSession) => Promise<string>,
    { isNote = false }: { readonly isNote?: boolean } = {},
  ) =>
    await answer(async () => {
      const { header } = await find(wanted);
      const { id } = header;
      if (!isNote && isFollowed(header)) throw followed();
      const text = await exclusively({
        session: id,
        work: async () => {
          const session = await engine.open(id);
          return await work(session).finally(async () => await session.close());
        },
      });
      return paged(masked(id, text));
    });

  server.registerTool(
    'pin',
    {
      title: 'Pin a rule',
      description:
        'Pins words of the user as a rule that every later compaction of the session keeps byte for byte. Only messages of the user can be pinned.',
      inputSchema: z.object({
        handle: entryInput.describe('The message of the user, such as @12, or a part of it, such as @12.2.'),
        text: z.string().min(1).max(4_000).optional().describe('The exact words, if not all of the message.'),
        session: sessionInput,
      }),
      annotations: adding,
    },
    async ({ handle, text, session: wanted }) =>
      await change(wanted, async (session) => {
        const { part = 1 } = parseHandle(withSign(handle));
        const { id, ...entry } = await entryAt({ session: session.id, handle });
        const said = 'message' in entry ? entry.message.parts[part - 1] : undefined;
        if (text !== undefined && !partTexts(said ? [said] : []).some((one) => one.text.includes(text)))
          throw notQuoted(handle);
        const pinned = await session.pin({ from: { entry: id, part }, ...(text !== undefined && { text }) });
        return `Pinned as ${formatHandle({ entry: pinned.handle })}: ${pinned.text}`;
      }),
  );

  server.registerTool(
    'unpin',
    {
      title: 'Remove a pin',
      description: 'Removes a pin that `pin` made. Rules that the user pinned or wrote are theirs to remove.',
      inputSchema: z.object({
        handle: entryInput.describe('The handle that `pin` returned.'),
        session: sessionInput,
      }),
      annotations: changing,
    },
    async ({ handle, session: wanted }) =>
      await change(wanted, async (session) => {
        const entry = await entryAt({ session: session.id, handle });
        if (entry.type !== 'pin' || entry.from === undefined) throw notOwnPin(handle);
        await session.pin({ removes: entry.id });
        return `${formatHandle({ entry: entry.handle })} is no longer a rule.`;
      }),
  );

  server.registerTool(
    'label',
    {
      title: 'Name an entry',
      description: 'Names an entry of a session, so that it is found again in its tree. The newest name counts.',
      inputSchema: z.object({
        handle: entryInput,
        label: z.string().min(1).max(200).optional().describe('The name; without it, the entry has none any more.'),
        session: sessionInput,
      }),
      annotations: { ...adding, idempotentHint: true },
    },
    async ({ handle, label = null, session: wanted }) =>
      await change(
        wanted,
        async ({ id, session }) => {
          const entry = await entryAt({ session: id, handle });
          await session.label({ target: entry.id, label });
          return `${formatHandle({ entry: entry.handle })} ${label === null ? 'has no name now' : `is now named "${label}"`}.`;
        },
        { isNote: true },
      ),
  );

  server.registerTool(
    'compact',
    {
      title: 'Compact a session',
      description:
        'Replaces the older part of a session with a summary in what its model is sent when Longhaul continues it. Every entry stays readable by `recall`, and `undo` reverts it. It does not change the context of the agent that calls it.',
      inputSchema: z.object({
        session: sessionInput,
        focus: z.string().max(1_000).optional().describe('What the summary should focus on.'),
      }),
      // A summarizing model may be configured.
      annotations: { ...changing, openWorldHint: true },
    },
    async ({ session: wanted, focus = '' }) =>
      await change(wanted, async (session) => {
        const result = await session.compact({
          ...(await target(session)),
          ...(focus.trim() !== '' && { focus }),
        });
        const { installed, reason, tokensBefore, tokensAfter, summary = '' } = result;
        if (!installed) return `Nothing was compacted. ${reason}`;
        return `Compacted from ${tokensBefore} to ${tokensAfter} tokens. ${reason}\n\n${summary}`;
      }),
  );

  server.registerTool(
    'undo',
    {
      title: 'Undo a compaction',
      description:
        'Undoes the newest compaction, prune or edit of a session: its model is sent again, byte for byte, what it was sent before.',
      inputSchema: z.object({ session: sessionInput }),
      annotations: changing,
    },
    async ({ session: wanted }) =>
      await change(wanted, async (session) => {
        const newest = (await session.session.history()).done.at(-1);
        if (newest?.entry.type === 'leaf') throw movedByPerson();
        const { action } = await session.undo();
        return `Undone: ${action.reason} at ${formatHandle({ entry: action.handle })}.`;
      }),
  );

  if (!board) return;
  const { memory: known, repository } = board;

  server.registerTool(
    'remember',
    {
      title: 'Remember a fact',
      description:
        'Adds a fact about this repository to its memory, for later sessions: a command that worked or a file that matters (in backticks), a pitfall, or a convention, preference or decision in the exact words of the user, with the handle of their message. The session must support it.',
      inputSchema: z.object({
        kind: z.enum(memoryKinds),
        text: z.string().min(1).max(300).describe('One sentence.'),
        handle: entryInput.optional().describe('The message of the user that is quoted, such as @12.'),
        session: sessionInput,
      }),
      annotations: adding,
    },
    async ({ kind, text, handle, session: wanted }) =>
      await answer(async () => {
        const { header } = await find(wanted);
        const session = await openSession({ store, id: header.id, allowDamage: true });
        const note = { kind, text, ...(handle !== undefined && { handle }) };
        const mask = (line: string) => masked(header.id, line);
        const { entry, isNew } = await addNote({ memory: known, note, session, mask, repository, now: Date.now });
        if (!entry) return 'It was known already.';
        return `${isNew ? 'Added' : 'Confirmed'} ${mask(`${entry.id} ${entry.kind}: ${entry.text}`)}`;
      }),
  );

  server.registerTool(
    'forget',
    {
      title: 'Forget a fact',
      description:
        'Archives an entry of the memory that no longer holds. Entries that rest on words of the user are theirs to remove.',
      inputSchema: z.object({ id: z.string().max(20).describe('The id, as `memory` lists it.') }),
      annotations: changing,
    },
    async ({ id }) => await answer(async () => `Archived ${pruneNote({ memory: known, id, now: Date.now }).id}.`),
  );
}

/** For the instructions of the server. */
export const writingInstructions =
  'Call the tools that change something (`pin`, `unpin`, `label`, `compact`, `undo`, `remember`, `forget`) only when the user asks for it.';

function notQuoted(handle: string): LonghaulError {
  return new LonghaulError({
    code: 'pin-not-quoted',
    message: `${withSign(handle)} does not contain these words.`,
    hint: 'Give words of the message exactly as `recall` shows them, or no text for all of it.',
  });
}

function notOwnPin(handle: string): LonghaulError {
  return new LonghaulError({
    code: 'not-pinned',
    message: `${withSign(handle)} is not a pin that this tool made.`,
    hint: 'The user removes other rules with `longhaul pin SESSION --remove HANDLE`.',
  });
}

function followed(): LonghaulError {
  return new LonghaulError({
    code: 'session-followed',
    message: 'This session follows the transcript of another agent, so its conversation cannot be changed here.',
    hint: 'Make a copy with `longhaul fork SESSION`, or use `label` and `remember`.',
  });
}

function movedByPerson(): LonghaulError {
  return new LonghaulError({
    code: 'undo-refused',
    message: 'The newest action is a move or a rewind, which the user made.',
    hint: 'The user undoes it with `longhaul undo SESSION`.',
  });
}
