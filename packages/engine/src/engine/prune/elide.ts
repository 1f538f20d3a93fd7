import type { SourceItem } from '../../analysis/index.ts';
import type { Message, ToolDefinition } from '../../message/index.ts';
import type { TargetModel } from '../../models/index.ts';
import { type Context, type ContextItem, type EntryId, formatHandle, type Session } from '../../session/index.ts';
import { pruneDrafts } from '../../session/internal.ts';
import type { Snapshot } from '../../tokens/index.ts';
import type { Emit } from '../events/event.ts';
import type { Policy } from '../policy/policy.ts';
import type { SessionLedger } from '../session-ledger.ts';
import type { Budget } from '../types.ts';
import type { cachePrices } from './cache-prices.ts';
import { type PrunePlan, planPrune } from './prune.ts';

/** A requested prune of tool outputs. */
export interface PruneInput {
  readonly model: TargetModel;
  readonly tools?: readonly ToolDefinition[];
  readonly dryRun?: boolean;
}

/** What came of eliding old tool outputs, or would come of it. */
export interface PruneResult {
  readonly installed: boolean;
  /** Whether it frees enough: what a dry run asks. */
  readonly worthwhile: boolean;
  /** One sentence: what was done, or why nothing was. */
  readonly reason: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The outputs, oldest first, and the notices that replace them. */
  readonly outputs: readonly { readonly handle: string; readonly notice: string }[];
}

/**
 * What stays of the newest outputs, and what must go for it to be worth an epoch: of 200,000 tokens 40k and 20k. Of a
 * small window the outputs of a few requests are a tenth already, and an epoch for each of them costs more than it saves:
 * there 15 % must go; with a quarter, there were up to twice as many compactions. Of a large one 20k are next to nothing:
 * there it is a tenth of the budget. A requested prune needs only a tenth of the window.
 */
const shares = { protect: 0.2, minimum: 0.15, byHand: 0.1 };
const most = { protect: 40_000, minimum: 20_000 };

interface PruneContext {
  readonly session: Session;
  readonly ledger: SessionLedger;
  readonly emit: Emit;
  readonly policy: Pick<Policy, 'prune'>;
}

/**
 * Elides old tool outputs where that alone makes the request small enough for some time, and where it costs less than
 * what it saves; otherwise nothing is written, and a compaction does all of it in one epoch. Reads that are of no more
 * use go first: where they are enough, nothing else does.
 */
export async function elideOutputs({
  session,
  ledger,
  emit,
  policy,
  budget,
  tools,
  prices,
  isEnough,
}: PruneContext & {
  readonly budget: Budget;
  readonly tools: readonly ToolDefinition[];
  /** What it costs to change what was sent; nothing where the provider does not hold it any more. */
  readonly prices: ReturnType<typeof cachePrices>;
  /** Whether nothing else would be due. */
  readonly isEnough: (snapshot: Snapshot) => boolean;
}): Promise<EntryId | undefined> {
  const { context } = session;
  const items = await sentItems(session);
  const defaultMinimum = Math.max(budget.minimum, Math.min(most.minimum, Math.floor(ledger.window * shares.minimum)));
  const minimum = policy.prune.limits?.minimum ?? defaultMinimum;
  const cache = prices && { ...prices, growth: growthOf({ items, ledger }) };
  const count = remembering(ledger.counter.count);
  for (const only of ['superseded', undefined] as const) {
    const plan = planFor({
      items,
      ledger,
      session,
      policy,
      count,
      minimum,
      ...(only && { only }),
      ...(cache && { cache }),
    });
    if (plan.targets.length === 0) continue;
    const without = ledger.estimate({ items: elided({ context, targets: plan.targets }), tools });
    if (isEnough(without)) return await install({ session, emit, plan });
  }
  return undefined;
}

/** Reads that are of no more use, by entry, as they are once elided: what a compaction need not keep. */
export async function supersededIn({
  session,
  ledger,
  policy,
}: Omit<PruneContext, 'emit'>): Promise<ReadonlyMap<EntryId, Message>> {
  const items = await sentItems(session);
  const { targets } = planFor({ items, ledger, session, policy, minimum: 1, only: 'superseded' });
  const gone = new Set(targets.map(({ entry }) => entry));
  const after = elided({ context: session.context, targets });
  return new Map(after.flatMap(({ entry, message }) => (entry !== null && gone.has(entry) ? [[entry, message]] : [])));
}

