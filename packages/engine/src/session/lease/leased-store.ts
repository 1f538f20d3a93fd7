import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../time.ts';
import type { Lease, LeaseTable, SessionId, Store } from '../store/store.ts';
import { leaseLost, SessionInUseError } from './errors.ts';
import { holderState, type LeaseHolder, thisProcess } from './lease.ts';

/** A store in which this process writes only to sessions whose lease it holds. */
export interface LeasedStore extends Store {
  /**
   * Acquires the lease of a session, so that later reads are current until it is released. A lease of a process that has
   * ended is taken over. Rejects with a `SessionInUseError` if another process holds it, unless `onWait` is given: then
   * it is called once, and the promise waits for the lease.
   */
  acquire(input: {
    readonly session: SessionId;
    readonly onWait?: (holder: Lease) => void;
    readonly signal?: AbortSignal;
  }): Promise<void>;
  /** Releases all leases of this process; the store stays open. */
  release(): Promise<void>;
}

/** How often a holder renews its lease. Milliseconds. */
const renewMs = 5_000;

/** How often a waiting process looks again. Milliseconds. */
const pollMs = 250;

/**
 * Wraps a store so that only one process at a time writes to a session. `append` acquires the lease first, `delete`
 * respects that of others, `close` releases all. Reading needs none. A store without leases is used as it is.
 *
 * @example
 * const leased = leasedStore({ store, purpose: 'nightly job' });
 * await leased.acquire({ session: id });
 */
export function leasedStore({
  store,
  purpose,
  clock = systemClock,
  holder = thisProcess(),
}: {
  readonly store: Store;
  /** What this process does, for the message to others. */
  readonly purpose: string;
  readonly clock?: Clock;
  readonly holder?: LeaseHolder;
}): LeasedStore {
  const { leases } = store;
  const held = leases && new HeldLeases({ table: leases, clock, holder: { ...holder, purpose } });
  return {
    create: (input) => store.create(input),
    header: (session) => store.header(session),
    head: (session) => store.head(session),
    read: (input) => store.read(input),
    list: (input) => store.list(input),
    search: (input) => store.search(input),
    version: (session) => store.version?.(session),
    ...(leases && { leases }),
    acquire: async (input) => await held?.acquire(input),
    release: async () => await held?.release(),
    append: async (input) => {
      await held?.acquire({ session: input.session });
      return await store.append(input);
    },
    delete: async (session) => {
      await held?.refuseInUse({ session });
      await store.delete(session);
      held?.forget(session);
    },
    close: async () => {
      await held?.release();
      await store.close();
    },
  };
}

/** The leases of this process. */
class HeldLeases {
  readonly #table: LeaseTable;
  readonly #clock: Clock;
  readonly #holder: LeaseHolder & Pick<Lease, 'purpose'>;
  readonly #held = new Map<SessionId, Promise<Lease>>();
  /** Sessions that another process took over. */
  readonly #lost = new Map<SessionId, Lease | null>();
  #stop = new AbortController();
  #renewing: Promise<void> | undefined;

  constructor(of: {
    readonly table: LeaseTable;
    readonly clock: Clock;
    readonly holder: LeaseHolder & Pick<Lease, 'purpose'>;
  }) {
    this.#table = of.table;
    this.#clock = of.clock;
    this.#holder = of.holder;
  }

  async acquire(input: Parameters<LeasedStore['acquire']>[0]): Promise<void> {
    const { session } = input;
    const by = this.#lost.get(session);
    if (by !== undefined) throw leaseLost({ session, lease: by });
    const held = this.#held.get(session) ?? this.#acquire(input);
    this.#held.set(session, held);
    try {
      await held;
    } catch (error) {
      if (this.#held.get(session) === held) this.#held.delete(session);
      throw error;
    }
    this.#renewing ??= this.#renew();
  }

  async #acquire({ session, onWait, signal }: Parameters<LeasedStore['acquire']>[0]): Promise<Lease> {
    let hasWaited = false;
    for (;;) {
      const now = this.#clock.now();
      const next = { token: randomUUID(), ...this.#holder, acquiredAt: now, renewedAt: now };
      const found = await this.#table.read(session);
      if (!found || (await this.#isStale({ session, lease: found, signal }))) {
        const lease = await this.#table.swap({ session, expect: found?.token ?? null, next });
        if (lease?.token === next.token) return lease;
        continue;
      }
      if (!onWait) throw new SessionInUseError({ session, lease: found, now });
      if (!hasWaited) onWait(found);
      hasWaited = true;
      await this.#clock.sleep(pollMs, signal);
    }
  }

  /**
   * A process of this machine is asked for directly: one that is stopped or was suspended still holds its lease. Of
   * others only the renewals are visible. Clocks differ between machines, so an old time is a reason to watch the lease
   * for two renewals, not to take it over.
   */
  async #isStale(of: {
    readonly session: SessionId;
    readonly lease: Lease;
    readonly signal: AbortSignal | undefined;
  }): Promise<boolean> {
    const { session, lease, signal } = of;
    const state = holderState({ lease, machine: this.#holder.machine });
    if (state !== 'unknown') return state === 'gone';
    if (Math.abs(this.#clock.now() - lease.renewedAt) < 3 * renewMs) return false;
    await this.#clock.sleep(2 * renewMs + 1_000, signal);
    const later = await this.#table.read(session);
    return later?.token === lease.token && later.renewedAt === lease.renewedAt;
  }

  async #renew(): Promise<void> {
    const { signal } = this.#stop;
    const sleep = this.#clock.sleepUnref ?? this.#clock.sleep;
    while (!signal.aborted) {
      await sleep.call(this.#clock, renewMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      // A store that cannot be written for a moment must not end the holder; its next append reports the failure.
      for (const [session, held] of this.#held) await this.#renewOne({ session, held }).catch(() => undefined);
    }
  }

  async #renewOne(of: { readonly session: SessionId; readonly held: Promise<Lease> }): Promise<void> {
    const { session } = of;
    const lease = await of.held;
    const next = { ...lease, renewedAt: this.#clock.now() };
    const found = await this.#table.swap({ session, expect: lease.token, next });
    if (found?.token === lease.token || !this.#held.has(session)) return;
    this.#held.delete(session);
    this.#lost.set(session, found);
  }

  /** Without acquiring the lease: a full disk takes no lease, and deleting makes room. */
  async refuseInUse({ session }: { readonly session: SessionId }): Promise<void> {
    // A damaged session has no readable lease, and can be deleted all the same.
    const lease = await this.#table.read(session).catch(() => null);
    const isOwn = (await this.#held.get(session))?.token === lease?.token;
    if (lease && !isOwn && !(await this.#isStale({ session, lease, signal: undefined })))
      throw new SessionInUseError({ session, lease, now: this.#clock.now() });
  }

  forget(session: SessionId): void {
    this.#held.delete(session);
  }

  async release(): Promise<void> {
    this.#stop.abort();
    await this.#renewing;
    this.#stop = new AbortController();
    this.#renewing = undefined;
    for (const [session, held] of this.#held) {
      try {
        await this.#table.swap({ session, expect: (await held).token, next: null });
      } catch {
        // A lease that cannot be released is taken over once this process has ended.
      }
    }
    this.#held.clear();
  }
}
