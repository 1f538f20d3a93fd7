import { emptyContext } from './context/context.ts';
import { createIds, type NextId } from './entry/id.ts';
import { EntryCache } from './live/entry-cache.ts';
import type { Stamper } from './live/finalize-entry.ts';
import { LiveSession } from './live/live-session.ts';
import { loadLive } from './live/load.ts';
import type { Session } from './session.ts';
import { MissingSessionError } from './store/errors.ts';
import type { Head, SessionHeader, SessionId, Store } from './store/store.ts';

/** What gives ids and times, injected in tests. */
export interface SessionTools {
  readonly now?: () => number;
  readonly nextId?: NextId;
}

/**
 * Creates a session.
 *
 * @example
 * const session = await createSession({ store: createMemoryStore(), header: { cwd: '/repo' } });
 * await session.append({
 *   type: 'message',
 *   message: { role: 'user', parts: [{ type: 'text', origin: 'human', text: 'Fix the build.' }] },
 * });
 */
export async function createSession({
  store,
  header,
  ...tools
}: SessionTools & {
  readonly store: Store;
  readonly header?: Partial<Omit<SessionHeader, 'v'>>;
}): Promise<Session> {
  const stamper = stamperOf(tools);
  const whole: SessionHeader = { v: 1, id: stamper.nextId(), createdAt: stamper.now(), ...header };
  await store.create({ header: whole });
  const head: Head = { last: 0, count: 0, leaf: null, epoch: null };
  const window = new EntryCache({ store, session: whole.id });
  return new LiveSession({ store, header: whole, stamper, window, live: { head, context: emptyContext } });
}

/**
 * Opens a session where it stands. It reads the epoch in force and what it sends, not the log before it, so a session
 * opens as fast after a year as on its first day. A log that lacks what would be sent is refused with a `DamageError`;
 * `allowDamage` opens it all the same, and `context.problems` says what is missing.
 *
 * @example
 * const session = await openSession({ store, id });
 * console.log(session.context.items.length);
 */
export async function openSession({
  store,
  id,
  allowDamage = false,
  ...tools
}: SessionTools & {
  readonly store: Store;
  readonly id: SessionId;
  readonly allowDamage?: boolean;
}): Promise<Session> {
  const header = await store.header(id);
  if (!header) throw new MissingSessionError({ session: id });
  const window = new EntryCache({ store, session: id });
  const live = await loadLive({ store, session: id, window, allowDamage });
  return new LiveSession({ store, header, stamper: stamperOf(tools), window, live });
}

function stamperOf({ now = Date.now, nextId = createIds({ now }) }: SessionTools): Stamper {
  return { now, nextId };
}
