import { isObject, type Json, type JsonObject, sameJson } from '../json.ts';
import type { Message, ToolDefinition } from '../message/index.ts';
import type { TargetModel } from '../models/index.ts';
import { type Context, type Entry, type EntryId, headLength, type Session } from '../session/index.ts';
import { historyOf } from '../session/internal.ts';
import type { Narrative, PreviousSummary } from '../summarize/index.ts';
import type { CacheActivity } from './prune/cache-prices.ts';
import { validRequestFor } from './repair-request.ts';

/** What a session has learned and agreed on. */
export interface SessionState {
  /** Windows that providers named or let us find out, by `provider/model`. */
  readonly limits: Readonly<Record<string, number>>;
  readonly state: JsonObject;
  /** A compaction or a prune was undone and nothing has been decided since. */
  readonly isSuspended: boolean;
  /** The hash of the tools that were offered last, and the tools. */
  readonly tools?: string;
  readonly offered?: readonly ToolDefinition[];
  /** The key of the prompt that the head was rendered from. */
  readonly prompt?: string;
  /** The model that was spoken to last. */
  readonly model?: string;
  /** The newest words of a model about the conversation: in a compaction, or come too late for one. */
  readonly previous?: PreviousSummary;
}

/**
 * Follows the log: what it says is agreed on, whoever wrote it, this engine or another one on the same session. All of
 * it is looked through once, and again when the session went elsewhere; otherwise only what is new.
 */
export function followState(session: Session): () => Promise<SessionState> {
  let known: { readonly standing: SessionState; readonly last: number } | undefined;
  return async () => {
    const { last } = session.head;
    if (known?.last === last) return known.standing;
    const standing = (known && (await advance({ session, ...known, to: last }))) ?? (await readState(session));
    known = { standing, last };
    return standing;
  };
}

async function advance({
  session,
  standing,
  last,
  to,
}: {
  readonly session: Session;
  readonly standing: SessionState;
  readonly last: number;
  readonly to: number;
}): Promise<SessionState | undefined> {
  const entries = (await session.read({ after: last })).filter(({ handle }) => handle <= to);
  const isTurn = (entry: Entry) =>
    entry.type === 'leaf' ||
    (entry.type === 'epoch' && (standing.isSuspended || entry.reason === 'undo' || entry.reason === 'redo'));
  return entries.some(isTurn) ? undefined : reduce({ standing, entries });
}

/** What a session has learned and agreed on, read off its log: on any machine the same. */
async function readState(session: Session): Promise<SessionState> {
  const [entries, actions] = await Promise.all([
    session.read({ types: ['custom', 'model_change', 'compaction'] }),
    session.read({ types: ['epoch', 'leaf'] }),
  ]);
  const { done, undone } = historyOf({ entries: actions });
  const isHeld = undone.some(({ entry }) => shrinking.has(entry.reason));
  const standing = { limits: {}, state: {}, isSuspended: isHeld };
  // What a model wrote in a compaction that was taken back is no base for the next one.
  const inForce = new Set(done.map(({ entry }) => entry.parentId));
  const holding = entries.filter(({ type, id }) => type !== 'compaction' || inForce.has(id));
  if (!actions.some(({ type }) => type === 'leaf')) return reduce({ standing, entries: holding });
  const path = new Set([null, ...(await session.path()).map(({ id }) => id)]);
  return reduce({ standing, entries: holding, path });
}

/** With what more entries say. What was agreed on elsewhere does not hold here; what was learned does. */
function reduce({
  standing,
  entries,
  path,
}: {
  readonly standing: SessionState;
  readonly entries: readonly Entry[];
  /** What is on the path, where the session has ever been elsewhere. */
  readonly path?: ReadonlySet<EntryId | null>;
}): SessionState {
  let { limits, state, tools, offered, prompt, model, previous } = standing;
  for (const entry of entries) {
    const isHere = !path || path.has(entry.type === 'custom' ? entry.parentId : entry.id);
    if (entry.type === 'model_change' && isHere) model = `${entry.model.provider}/${entry.model.name}`;
    const { kind, data } = engineNote(entry);
    if (kind === 'limit' && typeof data.model === 'string' && typeof data.window === 'number') {
      limits = { ...limits, [data.model]: data.window };
    }
    if (kind === 'state' && isHere) state = { ...state, ...data };
    // What an earlier compaction told is not sent once another one stands in its place.
    if (isHere && entry.type === 'compaction' && previous) previous = { ...previous, isSent: false };
    if (isHere) previous = newer(previous, narrativeIn(entry));
    if (kind === 'tools' && isHere && typeof data.hash === 'string') {
      tools = data.hash;
      offered = Array.isArray(data.tools) ? (data.tools as unknown as readonly ToolDefinition[]) : undefined;
    }
    if (kind === 'prompt' && isHere && typeof data.head === 'string') prompt = data.head;
  }
  return {
    ...standing,
    limits,
    state,
    ...(tools !== undefined && { tools }),
    ...(offered && { offered }),
    ...(prompt !== undefined && { prompt }),
    ...(model !== undefined && { model }),
    ...(previous && { previous }),
  };
}

