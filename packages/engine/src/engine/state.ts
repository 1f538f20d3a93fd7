import { isObject, type Json, type JsonObject, sameJson } from '../json.ts';
import type { Message, ToolDefinition } from '../message/index.ts';
import type { TargetModel } from '../models/index.ts';
import { type Context, type Entry, type EntryId, headLength, nodeTypes, type Session } from '../session/index.ts';
import { historyOf } from '../session/internal.ts';
import type { Narrative, PreviousSummary } from '../summarize/index.ts';
import type { CacheActivity } from './prune/cache-prices.ts';
import { validRequestFor } from './repair-request.ts';

/** What the log says about a session beyond its messages: the same on every machine that reads it. */
export interface SessionState {
  /** Windows that providers named or that were learned from refused requests, by `provider/model`. */
  readonly limits: Readonly<Record<string, number>>;
  /** What the agent is working in: plan, todos, skills. */
  readonly workingState: JsonObject;
  /** A compaction or a prune was undone, and nothing was decided since: automatic compaction is suspended. */
  readonly isSuspended: boolean;
  /** The tools that were offered last, and their hash. */
  readonly toolsHash?: string;
  readonly tools?: readonly ToolDefinition[];
  /** The key of the prompt that the head was rendered from. */
  readonly headPrompt?: string;
  /** The model of the last request, as `provider/name`. */
  readonly model?: string;
  /** The newest narrative of a model: of a compaction, or of a background summary that was ready too late. */
  readonly previous?: PreviousSummary;
}

/**
 * Follows the log of a session, including entries that another engine wrote. The whole log is read once, and again after
 * a move, undo or redo; otherwise only new entries are read.
 *
 * @example
 * const state = followState(session);
 * (await state()).isSuspended; // false
 */
export function followState(session: Session): () => Promise<SessionState> {
  let known: { readonly state: SessionState; readonly last: number } | undefined;
  return async () => {
    const { last } = session.head;
    if (known?.last === last) return known.state;
    const state = (known && (await advance({ session, ...known, to: last }))) ?? (await readState(session));
    known = { state, last };
    return state;
  };
}

/** The state after further entries; `undefined` where one of them moved the session or reversed something. */
async function advance({
  session,
  state,
  last,
  to,
}: {
  readonly session: Session;
  readonly state: SessionState;
  readonly last: number;
  readonly to: number;
}): Promise<SessionState | undefined> {
  const entries = (await session.read({ after: last })).filter(({ handle }) => handle <= to);
  const isReversal = (entry: Entry) =>
    entry.type === 'leaf' ||
    (entry.type === 'epoch' && (state.isSuspended || entry.reason === 'undo' || entry.reason === 'redo'));
  return entries.some(isReversal) ? undefined : entries.reduce(reduce, state);
}

/** The kinds of entries that the state is made of. */
const stateTypes = [
  'working_state',
  'head_prompt',
  'tools_change',
  'window_limit',
  'summary_job',
  'model_change',
  'compaction',
] as const;

async function readState(session: Session): Promise<SessionState> {
  const [entries, actions] = await Promise.all([
    session.read({ types: stateTypes }),
    session.read({ types: ['epoch', 'leaf'] }),
  ]);
  const { done, undone } = historyOf({ entries: actions });
  const initial: SessionState = {
    limits: {},
    workingState: {},
    isSuspended: undone.some(({ entry }) => shrinking.has(entry.reason)),
  };
  // A narrative of a compaction that was undone is no base for the next one.
  const inForce = new Set(done.map(({ entry }) => entry.parentId));
  const valid = entries.filter(({ type, id }) => type !== 'compaction' || inForce.has(id));
  if (!actions.some(({ type }) => type === 'leaf')) return valid.reduce(reduce, initial);
  const path = new Set([null, ...(await session.path()).map(({ id }) => id)]);
  const isOnPath = ({ type, id, parentId }: Entry) => path.has(nodeTypes.has(type) ? id : parentId);
  // A limit that was learned on another branch holds here as well.
  return valid.filter((entry) => entry.type === 'window_limit' || isOnPath(entry)).reduce(reduce, initial);
}

/** Undoing one of these suspends automatic compaction: the user wants the larger conversation. */
const shrinking: ReadonlySet<string> = new Set(['compaction', 'prune']);

/** The state after one more entry. */
function reduce(state: SessionState, entry: Entry): SessionState {
  switch (entry.type) {
    case 'window_limit':
      return { ...state, limits: { ...state.limits, [entry.model]: entry.window } };
    case 'model_change':
      return { ...state, model: `${entry.model.provider}/${entry.model.name}` };
    case 'working_state':
      return { ...state, workingState: { ...state.workingState, ...entry.state } };
    case 'head_prompt':
      return { ...state, headPrompt: entry.key };
    case 'tools_change': {
      const { tools: _before, ...rest } = state;
      return { ...rest, toolsHash: entry.hash, ...(entry.tools && { tools: entry.tools }) };
    }
    case 'compaction': {
      // The summary before this one is no longer sent.
      const superseded = state.previous && { ...state.previous, isSent: false };
      return withPrevious({ state, before: superseded, now: narrativeIn({ details: entry.details, isSent: true }) });
    }
    case 'summary_job': {
      const { narrative, cut } = entry;
      const details = narrative && cut ? { narrative, cut } : undefined;
      return withPrevious({ state, before: state.previous, now: narrativeIn({ details, isSent: false }) });
    }
    default:
      return state;
  }
}

/** The narrative that reaches further wins; of two that reach equally far, the newer one. */
function withPrevious({
  state,
  before,
  now,
}: {
  readonly state: SessionState;
  readonly before: PreviousSummary | undefined;
  readonly now: PreviousSummary | undefined;
}): SessionState {
  const previous = before && now && before.to > now.to ? before : (now ?? before);
  return previous ? { ...state, previous } : state;
}

function narrativeIn({
  details,
  isSent,
}: {
  readonly details: Json | undefined;
  readonly isSent: boolean;
}): PreviousSummary | undefined {
  if (!isObject(details) || !isObject(details.narrative) || !isObject(details.narrative.sections)) return undefined;
  const to = isObject(details.cut) ? details.cut.replacedTo : undefined;
  return typeof to === 'number' ? { narrative: details.narrative as unknown as Narrative, to, isSent } : undefined;
}

/** A request as it was sent. */
export interface SentRequest {
  readonly epoch: EntryId | null;
  readonly dialect: TargetModel['dialect'];
  /** How many items of the context it held after the head, and the entry of the newest. */
  readonly length: number;
  readonly newest: EntryId | null;
  /** The messages, repaired for the provider. */
  readonly items: readonly Message[];
  /** The estimated size, tools included. */
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

/** Whether a context begins with everything that a request held: in the same epoch, on the same path. */
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
 * The newest request of this epoch and model that was answered, with the usage that the provider reported: an engine that
 * is restarted continues from it.
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

/** Whether a request begins with all messages of an earlier one. */
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
