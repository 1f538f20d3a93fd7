import { statSync } from 'node:fs';
import { LonghaulError } from '../../../errors.ts';
import type { Entry } from '../../entry/entry.ts';
import type {
  EntryQuery,
  Head,
  Hit,
  LeaseTable,
  ListQuery,
  SessionHeader,
  SessionId,
  SessionSummary,
  Store,
} from '../store.ts';
import type { DoctorReport } from './doctor/report.ts';
import { layoutOf, type StoreLayout } from './layout.ts';
import type { AppendArgs, Call } from './protocol.ts';
import { type EntryRow, entryOf, rowOf, type StoredRow } from './row.ts';

/** The store as its users see it: entries become rows here, and rows entries; everything else happens behind `call`. */
export class SqliteStore implements Store {
  readonly #call: Call;
  readonly #layout: StoreLayout;
  readonly leases: LeaseTable = {
    read: (session) => this.#call('lease', { session }),
    swap: (change) => this.#call('swapLease', change),
  };

  constructor({ call, dir }: { readonly call: Call; readonly dir: string }) {
    this.#call = call;
    this.#layout = layoutOf(dir);
  }

  async create({ header }: { readonly header: SessionHeader }): Promise<void> {
    await this.#call('create', { header });
  }

  header(session: SessionId): Promise<SessionHeader | undefined> {
    return this.#call('header', { session });
  }

  head(session: SessionId): Promise<Head> {
    return this.#call('head', { session });
  }

  async append({
    entries,
    ...where
  }: Omit<AppendArgs, 'rows'> & { readonly entries: readonly Entry[] }): Promise<Head> {
    return await this.#call('append', { ...where, rows: entries.map(written) });
  }

  /** An append writes to the write-ahead log of SQLite, or to the file itself where that is merged into it. */
  version(session: SessionId): string | undefined {
    const { log } = this.#layout.session(session);
    try {
      const [file, ahead] = [log, `${log}-wal`].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
      if (!file) return undefined;
      return [file, ahead].map((each) => `${each?.ino}/${each?.size}/${each?.mtimeNs}`).join(' ');
    } catch {
      return undefined;
    }
  }

  async read({ session, query }: { readonly session: SessionId; readonly query: EntryQuery }): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (let from = 0; ; ) {
      const { rows, done } = await this.#call('read', { session, query, from });
      for (const row of rows) entries.push(entryOf(row));
      const last: StoredRow | undefined = rows.at(-1);
      if (done || !last) return entries;
      from = last.handle;
    }
  }

  list(input: ListQuery = {}): Promise<SessionSummary[]> {
    return this.#call('list', input);
  }

  search(input: { readonly text: string; readonly session?: SessionId; readonly limit?: number }): Promise<Hit[]> {
    return this.#call('search', input);
  }

  async delete(session: SessionId): Promise<void> {
    await this.#call('delete', { session });
  }

  /** Examines one session or all, and repairs with `fix`: see `doctor`. */
  doctor(input: { readonly session?: SessionId; readonly fix?: boolean } = {}): Promise<DoctorReport> {
    return this.#call('doctor', input);
  }

  async close(): Promise<void> {
    await this.#call('close', {});
  }
}

/** Written out before anything else happens, so that the caller may do with its objects what it likes. */
function written(entry: Entry): EntryRow {
  try {
    return rowOf(entry);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new LonghaulError({
      code: 'entry-too-deep',
      message: `Entry @${entry.handle} is nested too deeply to be written as JSON. Nothing of this append was kept.`,
      hint: 'Keep such a value as text.',
      cause: error,
    });
  }
}
