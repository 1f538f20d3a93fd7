import { isObject, type Json, sameJson } from '../json.ts';
import type { Message } from '../message/index.ts';
import type { TargetModel } from '../models/index.ts';
import { type Context, type EntryId, headLength, type Session } from '../session/index.ts';
import type { CacheUse } from './cache-prices.ts';
import { legalFor } from './legal.ts';

/** A request as it was sent. */
export interface Sent {
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

export function sentNow({
  context,
  model,
  ...sent
}: {
  readonly context: Context;
  readonly model: TargetModel;
  readonly items: readonly Message[];
  readonly tokens: number;
}): Sent {
  const length = context.items.length - headLength(context);
  return { epoch: context.epoch, dialect: model.dialect, length, newest: newestOf({ context, length }), ...sent };
}

/** Whether a context goes on from a request: in its epoch, and on its path. */
export function isStillThere({
  sent: { epoch, length, newest },
  context,
}: {
  readonly sent: Pick<Sent, 'epoch' | 'length' | 'newest'>;
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
export async function recallSent({
  session,
  model,
}: {
  readonly session: Session;
  readonly model: TargetModel;
}): Promise<{ readonly sent: Sent; readonly input: number; readonly used: CacheUse } | undefined> {
  const { context } = session;
  const entries = await session.read({ epoch: context.epoch });
  for (const entry of entries.toReversed()) {
    if (entry.type !== 'usage' || !sameJson(entry.model as unknown as Json, model.id as unknown as Json)) continue;
    const { items: length, epoch, newest } = isObject(entry.details) ? entry.details : {};
    if (typeof length !== 'number' || (epoch !== null && typeof epoch !== 'string')) continue;
    if (typeof newest !== 'string' || !isStillThere({ sent: { epoch, length, newest }, context })) continue;
    const input = entry.usage.input + entry.usage.cacheRead + entry.usage.cacheWrite;
    const upTo = { ...context, items: context.items.slice(0, headLength(context) + length) };
    const { items } = legalFor({ context: upTo, model });
    const used = { at: entry.at, isKept: entry.usage.cacheRead + entry.usage.cacheWrite > 0 };
    return { input, used, sent: sentNow({ context: upTo, model, items, tokens: input }) };
  }
  return undefined;
}

/** Whether a request begins with all of an earlier one. */
export function goesOn({ from, items }: { readonly from: Sent; readonly items: readonly Message[] }): boolean {
  return from.items.every((message, index) => {
    const now = items[index];
    return now === message || sameJson(now as unknown as Json, message as unknown as Json);
  });
}
