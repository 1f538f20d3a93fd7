import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Head, SessionId } from '../store.ts';
import { Catalog, type SessionFile, type SessionPosition } from './catalog.ts';
import { createLog } from './create.ts';
import type { DatabaseLimits } from './database.ts';
import { examine } from './doctor/examine.ts';
import { FailureError, failureOf, isDamage, isWriteRefusal } from './failure.ts';
import { createFiles, type StoreFiles } from './files.ts';
import { FullText } from './full-text.ts';
import { ignoreContents, layoutOf, makeFolders, type SessionPlace, type StoreLayout, unfinished } from './layout.ts';
import { LogFile } from './log-file.ts';
import type { AppendArgs, Args, Operation, Outcome, Reply } from './protocol.ts';
import { databaseFiles, setAside } from './set-aside.ts';
import { headOf } from './sums.ts';

export interface StoreWorkerOptions {
  readonly dir: string;
  readonly files?: StoreFiles;
  /** For logs only; the catalog and the index can be rebuilt. */
  readonly limits?: DatabaseLimits;
}

/** What is derived from the logs and can be made again. */
type Derived = 'catalog' | 'index';

/** Sessions that the index may be behind of, with their newest handles. */
export type IndexPlan = SessionPosition[];

/** Files kept open at a time. */
const openLogs = 64;

/** Everything a store does, one thing at a time and synchronously; it runs in the store's own thread. */
export class StoreWorker {
  readonly layout: StoreLayout;
  readonly #files: StoreFiles;
  readonly #limits: DatabaseLimits | undefined;
  readonly #logs = new Map<SessionId, LogFile>();
  #catalog: Catalog | undefined;
  #index: FullText | undefined;
  /** Derived databases that the disk took no writes for. */
  readonly #inMemory = new Set<Derived>();
  readonly #appended = new Map<SessionId, number>();
  #removals = 0;

  constructor({ dir, files = createFiles(), limits }: StoreWorkerOptions) {
    this.layout = layoutOf(dir);
    this.#files = files;
    this.#limits = limits;
    makeFolders(dir);
    if (!existsSync(this.layout.sessions)) ignoreContents(dir);
    files.makeFolder(this.layout.sessions);
    // Also for existing folders: the process that created them may have been killed before the sync.
    for (const folder of [dirname(dir), dir]) files.syncFolder(folder);
  }

  run<Op extends Operation>(op: Op, args: Args<Op>): Reply<Op> {
    const handlers: { [Name in Operation]: (args: Args<Name>) => Reply<Name> } = this.#handlers;
    return handlers[op](args);
  }

  /** Appends that waited together: one transaction for each session among them. */
  appendAll(appends: readonly AppendArgs[]): Outcome<Head>[] {
    const outcomes = new Map<AppendArgs, Outcome<Head>>();
    for (const [session, group] of Map.groupBy(appends, ({ session }) => session)) {
      const done = this.#appendGroup({ session, group });
      group.forEach((append, index) => {
        outcomes.set(append, done[index] ?? { failure: { kind: 'missing', session } });
      });
    }
    return appends.map((append) => outcomes.get(append) ?? { failure: { kind: 'missing', session: append.session } });
  }

