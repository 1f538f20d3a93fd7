import type { WorkerReply } from '../../../worker-client.ts';
import type { EntryId } from '../../entry/entry.ts';
import type { EntryQuery, Head, Hit, Lease, ListQuery, SessionHeader, SessionId, SessionSummary } from '../store.ts';
import type { DoctorReport } from './doctor/report.ts';
import type { Failure } from './failure.ts';
import type { EntryRow, StoredRow } from './row.ts';

/** What the store asks of its writer thread, and what comes back. */
interface Requests {
  /** Opens the folder of the store. */
  ready: { readonly args: Record<string, never>; readonly reply: null };
  create: { readonly args: { readonly header: SessionHeader }; readonly reply: null };
  header: { readonly args: { readonly session: SessionId }; readonly reply: SessionHeader | undefined };
  head: { readonly args: { readonly session: SessionId }; readonly reply: Head };
  append: { readonly args: AppendArgs; readonly reply: Head };
  read: { readonly args: ReadArgs; readonly reply: ReadReply };
  list: { readonly args: ListQuery; readonly reply: SessionSummary[] };
  search: {
    readonly args: { readonly text: string; readonly session?: SessionId; readonly limit?: number };
    readonly reply: Hit[];
  };
  delete: { readonly args: { readonly session: SessionId }; readonly reply: null };
  doctor: { readonly args: { readonly session?: SessionId; readonly fix?: boolean }; readonly reply: DoctorReport };
  lease: { readonly args: { readonly session: SessionId }; readonly reply: Lease | null };
  swapLease: {
    readonly args: { readonly session: SessionId; readonly expect: string | null; readonly next: Lease | null };
    readonly reply: Lease | null;
  };
  close: { readonly args: Record<string, never>; readonly reply: null };
}

export type Operation = keyof Requests;
export type Args<Op extends Operation> = Requests[Op]['args'];
export type Reply<Op extends Operation> = Requests[Op]['reply'];

export interface AppendArgs {
  readonly session: SessionId;
  readonly expect: number;
  readonly rows: readonly EntryRow[];
  readonly leaf: EntryId | null;
  readonly epoch: EntryId | null;
}

export interface ReadArgs {
  readonly session: SessionId;
  readonly query: EntryQuery;
  /** Only rows with a handle above this: where the page before ended. */
  readonly from: number;
}

/** One page of rows. A reader asks on from the last handle until `done`, so that no reply is large. */
export interface ReadReply {
  readonly rows: readonly StoredRow[];
  readonly done: boolean;
}

export type Outcome<T> = { readonly value: T } | { readonly failure: Failure };

/** Asks for one operation; rejects with the typed errors. */
export type Call = <Op extends Operation>(op: Op, args: Args<Op>) => Promise<Reply<Op>>;

/** As posted between the threads. */
export interface Envelope {
  readonly id: number;
  readonly op: Operation;
  readonly args: Args<Operation>;
  /** How many appends the caller waits for, this one included: as many may go into one commit. */
  readonly appends: number;
}

export type Answer = WorkerReply<unknown, Failure>;

/** Messages on their way between the threads. */
export type Posted<T> = string | readonly T[];

/**
 * Small messages cross as text: writing and reading JSON takes a fifth of the time of cloning objects, and appends are
 * many. Pages of rows, whose strings a clone copies as they are, cross as objects.
 */
export function pack<T extends Envelope | Answer>(messages: readonly T[]): Posted<T> {
  return messages.some(isPage) ? messages : JSON.stringify(messages);
}

export function unpack<T extends Envelope | Answer>(posted: Posted<T>): readonly T[] {
  return typeof posted === 'string' ? (JSON.parse(posted) as readonly T[]) : posted;
}

function isPage(message: Envelope | Answer): boolean {
  if (!('value' in message)) return false;
  const { value } = message;
  return value === undefined || (typeof value === 'object' && value !== null && 'rows' in value);
}
