import { createEngine, type Engine } from '../engine/index.ts';
import { LonghaulError } from '../errors.ts';
import { createModel } from '../models/clients/index.ts';
import {
  createMemoryStore,
  MissingSessionError,
  openSqliteStore,
  type SessionSummary,
  type Store,
} from '../session/index.ts';
import { LonghaulSession } from './longhaul-session.ts';
import type { LonghaulOptions } from './options.ts';

/** Sessions that never outgrow their model's window. */
export interface Longhaul {
  readonly engine: Engine;
  readonly store: Store;
  /**
   * Opens the session with this id, or creates it; without an id, creates one with a generated id. With `create: false`, a
   * session that does not exist is a `MissingSessionError`.
   */
  open(id?: string, options?: { readonly create?: boolean }): Promise<LonghaulSession>;
  /** Sessions in the store, newest first. */
  sessions(): Promise<readonly SessionSummary[]>;
  /** Closes the sessions that are open and, unless it was given, the store. */
  close(): Promise<void>;
}

/**
 * Opens a store and returns the three levels of the API: `session.send` (our loop), `session.prepareStep` (your loop, one
 * hook), `session.prepare` and `session.commit` (your loop, every step by hand).
 *
 * @example
 * const longhaul = await createLonghaul({ dir: '.longhaul', model: 'anthropic/claude-sonnet-4-5' });
 * const session = await longhaul.open('port-billing');
 * for await (const event of session.send('Fix the failing test')) {
 *   if (event.type === 'text') process.stdout.write(event.delta);
 * }
 * await longhaul.close();
 */
export async function createLonghaul(options: LonghaulOptions = {}): Promise<Longhaul> {
  const { dir, model: chosen, policy, summarizer, hooks, secrets, env } = options;
  if (dir !== undefined && options.store !== undefined)
    throw new LonghaulError({
      code: 'conflicting-options',
      message: 'createLonghaul was given both `dir` and `store`.',
      hint: 'Pass one of them.',
    });
  const model =
    typeof chosen === 'string'
      ? await createModel({ name: chosen, retry: false, ...(env !== undefined && { env }) })
      : chosen;
  const store = options.store ?? (dir === undefined ? createMemoryStore() : await openSqliteStore({ dir }));
  const engine = await createEngine({
    store,
    ...(policy !== undefined && { policy }),
    ...(summarizer && { summarizer }),
    ...(hooks && { hooks }),
    ...(secrets && { secrets }),
  });
  const sessions = new Map<string, Promise<LonghaulSession>>();
  const opened = async ({ id, create }: { readonly id: string | undefined; readonly create: boolean }) => {
    const session = await (id === undefined
      ? engine.create()
      : create
        ? openOrCreate({ engine, id })
        : engine.open(id));
    return new LonghaulSession({ engine: session, model, options });
  };
  const longhaul: Longhaul = {
    engine,
    store,
    async open(id, { create = true } = {}) {
      const known = id === undefined ? undefined : sessions.get(id);
      if (known) return create ? known.catch(() => longhaul.open(id)) : known;
      const opening = opened({ id, create });
      if (id !== undefined) {
        sessions.set(id, opening);
        opening.catch(() => sessions.delete(id));
        return opening;
      }
      const session = await opening;
      sessions.set(session.id, opening);
      return session;
    },
    sessions: () => store.list(),
    async close() {
      const open = await Promise.allSettled(sessions.values());
      sessions.clear();
      await Promise.all(open.flatMap((result) => (result.status === 'fulfilled' ? [result.value.close()] : [])));
      if (options.store === undefined) await store.close();
    },
  };
  return longhaul;
}

async function openOrCreate({ engine, id }: { readonly engine: Engine; readonly id: string }) {
  try {
    return await engine.open(id);
  } catch (error) {
    if (!(error instanceof MissingSessionError)) throw error;
    return await engine.create({ id });
  }
}
