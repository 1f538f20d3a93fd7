import type { JsonObject } from '../../message/index.ts';
import type { Entry, EntryId } from '../entry/entry.ts';

/**
 * Where logs are kept. Every implementation passes the same suite (`store/suite.ts`). Nothing required here is synchronous
 * and nothing is a path, so that a database on another machine fits as well as a file.
 *
 * - An append is durable when its promise resolves, whole or not at all.
 * - `expect` is compared with the newest handle and set in one step: a writer that has not seen the newest entry gets a
 *   `ConflictError` and has written nothing.
 * - What is read is what was appended, byte for byte; damage is an error that names the place, never silence.
 */
export interface Store {
  create(input: { readonly header: SessionHeader }): Promise<void>;
  header(session: SessionId): Promise<SessionHeader | undefined>;
  head(session: SessionId): Promise<Head>;
  /** Entries carry ascending handles above `expect`; `leaf` and `epoch` are those after the last of them. */
  append(input: {
    readonly session: SessionId;
    readonly expect: number;
    readonly entries: readonly Entry[];
    readonly leaf: EntryId | null;
    readonly epoch: EntryId | null;
  }): Promise<Head>;
  /** In order of handle. Ids that are not there are left out. */
  read(input: { readonly session: SessionId; readonly query: EntryQuery }): Promise<Entry[]>;
  list(input?: ListQuery): Promise<SessionSummary[]>;
  /** Ranked, best first. */
  search(input: { readonly text: string; readonly session?: SessionId; readonly limit?: number }): Promise<Hit[]>;
  /** Really gone: log, blobs that nothing else needs, index. */
  delete(session: SessionId): Promise<void>;
  close(): Promise<void>;
  /**
   * A value that changes with every append to a session by any process, and may change without one. It is answered at
   * once: by it a reader knows that what it has in memory is still current. A store that has to wait for it leaves it out.
   */
  version?(session: SessionId): string | undefined;
  /** Which process works on a session; see `leasedStore`. A store without it does not exclude other processes. */
  readonly leases?: LeaseTable;
}

/** The right of one process to write to a session. It is a record of its own, not an entry of the log. */
export interface Lease {
  /** Unique per acquisition. */
  readonly token: string;
  /** What the process does, for people: `longhaul -p`. */
  readonly purpose: string;
  /** Name of the machine, for people. */
  readonly host: string;
  /** Identifies the running system and its process ids; a container has its own. */
  readonly machine: string;
  readonly pid: number;
  /** When the process started, where the system tells; distinguishes it from a later process with the same pid. */
  readonly started: string | null;
  /** By the clock of the holder. Milliseconds since 1970. */
  readonly acquiredAt: number;
  readonly renewedAt: number;
}

/** Stores the lease of each session. */
export interface LeaseTable {
  read(session: string): Promise<Lease | null>;
  /**
   * Replaces the lease in one step if its token is `expect` (`null`: there is none), and does nothing otherwise. Returns
   * the lease in force afterwards. Fails for a session that does not exist.
   */
  swap(input: {
    readonly session: string;
    readonly expect: string | null;
    readonly next: Lease | null;
  }): Promise<Lease | null>;
}

export type SessionId = string;

export interface SessionHeader {
  readonly v: 1;
  readonly id: SessionId;
  readonly createdAt: number;
  readonly name?: string;
  /** The folder the agent worked in. */
  readonly cwd?: string;
  /** What it was forked or cloned from. */
  readonly parent?: { readonly session: SessionId; readonly entry?: EntryId };
  /** The session it is a part of, e.g. of the agent that started this one as a sub-agent. */
  readonly owner?: { readonly session: SessionId; readonly call?: string };
  /** Where it was imported from; `key` makes a second import find the first. */
  readonly source?: { readonly format: string; readonly key: string };
  readonly details?: JsonObject;
}

/** The newest handle, the number of entries, the leaf and the epoch of a session. */
export interface Head {
  /** The newest handle, 0 where there is no entry. A clone keeps the handles of its origin, so there may be gaps. */
  readonly last: number;
  readonly count: number;
  readonly leaf: EntryId | null;
  readonly epoch: EntryId | null;
}

export type EntryQuery =
  | { readonly ids: readonly EntryId[] }
  | { readonly handles: readonly number[] }
  /** The entries of one epoch, on every branch; `null` for those before the first. */
  | { readonly epoch: EntryId | null }
  /** Those with a handle above `after`. */
  | { readonly after: number; readonly limit?: number }
  /** Messages that were appended under one of these keys. */
  | { readonly keys: readonly string[] }
  | { readonly types: readonly string[] };

export interface ListQuery {
  /** Part of a name, folder or id. */
  readonly text?: string;
  readonly sort?: 'updated' | 'created' | 'name' | 'entries';
  readonly limit?: number;
  readonly cwd?: string;
  /** Only those imported from here. */
  readonly source?: { readonly format: string; readonly key: string };
}

export interface SessionSummary {
  readonly header: SessionHeader;
  readonly name: string | undefined;
  readonly count: number;
  readonly messages: number;
  readonly updatedAt: number;
  /** The first words of the first human message. */
  readonly title: string | undefined;
}

export interface Hit {
  readonly session: SessionId;
  readonly entry: EntryId;
  readonly handle: number;
  /** The part in which it was found, from 1, as in the handle `@12.2`. */
  readonly part: number;
  readonly snippet: string;
  readonly score: number;
}
