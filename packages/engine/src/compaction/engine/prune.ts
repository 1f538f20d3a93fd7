import type { ToolDefinition } from '../../message/index.ts';
import { type EntryId, formatHandle, type Session } from '../../session/index.ts';
import type { SourceItem } from '../source.ts';
import { type PrunePlan, planPrune } from '../tool-output/prune.ts';
import type { EngineEvents } from './events.ts';
import type { Scale, TargetModel } from './scale.ts';

/** What somebody asks for who elides outputs by hand. */
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
  /** Where the outputs are, oldest first, and what stands in their place. */
  readonly outputs: readonly { readonly handle: string; readonly notice: string }[];
}

/** Of the window: what stays of the newest outputs, and what must go for it to be worth an epoch. Of 200,000: 40k and 20k. */
const shares = { protect: 0.2, minimum: 0.1 };
const most = { protect: 40_000, minimum: 20_000 };

interface Pruning {
  readonly session: Session;
  readonly scale: Scale;
  readonly emit: <Name extends keyof EngineEvents>(name: Name, event: EngineEvents[Name]) => void;
}

/** Elides old tool outputs where that frees enough to be worth an epoch. */
export async function elideOutputs({ session, scale, emit }: Pruning): Promise<EntryId | undefined> {
  const items = await sentItems(session);
  return await install({ session, emit, plan: planFor({ items, scale }) });
}

/** The same because somebody asks for it; as a dry run, only what would come of it. */
export async function pruneNow({
  session,
  scale,
  emit,
  tools,
  dryRun,
}: Pruning & { readonly tools: readonly ToolDefinition[]; readonly dryRun: boolean }): Promise<PruneResult> {
  const items = await sentItems(session);
  const plan = planFor({ items, scale });
  const worthwhile = plan.targets.length > 0;
  const { used: tokensBefore } = scale.weigh({ context: session.context, tools });
  const ours = session.context.items.reduce(
    (sum, { message }) => sum + scale.scales.weigh(message),
    scale.toolTokens(tools),
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

function planFor({ items, scale }: { readonly items: readonly SourceItem[]; readonly scale: Scale }): PrunePlan {
  return planPrune({
    items,
    count: scale.scales.count,
    weigh: ({ message }) => scale.scales.weigh(message),
    protect: Math.min(most.protect, Math.floor(scale.window * shares.protect)),
    minimum: Math.min(most.minimum, Math.floor(scale.window * shares.minimum)),
  });
}

async function install({
  session,
  emit,
  plan: { targets, freed },
}: Omit<Pruning, 'scale'> & { readonly plan: PrunePlan }): Promise<EntryId | undefined> {
  if (targets.length === 0) return undefined;
  const { epoch } = await session.prune({ targets });
  emit('prune', { entries: targets.map(({ entry }) => entry), tokensFreed: freed });
  return epoch.id;
}

/** What is sent and stands in the log, with its address. */
async function sentItems(session: Session): Promise<SourceItem[]> {
  const entries = new Map((await session.path()).map((entry) => [entry.id, entry]));
  return session.context.items.flatMap(({ entry: id, message }): SourceItem[] => {
    const entry = id === null ? undefined : entries.get(id);
    return entry ? [{ handle: entry.handle, id: entry.id, at: entry.at, message }] : [];
  });
}