/** Prunes on request; as a dry run it only reports what would be pruned. */
export async function pruneNow({
  session,
  ledger,
  emit,
  policy,
  tools,
  dryRun,
}: PruneContext & { readonly tools: readonly ToolDefinition[]; readonly dryRun: boolean }): Promise<PruneResult> {
  const items = await sentItems(session);
  const plan = planFor({ items, ledger, session, policy, minimum: byHandFor(ledger) });
  const worthwhile = plan.targets.length > 0;
  const { used: tokensBefore } = ledger.count({ context: session.context, tools });
  const ours = session.context.items.reduce(
    (sum, { message }) => sum + ledger.counter.countMessage(message),
    ledger.toolTokens(tools),
  );
  // In the provider's measure: what our count says would go, scaled by what it reported of ours.
  const freed = worthwhile ? Math.round((plan.freed * tokensBefore) / Math.max(1, ours)) : 0;
  const handles = new Map(items.map(({ id, handle }) => [id, handle]));
  const outputs = plan.targets.map(({ entry, part, notice }) => ({
    handle: formatHandle({ entry: handles.get(entry) ?? 0, ...(part !== undefined && { part }) }),
    notice,
  }));
  const installed = !dryRun && (await install({ session, emit, plan })) !== undefined;
  const reason = worthwhile && dryRun ? `It would be done: ${plan.why}` : plan.why;
  return { installed, worthwhile, reason, tokensBefore, tokensAfter: tokensBefore - freed, outputs };
}

function byHandFor({ window }: SessionLedger): number {
  return Math.min(most.minimum, Math.floor(window * shares.byHand));
}

function planFor({
  items,
  ledger,
  session,
  policy,
  ...options
}: Omit<PruneContext, 'emit'> & {
  readonly items: readonly SourceItem[];
} & Pick<Parameters<typeof planPrune>[0], 'minimum' | 'only' | 'cache'> & {
    readonly count?: (text: string) => number;
  }): PrunePlan {
  return planPrune({
    items,
    count: ledger.counter.count,
    countItem: ({ message }) => ledger.counter.countMessage(message),
    protect: policy.prune.limits?.protect ?? Math.min(most.protect, Math.floor(ledger.window * shares.protect)),
    root: session.header.cwd,
    ...options,
  });
}

/** Two plans ask for the same counts. */
function remembering(count: (text: string) => number): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    const tokens = known.get(text) ?? count(text);
    known.set(text, tokens);
    return tokens;
  };
}

/** What a request added so far, on average. */
function growthOf({
  items,
  ledger,
}: {
  readonly items: readonly SourceItem[];
  readonly ledger: SessionLedger;
}): number {
  const tokens = items.reduce((sum, { message }) => sum + ledger.counter.countMessage(message), 0);
  return tokens / Math.max(1, items.filter(({ message }) => message.role === 'assistant').length);
}

/** What would be sent. */
function elided({
  context,
  targets,
}: {
  readonly context: Context;
  readonly targets: PrunePlan['targets'];
}): readonly ContextItem[] {
  const [, { items }] = pruneDrafts({ context, targets });
  const list = 'list' in items ? items.list : [];
  return context.items.map((item, index) => {
    const sent = list[index];
    return sent && 'made' in sent ? { ...item, message: sent.made } : item;
  });
}

async function install({
  session,
  emit,
  plan: { targets, freed },
}: Pick<PruneContext, 'session' | 'emit'> & { readonly plan: PrunePlan }): Promise<EntryId | undefined> {
  if (targets.length === 0) return undefined;
  const { epoch } = await session.prune({ targets });
  emit('prune', { entries: targets.map(({ entry }) => entry), tokensFreed: freed });
  return epoch.id;
}

/** The items of the context that are in the log, with their handles. */
async function sentItems(session: Session): Promise<SourceItem[]> {
  const ids = session.context.items.flatMap(({ entry }) => (entry === null ? [] : [entry]));
  const entries = new Map((await session.read({ ids })).map((entry) => [entry.id, entry]));
  return session.context.items.flatMap(({ entry: id, message }): SourceItem[] => {
    const entry = id === null ? undefined : entries.get(id);
    return entry ? [{ handle: entry.handle, id: entry.id, at: entry.at, message }] : [];
  });
}
