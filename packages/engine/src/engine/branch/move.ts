import { LonghaulError } from '../../errors.ts';
import type { Part } from '../../message/index.ts';
import { type BranchSummaryEntry, type Entry, type EntryId, nodeTypes, type Session } from '../../session/index.ts';
import type { BeforeMove } from '../hooks/hooks.ts';
import type { HookRunner } from '../hooks/run-hooks.ts';
import { type BranchSummary, type BranchSummaryInput, summarizeBranch } from './branch-summary.ts';

/** A move to another entry of a session's tree. */
export interface MoveInput {
  /** The entry to go to, by id; `null` is before the first. */
  readonly to: EntryId | null;
  /** Whether the branch that is left is summarized at the new place; by default as the policy says. */
  readonly summarize?: boolean;
  /** What the summary is to keep in view. */
  readonly focus?: string;
  /** In place of the usual instructions of the model that makes it. */
  readonly instructions?: string;
  /** A name for the summary, or for the place where there is none. */
  readonly label?: string;
  /** Only tells what would be done. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/** What came of a move, or would come of it. */
export interface MoveResult {
  /** Whether the session moved. */
  readonly moved: boolean;
  /** Why a hook cancelled it. The session did not move. */
  readonly cancelled?: string;
  readonly from: EntryId | null;
  /** The new leaf: the summary, where there is one. */
  readonly leaf: EntryId | null;
  /** The text of the user message that was moved to, for editing. The new leaf is the entry before it. */
  readonly text?: string;
  /** Nodes that are not on the path any more, oldest first. */
  readonly abandoned: readonly Entry[];
  /** The summary of the branch that was left. */
  readonly branch?: BranchSummary;
  readonly summary?: BranchSummaryEntry;
}

/** What a move needs of the engine. */
export interface MoveTools
  extends Pick<
    BranchSummaryInput,
    'session' | 'summarizer' | 'count' | 'countMessage' | 'window' | 'secrets' | 'mode' | 'conversation'
  > {
  /** The hooks of the session. A failing hook is reported and does not stop the move. */
  readonly hooks?: Pick<HookRunner, 'hooks' | 'event'> | undefined;
  /** The trigger; `manual` for a request of the user. */
  readonly trigger?: string;
}

/** So often it is planned anew because something was appended meanwhile. */
const mostPlans = 3;

/**
 * Moves to another entry of the tree. If anything fails or is cancelled, the session does not move. Entries that are
 * appended while the summary is made belong to the branch that is left, so the summary is made again.
 *
 * @example
 * const { text } = await moveSession({ session, to: target, summarize: true, summarizer, count, countMessage });
 */
export async function moveSession({
  hooks,
  trigger = 'manual',
  session,
  to,
  summarize = false,
  label,
  dryRun = false,
  ...tools
}: MoveTools & MoveInput): Promise<MoveResult> {
  const { focus, instructions, signal } = tools;
  signal?.throwIfAborted();
  const place = placeFor(await entryOf({ session, id: to }));
  const handed = place.text === undefined ? {} : { text: place.text };
  const { leaf } = session.head;
  if (to === leaf) return { moved: false, from: leaf, leaf, abandoned: [] };
  const wish = {
    ...(focus !== undefined && { focus }),
    ...(instructions !== undefined && { instructions }),
    ...(label !== undefined && { label }),
  };
  const said = dryRun ? undefined : await before();
  signal?.throwIfAborted();
  if (said?.cancel !== undefined) {
    return { moved: false, cancelled: said.cancel, from: leaf, leaf: session.head.leaf, abandoned: [], ...handed };
  }
  for (let plans = 1; ; plans += 1) {
    const from = session.head.leaf;
    const branch = summarize ? await summarizeLeft() : undefined;
    if (dryRun) {
      const { abandoned } = await session.compare({ to: place.at });
      return { moved: false, from, leaf: from, abandoned, ...handed, ...(branch && { branch }) };
    }
    signal?.throwIfAborted();
    const moved = await go({ from, branch });
    if (moved) return await after(moved);
    if (plans === mostPlans) throw stillWritten();
  }

  /** The message that is handed back for editing is not part of the branch that is summarized. */
  async function summarizeLeft(): Promise<BranchSummary | undefined> {
    const { abandoned } = await session.compare({ to });
    return await summarizeBranch({ ...tools, session, entries: abandoned, said: said?.summary });
  }

  /** Nothing where the session went on meanwhile. */
  async function go(of: { readonly from: EntryId | null; readonly branch: BranchSummary | undefined }) {
    const { from, branch } = of;
    try {
      const { entry, summary, abandoned } = await session.move({
        to: place.at,
        planned: { from },
        ...(branch && { summary: { text: branch.text, details: branch.details } }),
        ...(label !== undefined && { label }),
      });
      const leaf = summary?.id ?? place.at;
      const result = { moved: entry !== undefined, from, leaf, abandoned, ...handed };
      return { ...result, ...(branch && { branch }), ...(summary && { summary }) };
    } catch (error) {
      if (!LonghaulError.is(error) || error.code !== 'context-moved') throw error;
      return undefined;
    }
  }

  async function before() {
    const ask = hooks?.hooks.beforeMove;
    if (!ask) return undefined;
    const { ancestor, abandoned } = await session.compare({ to: place.at });
    const event: BeforeMove = {
      ...hooks.event({ trigger, signal }),
      ...wish,
      from: leaf,
      to: place.at,
      ancestor,
      abandoned: abandoned.length,
      summarize,
    };
    return await ask(event);
  }

  async function after(result: MoveResult): Promise<MoveResult> {
    const { from, leaf, summary } = result;
    const where = { from, to: place.at, leaf, ...(summary && { summary: summary.id }) };
    await hooks?.hooks.afterMove?.({ ...hooks.event({ trigger, signal }), ...where });
    return result;
  }
}

async function entryOf(of: { readonly session: Session; readonly id: EntryId | null }): Promise<Entry | null> {
  if (of.id === null) return null;
  const [entry] = await of.session.read({ ids: [of.id] });
  // Its own words for what is not there, or is nothing to stand on; before anybody is asked for a summary.
  if (!entry || !nodeTypes.has(entry.type)) await of.session.contextAt({ leaf: of.id });
  return entry ?? null;
}

function stillWritten(): LonghaulError {
  return new LonghaulError({
    code: 'still-written',
    message: 'The session was written to while the branch was summarized, several times in a row. It did not move.',
    hint: 'Move when the work pauses, or without a summary.',
  });
}

/** Where a move to an entry leads. */
interface MoveTarget {
  /** Where the session will stand. */
  readonly at: EntryId | null;
  /** What was said there, to be said again in other words. */
  readonly text?: string;
}

/**
 * The leaf after a move to an entry: the entry itself. A user message is meant to be edited: then the leaf is the entry
 * before it, and its text is handed back (sessions.md 7.4).
 *
 * @example
 * placeFor(entry); // { at: entry.parentId, text: 'Fix the build.' }
 */
function placeFor(entry: Entry | null): MoveTarget {
  if (!entry) return { at: null };
  const parts = saidIn(entry);
  return parts ? { at: entry.parentId, text: textOf(parts) } : { at: entry.id };
}

/** The parts of a user message. Messages in the user role that hold tool results are not user messages. */
function saidIn(entry: Entry): readonly Part[] | undefined {
  if (entry.type === 'custom_message') return entry.parts;
  if (entry.type !== 'message' || entry.message.role !== 'user') return undefined;
  const { parts } = entry.message;
  return parts.some(({ type }) => type === 'tool_result') ? undefined : parts;
}

/** What clients put around a person's words is put there again when they are sent. */
function textOf(parts: readonly Part[]): string {
  const texts = parts.filter((part) => part.type === 'text');
  const typed = texts.filter(({ origin }) => origin === 'human');
  return (typed.length > 0 ? typed : texts).map(({ text }) => text).join('\n\n');
}
