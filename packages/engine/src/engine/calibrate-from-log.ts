import { isObject, type Json } from '../json.ts';
import { promptTokens, type TargetModel, tokenFamilyOf } from '../models/index.ts';
import { type Entry, headLength, type Session } from '../session/index.ts';
import type { Raw } from '../tokens/index.ts';
import type { SessionLedger } from './session-ledger.ts';

/** Older reports hardly count any more. */
const mostReports = 128;

/** With fewer in the epoch in force those of earlier ones are looked at as well. */
const enough = 8;

/** What a provider once said of a request, and our count of the same. */
interface UsageReport {
  readonly handle: number;
  readonly epoch: string | null;
  readonly actual: number;
  readonly counted: Raw;
  /** The count covers everything that the request held, tools included. */
  readonly isComplete: boolean;
}

/**
 * Teaches the calibration of a model what the log knows of it: usage of our own requests, and of another agent's, whose
 * system prompt and tools an imported session does not hold. Growth between two requests teaches in any case, a whole
 * request only where all of it was counted. Returns the handle of the newest entry that was learned from.
 */
export async function calibrateFromLog({
  session,
  ledger,
  after,
}: {
  readonly session: Session;
  readonly ledger: SessionLedger;
  /** Entries up to this handle were learned from before. */
  readonly after: number;
}): Promise<number> {
  const { model, calibration } = ledger;
  const isOfModel = (entry: Entry) => entry.type === 'usage' && entry.handle > after && isSameModel({ entry, model });
  const here = (await session.read({ epoch: session.context.epoch })).filter(isOfModel);
  const usage = here.length >= enough ? here : (await session.read({ types: ['usage'] })).filter(isOfModel);
  const reports = reportsIn({ entries: usage.slice(-mostReports), session, ledger });
  let before: UsageReport | undefined;
  for (const report of reports) {
    if (!before || before.epoch !== report.epoch) {
      if (report.isComplete) calibration.learn({ raw: report.counted, actual: report.actual });
    } else if (report.counted.tokens > before.counted.tokens && report.actual > before.actual) {
      const tokens = report.counted.tokens - before.counted.tokens;
      const messages = report.counted.messages - before.counted.messages;
      calibration.learn({ raw: { tokens, messages }, actual: report.actual - before.actual });
    }
    before = report;
  }
  return Math.max(after, usage.at(-1)?.handle ?? 0);
}

/** The same vocabulary is enough: agents name models with and without their date. */
function isSameModel({ entry, model }: { readonly entry: Entry; readonly model: TargetModel }): boolean {
  if (entry.type !== 'usage' || entry.purpose !== undefined || !entry.model) return false;
  if (entry.model.name === model.id.name && entry.model.provider === model.id.provider) return true;
  const family = tokenFamilyOf(entry.model);
  return family !== undefined && family === tokenFamilyOf(model.id);
}

function reportsIn({
  entries,
  session,
  ledger,
}: {
  readonly entries: readonly Entry[];
  readonly session: Session;
  readonly ledger: SessionLedger;
}): UsageReport[] {
  const { context } = session;
  const { items } = context;
  const places = new Map(items.map(({ entry }, index) => [entry, index]));
  // Only another agent's usage needs it: counting a long conversation takes a while.
  const sums: number[] = [];
  const sumTo = (end: number): number => {
    for (let index = sums.length; index < end; index += 1) {
      const message = items[index]?.message;
      sums.push((sums[index - 1] ?? 0) + (message ? ledger.counter.countMessage(message) : 0));
    }
    return sums[end - 1] ?? 0;
  };
  return entries.flatMap((entry): UsageReport[] => {
    if (entry.type !== 'usage') return [];
    const actual = promptTokens(entry.usage);
    if (actual <= 0) return [];
    const { handle } = entry;
    const own = ownCount(entry.details);
    if (own) return own.by === ledger.vocabulary ? [{ ...own, handle, actual, isComplete: true }] : [];
    const place = entry.target === undefined ? undefined : places.get(entry.target);
    if (place === undefined) return [];
    // An answer may be logged as several entries, of which the target is one.
    const asked = items.slice(0, place).findLastIndex(({ message }) => message.role !== 'assistant') + 1;
    const tokens = sumTo(Math.max(asked, headLength(context)));
    return [{ handle, epoch: context.epoch, actual, counted: { tokens, messages: asked }, isComplete: false }];
  });
}

/** Our own count of the request, as it was noted with its usage. */
function ownCount(details: Json | undefined) {
  const { epoch = null, counted } = isObject(details) ? details : {};
  if (!isObject(counted) || (epoch !== null && typeof epoch !== 'string')) return undefined;
  const { tokens, messages, by } = counted;
  if (typeof tokens !== 'number' || typeof messages !== 'number' || tokens <= 0) return undefined;
  return { epoch, counted: { tokens, messages }, by };
}
