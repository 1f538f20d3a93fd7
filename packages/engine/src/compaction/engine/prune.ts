import type { EntryId, Session } from '../../session/index.ts';
import type { SourceItem } from '../source.ts';
import { planPrune } from '../tool-output/prune.ts';
import type { EngineEvents } from './events.ts';
import type { Scale } from './scale.ts';

/** Of the window: what stays of the newest outputs, and what must go for it to be worth an epoch. Of 200,000: 40k and 20k. */
const shares = { protect: 0.2, minimum: 0.1 };
const most = { protect: 40_000, minimum: 20_000 };

/** Elides old tool outputs where that frees enough to be worth an epoch. */
export async function elideOutputs({
  session,
  scale,
  emit,
}: {
  readonly session: Session;
  readonly scale: Scale;
  readonly emit: <Name extends keyof EngineEvents>(name: Name, event: EngineEvents[Name]) => void;
}): Promise<EntryId | undefined> {
  const { targets, freed } = planPrune({
    items: await sentItems(session),
    count: scale.scales.count,
    weigh: ({ message }) => scale.scales.weigh(message),
    protect: Math.min(most.protect, Math.floor(scale.window * shares.protect)),
    minimum: Math.min(most.minimum, Math.floor(scale.window * shares.minimum)),
  });
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