/** A model's words that a compaction or a note carries. */
function narrativeIn(entry: Entry): PreviousSummary | undefined {
  const told =
    entry.type === 'compaction'
      ? entry.details
      : engineNote(entry).kind === 'narrative'
        ? engineNote(entry).data
        : null;
  if (!isObject(told) || !isObject(told.narrative) || !isObject(told.narrative.sections)) return undefined;
  const to = isObject(told.cut) ? told.cut.replacedTo : undefined;
  const isSent = entry.type === 'compaction';
  return typeof to === 'number' ? { narrative: told.narrative as unknown as Narrative, to, isSent } : undefined;
}

function newer(one: PreviousSummary | undefined, other: PreviousSummary | undefined): PreviousSummary | undefined {
  return one && other && one.to > other.to ? one : (other ?? one);
}

/** What makes the conversation smaller: whoever takes it back wants it as large as it is. */
const shrinking: ReadonlySet<string> = new Set(['compaction', 'prune']);

const prefix = 'longhaul:';

function engineNote(entry: Entry): { readonly kind: string; readonly data: JsonObject } {
  if (entry.type !== 'custom' || !entry.customType.startsWith(prefix) || !isObject(entry.data)) {
    return { kind: '', data: {} };
  }
  return { kind: entry.customType.slice(prefix.length), data: entry.data };
}

/** A request as it was sent. */
export interface SentRequest {
  readonly epoch: EntryId | null;
  readonly dialect: TargetModel['dialect'];
  /** How many items of the context it held, after the head, and which was the newest. */
  readonly length: number;
  readonly newest: EntryId | null;
  /** What came of them. */
  readonly items: readonly Message[];
  /** Our estimate of it, tools included. */
  readonly tokens: number;
}

export function sentRequest({
  context,
  model,
  ...sent
}: {
  readonly context: Context;
  readonly model: TargetModel;
  readonly items: readonly Message[];
  readonly tokens: number;
}): SentRequest {
  const length = context.items.length - headLength(context);
  return { epoch: context.epoch, dialect: model.dialect, length, newest: newestOf({ context, length }), ...sent };
}

/** Whether a context goes on from a request: in its epoch, and on its path. */
export function isSentPrefix({
  sent: { epoch, length, newest },
  context,
}: {
  readonly sent: Pick<SentRequest, 'epoch' | 'length' | 'newest'>;
  readonly context: Context;
}): boolean {
  return epoch === context.epoch && length > 0 && newest !== null && newestOf({ context, length }) === newest;
}

function newestOf({ context, length }: { readonly context: Context; readonly length: number }): EntryId | null {
  return context.items[headLength(context) + length - 1]?.entry ?? null;
}

/**
 * The newest request of this epoch and model that was answered, and what its provider said of it: what an engine knows
 * that was there all the time, and must know after a restart to go on in the same way.
 */
export async function lastAnsweredRequest({
  session,
  model,
}: {
  readonly session: Session;
  readonly model: TargetModel;
}): Promise<{ readonly sent: SentRequest; readonly input: number; readonly used: CacheActivity } | undefined> {
  const { context } = session;
  const entries = await session.read({ epoch: context.epoch });
  for (const entry of entries.toReversed()) {
    if (entry.type !== 'usage' || !sameJson(entry.model as unknown as Json, model.id as unknown as Json)) continue;
    const { items: length, epoch, newest } = isObject(entry.details) ? entry.details : {};
    if (typeof length !== 'number' || (epoch !== null && typeof epoch !== 'string')) continue;
    if (typeof newest !== 'string' || !isSentPrefix({ sent: { epoch, length, newest }, context })) continue;
    const input = entry.usage.input + entry.usage.cacheRead + entry.usage.cacheWrite;
    const upTo = { ...context, items: context.items.slice(0, headLength(context) + length) };
    const { items } = validRequestFor({ context: upTo, model });
    const used = { at: entry.at, isKept: entry.usage.cacheRead + entry.usage.cacheWrite > 0 };
    return { input, used, sent: sentRequest({ context: upTo, model, items, tokens: input }) };
  }
  return undefined;
}

/** Whether a request begins with all of an earlier one. */
export function startsWithRequest({
  from,
  items,
}: {
  readonly from: SentRequest;
  readonly items: readonly Message[];
}): boolean {
  return from.items.every((message, index) => {
    const now = items[index];
    return now === message || sameJson(now as unknown as Json, message as unknown as Json);
  });
}
