import { createMask, type Mask, sourceItems } from '../../analysis/index.ts';
import { isObject, type Json } from '../../json.ts';
import type { CompactionEntry, Entry, EntryId, EpochEntry, Session } from '../../session/index.ts';
import { historyOf } from '../../session/internal.ts';
import { storedStrategy } from '../stored-summary.ts';
import { lastAsked, titleOf } from './title.ts';

/** A compaction in force on the current path. */
export interface Checkpoint {
  /** From 1, in the order of the path. */
  readonly number: number;
  /** The compaction's entry. */
  readonly id: EntryId;
  readonly handle: number;
  /** The summarizer's, or what was asked for last before the cut. */
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly trigger: string;
  readonly tokensBefore: number;
  /** What was sent right after it, where that is known. */
  readonly tokensAfter?: number;
  readonly summary: string;
  /** The handles of the first and the last message that it replaced. */
  readonly handles: { readonly from: number; readonly to: number } | null;
  /** Which way of making a summary was taken. */
  readonly strategy?: string;
}

/**
 * The checkpoints of a session, read from its log: each compaction on the current path that was not undone. After a move
 * before one or an undo it is gone; after a return or a redo it is back.
 *
 * @example
 * for (const { number, title } of await checkpointsOf({ session: session.session })) console.log(number, title);
 */
export async function checkpointsOf({
  session,
  secrets = [],
}: {
  readonly session: Session;
  /** Values that are masked in titles, in addition to detected keys. */
  readonly secrets?: readonly string[];
}): Promise<Checkpoint[]> {
  const mask = createMask({ values: secrets, salt: session.id });
  return checkpointsOn({ path: await session.path(), mask });
}

/** The same for a path that is at hand. */
function checkpointsOn({ path, mask }: { readonly path: readonly Entry[]; readonly mask: Mask }): Checkpoint[] {
  const said = sourceItems(path);
  const found: Checkpoint[] = [];
  for (const { entry, epoch } of inForce(path)) {
    const handles = handlesOf({ entry, after: found.at(-1)?.handles?.to ?? 0 });
    const strategy = storedStrategy(entry.details);
    // In the measure of `tokensBefore`, where the record has it.
    const tokensAfter = member(entry.details, 'tokensAfter') ?? epoch.price?.tokens;
    found.push({
      number: found.length + 1,
      id: entry.id,
      handle: entry.handle,
      title: titleOf({ entry, asked: () => lastAsked({ said, upTo: handles?.to ?? 0 }), mask }),
      at: entry.at,
      trigger: entry.trigger,
      tokensBefore: entry.tokensBefore,
      ...(typeof tokensAfter === 'number' && { tokensAfter }),
      summary: mask(entry.summary),
      handles,
      ...(strategy !== undefined && { strategy }),
    });
  }
  return found;

  /** As the record says; of one from elsewhere, what is new since the last and not kept. */
  function handlesOf(of: { readonly entry: CompactionEntry; readonly after: number }): Checkpoint['handles'] {
    const { details, firstKeptId, handle } = of.entry;
    const loss = member(details, 'loss');
    const recorded = isObject(loss) && isObject(loss.handles) ? loss.handles : {};
    const { from, to } = recorded;
    if (typeof from === 'number' && typeof to === 'number') return { from, to };
    const end = said.find(({ id }) => id === firstKeptId)?.handle ?? handle;
    const covered = said.filter((item) => item.handle > of.after && item.handle < end);
    const [first, last] = [covered[0], covered.at(-1)];
    return first && last ? { from: first.handle, to: last.handle } : null;
  }
}

/**
 * The number of a checkpoint on a path, without what the others are called and say.
 *
 * @example
 * const number = checkpointNumber({ path, id: entry });
 */
export function checkpointNumber({ path, id }: { readonly path: readonly Entry[]; readonly id: EntryId }) {
  const index = inForce(path).findIndex(({ entry }) => entry.id === id);
  return index < 0 ? undefined : index + 1;
}

/** The compactions of a path that were not undone, each with its epoch. */
function inForce(path: readonly Entry[]): { readonly entry: CompactionEntry; readonly epoch: EpochEntry }[] {
  // Only what lies on the path: what was taken back on another branch is in force on this one.
  const done = new Set(historyOf({ entries: path }).done.map(({ entry }) => entry.id));
  return path.flatMap((entry, index) => {
    const epoch = path[index + 1];
    // Without its epoch a compaction changed nothing.
    if (entry.type !== 'compaction' || epoch?.type !== 'epoch' || epoch.parentId !== entry.id) return [];
    return done.has(epoch.id) || epoch.reason === 'import' ? [{ entry, epoch }] : [];
  });
}

function member(details: Json | undefined, name: string): Json | undefined {
  return isObject(details) ? details[name] : undefined;
}
