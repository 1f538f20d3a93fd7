import type { Draft, Entry } from '../entry/entry.ts';
import { keyReused } from '../errors.ts';
import type { SessionId, Store } from '../store/store.ts';

/**
 * The entries that these drafts became when they were appended before, known by the key of a message among them. A
 * batch is appended whole, so its entries stand side by side in the log. `pending` are entries that are on their way.
 */
export async function alreadyAppended({
  drafts,
  pending,
  store,
  session,
}: {
  readonly drafts: readonly Draft[];
  readonly pending: readonly Entry[];
  readonly store: Store;
  readonly session: SessionId;
}): Promise<Entry[] | undefined> {
  for (const [index, draft] of drafts.entries()) {
    if (draft.type !== 'message' || draft.key === undefined) continue;
    const { key } = draft;
    const [found] = [
      ...pending.filter((entry) => entry.type === 'message' && entry.key === key),
      ...(await store.read({ session, query: { keys: [key] } })),
    ];
    if (!found) continue;
    const handles = drafts.map((_, offset) => found.handle - index + offset);
    const waiting = pending.filter(({ handle }) => handles.includes(handle));
    const batch = waiting.length > 0 ? waiting : await store.read({ session, query: { handles } });
    const isSame = batch.length === drafts.length && batch.every(({ type }, at) => type === drafts[at]?.type);
    if (!isSame) throw keyReused({ key });
    return [...batch];
  }
  return undefined;
}
