import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Head, SessionId } from '../store.ts';
import { Catalogue, type Facts, type Standing } from './catalogue.ts';
import { createLog } from './create.ts';
import type { DatabaseLimits } from './database.ts';
import { examine } from './doctor/examine.ts';
import { FailureError, failureOf, isDamage } from './failure.ts';
import { createFiles, type Files } from './files.ts';
import { FullText } from './full-text.ts';
import { type Layout, layoutOf, type SessionPlace } from './layout.ts';
import { LogFile } from './log-file.ts';
import { makeFolders } from './make-folders.ts';
import type { AppendArgs, Args, Operation, Outcome, Reply } from './protocol.ts';
import { databaseFiles, setAside } from './set-aside.ts';
import { headOf } from './sums.ts';

export interface KeeperOptions {
  readonly dir: string;
  readonly files?: Files;
  /** For logs only; the catalogue and the index can be rebuilt. */
  readonly limits?: DatabaseLimits;
}

/** Sessions that the index may be behind of, with their newest handles. */
export type Plan = Standing[];

/** Files kept open at a time. */
const openLogs = 64;

/** Everything a store does, one thing at a time and synchronously; it runs in the store's own thread. */
export class Keeper {
  readonly layout: Layout;
  readonly #files: Files;
  readonly #limits: DatabaseLimits | undefined;
  readonly #logs = new Map<SessionId, LogFile>();
  #catalogue: Catalogue | undefined;
  #index: FullText | undefined;
  readonly #appended = new Map<SessionId, number>();
  #removals = 0;

  constructor({ dir, files = createFiles(), limits }: KeeperOptions) {
    this.layout = layoutOf(dir);
    this.#files = files;
    this.#limits = limits;
    makeFolders(dir);
    files.makeFolder(this.layout.sessions);
    // Also when they were there: whoever made them may not have come to it.
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
  searchPlan({ session }: Args<'search'>): Plan {
    return this.#rebuilding('catalogue', () => {
      this.#list().refresh();
      return this.#list()
        .standings()
        .filter(({ id }) => session === undefined || id === session);
    });
  }

  /** What was appended here since it was last asked. */
  appendedPlan(): Plan {
    const plan = [...this.#appended].map(([id, last]) => ({ id, last }));
    this.#appended.clear();
    return plan;
  }

  /** Indexes a slice of what a plan names, and takes off the plan what is done. `false` when nothing is left. */
  catchUp(plan: Plan): boolean {
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
    list: (query) => this.#rebuilding('catalogue', () => this.#list().list(query)),
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
        this.#rebuilding('catalogue', () => this.#list().refresh());
        this.#rebuilding('index', () => this.#fullText().forget(session));
      }
      return report;
    },
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
      return work(this.#log(session));
    } catch (error) {
      // Whatever went wrong, the next use starts from the file as it is then.
      this.#logs.get(session)?.close();
      this.#logs.delete(session);
      throw new FailureError(failureOf({ error, where: `Session ${session}` }));
    }
  }

  #log(session: SessionId): LogFile {
    const open = this.#logs.get(session);
    this.#logs.delete(session);
    const log = open ?? this.#open(session);
    // The most recently used stands last.
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
    try {
      this.#log(session).retire();
    } catch (error) {
      // A session too damaged to be opened can be deleted all the same.
      if (!isDamage(error) && failureOf({ error, where: '' }).kind !== 'missing') throw error;
    }
    this.#logs.get(session)?.close();
    this.#logs.delete(session);
    mkdirSync(this.layout.removed, { recursive: true, mode: 0o700 });
    this.#removals += 1;
    const grave = join(this.layout.removed, `${place.name}-${process.pid}-${Date.now()}-${this.#removals}`);
    // One rename, so that a kill leaves the session whole or gone.
    this.#files.rename(place.folder, grave);
    this.#files.syncFolder(this.layout.sessions);
    this.#sweep();
    this.#rebuilding('catalogue', () => this.#list().forgetGone());
    this.#rebuilding('index', () => this.#fullText().forget(session));
    return null;
  }

  /** Removes what was deleted, also what a killed process did not get to. */
  #sweep(): void {
    for (const name of readdirSync(this.layout.removed)) {
      rmSync(join(this.layout.removed, name), { recursive: true, force: true });
    }
    this.#files.syncFolder(this.layout.removed);
  }

  #list(): Catalogue {
    this.#catalogue ??= new Catalogue({ layout: this.layout, factsOf: (place) => this.#factsOf(place) });
    return this.#catalogue;
  }

  #fullText(): FullText {
    this.#index ??= new FullText({
      path: this.layout.index,
      sources: {
        read: (args) => this.#with(args.session, (log) => log.read(args)),
        last: (session) => this.#with(session, (log) => log.head().last),
        path: (session) => this.#with(session, (log) => log.path()),
      },
    });
    return this.#index;
  }

  /** A damaged catalogue or index is set aside and made anew from the sessions. */
  #rebuilding<T>(which: 'catalogue' | 'index', work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isDamage(error) || error instanceof FailureError) throw error;
      this.#closeDerived();
      setAside({ layout: this.layout, files: this.#files, paths: databaseFiles(this.layout[which]) });
      return work();
    }
  }

  #factsOf(place: SessionPlace): Facts | undefined {
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
  }

  #closeDerived(): void {
    this.#index?.close();
    this.#index = undefined;
    this.#catalogue?.close();
    this.#catalogue = undefined;
  }
}