  /** What a search would have to look at first: all sessions, or the one it is about. */
  searchPlan({ session }: Args<'search'>): IndexPlan {
    return this.#rebuilding('catalog', () => {
      this.#list().refresh();
      return this.#list()
        .positions()
        .filter(({ id }) => session === undefined || id === session);
    });
  }

  /** What was appended here since it was last asked. */
  appendedPlan(): IndexPlan {
    const plan = [...this.#appended].map(([id, last]) => ({ id, last }));
    this.#appended.clear();
    return plan;
  }

  /** Indexes a slice of what a plan names, and takes off the plan what is done. `false` when nothing is left. */
  catchUp(plan: IndexPlan): boolean {
    return this.#rebuilding('index', () => {
      for (let next = plan.at(-1); next; next = plan.at(-1)) {
        if (this.#fullText().indexSlice(next)) return true;
        plan.pop();
      }
      return false;
    });
  }

  readonly #handlers: { [Name in Operation]: (args: Args<Name>) => Reply<Name> } = {
    ready: () => null,
    create: ({ header }) => {
      createLog({ layout: this.layout, files: this.#files, header });
      return null;
    },
    header: ({ session }) => {
      if (!existsSync(this.layout.session(session).log)) return undefined;
      return this.#with(session, (log) => log.header());
    },
    head: ({ session }) => this.#with(session, (log) => headOf(log.head())),
    append: (args) => {
      const [outcome] = this.appendAll([args]);
      if (outcome && 'value' in outcome) return outcome.value;
      throw new FailureError(outcome?.failure ?? { kind: 'missing', session: args.session });
    },
    read: (args) => this.#with(args.session, (log) => log.read(args)),
    list: (query) => this.#rebuilding('catalog', () => this.#list().list(query)),
    search: (query) => {
      const sessions = this.searchPlan(query);
      const plan = [...sessions];
      while (this.catchUp(plan));
      return this.#rebuilding('index', () => this.#fullText().search({ ...query, sessions }));
    },
    delete: ({ session }) => this.#delete(session),
    doctor: (args) => {
      this.#closeAll();
      const report = examine({ layout: this.layout, files: this.#files, ...args });
      for (const { session, repaired } of report.sessions) {
        if (!repaired) continue;
        this.#rebuilding('catalog', () => this.#list().refresh());
        this.#rebuilding('index', () => this.#fullText().forget(session));
      }
      return report;
    },
    lease: ({ session }) => this.#with(session, (log) => log.lease()),
    swapLease: ({ session, ...change }) => this.#with(session, (log) => log.swapLease(change)),
    close: () => {
      this.#closeAll();
      return null;
    },
  };

  #appendGroup({ session, group }: { session: SessionId; group: readonly AppendArgs[] }): Outcome<Head>[] {
    try {
      const outcomes = this.#with(session, (log) => log.append(group));
      for (const outcome of outcomes) if ('value' in outcome) this.#appended.set(session, outcome.value.last);
      return outcomes;
    } catch (error) {
      const failure = failureOf({ error, where: `Session ${session}` });
      return group.map(() => ({ failure }));
    }
  }

  #with<T>(session: SessionId, work: (log: LogFile) => T): T {
    try {
      const log = this.#log(session);
      const result = work(log);
      if (log.isForReading) this.#closeLog(session);
      return result;
    } catch (error) {
      // Whatever went wrong, the next use starts from the file as it is then.
      this.#closeLog(session);
      throw new FailureError(failureOf({ error, where: `Session ${session}` }));
    }
  }

  #closeLog(session: SessionId): void {
    this.#logs.get(session)?.close();
    this.#logs.delete(session);
  }

  #log(session: SessionId): LogFile {
    const open = this.#logs.get(session);
    this.#logs.delete(session);
    const log = open ?? this.#open(session);
    // The most recently used is last.
    this.#logs.set(session, log);
    for (const [oldest, file] of this.#logs) {
      if (this.#logs.size <= openLogs) break;
      this.#logs.delete(oldest);
      file.close();
    }
    return log;
  }

  #open(session: SessionId): LogFile {
    const place = this.layout.session(session);
    if (!existsSync(place.log)) throw new FailureError({ kind: 'missing', session });
    return new LogFile({ place, session, files: this.#files, limits: this.#limits });
  }

  #delete(session: SessionId): null {
    const place = this.layout.session(session);
    if (!existsSync(place.folder)) throw new FailureError({ kind: 'missing', session });
    const isRetired = this.#retire(session);
    let grave: string;
    try {
      grave = this.#moveAway(place);
    } catch (error) {
      throw notDeleted({ session, error });
    }
    if (!isRetired) {
      // On a full disk, removing the blobs makes room for the transaction that retires the log.
      rmSync(join(grave, basename(place.blobs)), { recursive: true, force: true });
      retireMoved({ log: join(grave, basename(place.log)), place, files: this.#files });
    }
    rmSync(grave, { recursive: true, force: true });
    this.#sweep();
    this.#forgetDerived('catalog', () => this.#list().forgetGone());
    this.#forgetDerived('index', () => this.#fullText().forget(session));
    return null;
  }

  /** Ends appends by other processes. `false` where the disk takes no writes: then the log is only removed. */
  #retire(session: SessionId): boolean {
    try {
      this.#log(session).retire();
      return true;
    } catch (error) {
      // A session too damaged to be opened can be deleted all the same.
      if (isDamage(error) || failureOf({ error, where: '' }).kind === 'missing') return true;
      if (isWriteRefusal(error)) return false;
      throw error;
    } finally {
      this.#closeLog(session);
    }
  }

  /** One rename, so that a kill leaves the session whole or gone. Returns where it is now. */
  #moveAway(place: SessionPlace): string {
    this.#removals += 1;
    const suffix = `${process.pid}-${Date.now()}-${this.#removals}`;
    let grave = join(this.layout.removed, `${place.name}-${suffix}`);
    try {
      this.#files.makeFolder(this.layout.removed);
    } catch (error) {
      if (!isWriteRefusal(error)) throw error;
      // A full disk may have no room for a folder; a name in the same folder needs none.
      grave = this.layout.place(`${place.name}${unfinished}${suffix}`).folder;
    }
    this.#files.rename(place.folder, grave);
    this.#files.syncFolder(this.layout.sessions);
    return grave;
  }

  /** Removes what was deleted, also what a killed process did not get to. */
  #sweep(): void {
    if (!existsSync(this.layout.removed)) return;
    for (const name of readdirSync(this.layout.removed)) {
      rmSync(join(this.layout.removed, name), { recursive: true, force: true });
    }
    this.#files.syncFolder(this.layout.removed);
  }

  /** Removes a deleted session from a derived database; where that cannot be written, removes the database. */
  #forgetDerived(which: Derived, work: () => void): void {
    this.#rebuilding(which, work);
    if (!this.#inMemory.has(which)) return;
    for (const path of databaseFiles(this.layout[which])) rmSync(path, { recursive: true, force: true });
  }

  #list(): Catalog {
    this.#catalog ??= new Catalog({
      layout: this.layout,
      factsOf: (place) => this.#factsOf(place),
      inMemory: this.#inMemory.has('catalog'),
    });
    return this.#catalog;
  }

  #fullText(): FullText {
    this.#index ??= new FullText({
      path: this.layout.index,
      inMemory: this.#inMemory.has('index'),
      sources: {
        read: (args) => this.#with(args.session, (log) => log.read(args)),
        last: (session) => this.#with(session, (log) => log.head().last),
        path: (session) => this.#with(session, (log) => log.path()),
      },
    });
    return this.#index;
  }

  /** A damaged catalog or index is set aside and made again from the sessions; in memory, where it cannot be written. */
  #rebuilding<T>(which: Derived, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof FailureError) throw error;
      if (isDamage(error)) return this.#rebuilt(which, work);
      if (!isWriteRefusal(error) || this.#inMemory.has(which)) throw error;
      return this.#workInMemory(which, work);
    }
  }

  #rebuilt<T>(which: Derived, work: () => T): T {
    this.#closeDerived();
    try {
      setAside({ layout: this.layout, files: this.#files, paths: databaseFiles(this.layout[which]) });
      return work();
    } catch (error) {
      if (!isWriteRefusal(error) || this.#inMemory.has(which)) throw error;
      return this.#workInMemory(which, work);
    }
  }

  #workInMemory<T>(which: Derived, work: () => T): T {
    this.#closeDerived();
    this.#inMemory.add(which);
    return work();
  }

  #factsOf(place: SessionPlace): SessionFile | undefined {
    let log: LogFile | undefined;
    try {
      log = new LogFile({ place, session: place.name, files: this.#files });
      return { header: log.header(), head: log.head() };
    } catch (error) {
      const failure = failureOf({ error, where: place.name });
      if (failure.kind === 'missing' || !existsSync(place.log)) return undefined;
      return { damage: failure.kind === 'damage' ? failure.what : failure.kind };
    } finally {
      log?.close();
    }
  }

  #closeAll(): void {
    for (const log of this.#logs.values()) log.close();
    this.#logs.clear();
    this.#closeDerived();
    this.#inMemory.clear();
  }

  #closeDerived(): void {
    this.#index?.close();
    this.#index = undefined;
    this.#catalog?.close();
    this.#catalog = undefined;
  }
}

/** Retires a log that has been moved; where that cannot be written either, appends of other processes go nowhere. */
function retireMoved({
  log: path,
  place,
  files,
}: {
  readonly log: string;
  readonly place: SessionPlace;
  readonly files: StoreFiles;
}): void {
  try {
    const log = new LogFile({ place: { ...place, log: path }, session: place.name, files });
    try {
      log.retire();
    } finally {
      log.close();
    }
  } catch (error) {
    if (!isWriteRefusal(error) && failureOf({ error, where: '' }).kind === 'other') throw error;
  }
}

function notDeleted({ session, error }: { readonly session: SessionId; readonly error: unknown }): FailureError {
  const failure = failureOf({ error, where: `Session ${session}` });
  if (failure.kind !== 'write') return new FailureError(failure);
  return new FailureError({
    kind: 'other',
    code: 'store-write-failed',
    message: `Session ${session} was not deleted: ${failure.why}.`,
    hint: 'Make the folder of the store writable, then delete it again.',
  });
}
