import type { JsonObject } from '../../message/index.ts';
import type { Draft, Session, SummaryJobEntry } from '../../session/index.ts';
import { type Attempt, attemptTotals } from '../../summarize/index.ts';
import type { DeclinedCompaction } from '../declined.ts';
import type { Emit, EngineEvents } from '../events/event.ts';
import type { Compactor } from '../install/compactor.ts';
import { type CompactionCandidate, cutOf } from '../plan/candidate.ts';
import type { Policy } from '../policy/policy.ts';
import { storedAttempts } from '../stored-summary.ts';
import type { CompactionRequest, CompactionResult, JobView } from '../types.ts';
import { BackgroundJob, type JobOutcome } from './job.ts';

/** The summary would free too little, or a hook cancelled it. */
class NotWorthIt extends Error {
  readonly outcome: 'failed' | 'cancelled';

  constructor({ reason, cancelled }: CompactionResult) {
    super(reason);
    this.outcome = cancelled ? 'cancelled' : 'failed';
  }
}

/** One background summary, from start to end. */
interface BackgroundRun {
  readonly job: number;
  readonly began: number;
  readonly stop: AbortController;
  /** Every model call that it made so far. */
  readonly attempts: Attempt[];
  /** Whether its end was reported. */
  isOver: boolean;
}

/**
 * The background summary of a session. It is planned on the conversation at its start; entries that arrive meanwhile stay
 * verbatim. Nothing changes until it is installed.
 */
export class BackgroundCompaction {
  readonly #session: Session;
  readonly #compactor: Compactor;
  readonly #job: BackgroundJob<CompactionCandidate>;
  readonly #isGood: (candidate: CompactionCandidate) => boolean;
  readonly #now: () => number;
  readonly #emit: Emit;
  readonly #declined: DeclinedCompaction;
  #number = 0;
  #run: BackgroundRun | undefined;
  #candidate: CompactionCandidate | undefined;
  /** Runs that came too late, but whose narrative may still be used. */
  readonly #left = new Set<BackgroundRun>();
  /** Notes that are being appended. */
  readonly #notes = new Set<Promise<void>>();
  #isClosed = false;

  constructor(of: {
    readonly session: Session;
    readonly compactor: Compactor;
    readonly policy: Policy;
    readonly isGood: (candidate: CompactionCandidate) => boolean;
    readonly now: () => number;
    readonly emit: Emit;
    readonly declined: DeclinedCompaction;
  }) {
    this.#session = of.session;
    this.#compactor = of.compactor;
    this.#job = new BackgroundJob({ now: of.now, backOff: of.policy.summarize.backOff });
    this.#isGood = of.isGood;
    this.#now = of.now;
    this.#emit = of.emit;
    this.#declined = of.declined;
  }

  get view(): JobView {
    return { ...this.#job.view, ...(this.#left.size > 0 && { isLate: true }) };
  }

  /** The summary that is ready. */
  get candidate(): CompactionCandidate | undefined {
    return this.view.state === 'ready' ? this.#candidate : undefined;
  }

  start({ request, why }: { readonly request: CompactionRequest; readonly why: string }): void {
    if (this.#isClosed) return;
    const attempts: Attempt[] = [];
    const stop = new AbortController();
    const run: BackgroundRun = { job: this.#number + 1, began: this.#now(), stop, attempts, isOver: false };
    const { signal } = stop;
    const onAttempt = (attempt: Attempt) => attempts.push(attempt);
    const isBegun = this.#job.start({
      work: async () => {
        try {
          const { candidate, answer } = await this.#compactor.draft({ ...request, signal, onAttempt });
          if (!candidate) throw new NotWorthIt(answer);
          return candidate;
        } finally {
          this.#left.delete(run);
        }
      },
      isGood: this.#isGood,
      onSettled: (settled) => this.#settled({ run, settled }),
      onLate: (settled) => this.#late({ run, settled }),
    });
    if (!isBegun) return;
    // One run at a time: a model that never answers is not asked again and again in parallel.
    for (const late of this.#left) this.#callOff({ run: late, why: 'Another summary was started.' });
    this.#left.clear();
    this.#run = run;
    this.#number = run.job;
    const { used: tokens } = request.ledger.count({ context: this.#session.context, tools: request.tools });
    this.#emit('jobStart', { job: run.job, trigger: request.trigger, tokens, why });
  }

  #settled({ run, settled }: { readonly run: BackgroundRun; readonly settled: JobOutcome<CompactionCandidate> }): void {
    if ('result' in settled) {
      this.#candidate = settled.result;
      this.#end({ run, outcome: 'done', strategy: settled.result.proposal.strategy });
      return;
    }
    const { failure } = settled;
    const isDeclined = failure instanceof NotWorthIt;
    if (isDeclined) this.#declined.record();
    this.#end({ run, outcome: isDeclined ? failure.outcome : 'failed', why: sentence(failure) });
    this.#note(run);
  }

  /** It ended after it was abandoned. */
  #late({ run, settled }: { readonly run: BackgroundRun; readonly settled: JobOutcome<CompactionCandidate> }): void {
    if (run.isOver) return;
    if ('failure' in settled) this.#end({ run, outcome: 'late', why: sentence(settled.failure) });
    else this.#end({ run, outcome: 'late', strategy: settled.result.proposal.strategy });
    this.#note(run, 'result' in settled ? settled.result : undefined);
  }

  /** Its result is ignored. What it has cost is recorded. */
  #callOff({ run, why }: { readonly run: BackgroundRun; readonly why: string }): void {
    run.stop.abort();
    if (run.isOver) return;
    this.#end({ run, outcome: 'cancelled', why });
    this.#note(run);
  }

  /** Every start event has one end event, which reports the cost. */
  #end({
    run,
    ...outcome
  }: { readonly run: BackgroundRun } & Pick<EngineEvents['jobSettled'], 'outcome' | 'strategy' | 'why'>): void {
    run.isOver = true;
    this.#emit('jobSettled', { job: run.job, ...outcome, ...attemptTotals(run.attempts), ms: this.#now() - run.began });
  }

  wait(input: Parameters<BackgroundJob<CompactionCandidate>['wait']>[0]): Promise<void> {
    return this.#job.wait(input);
  }

  /** Installs the summary that is ready, if there is one. */
  async install(): Promise<CompactionResult | undefined> {
    const candidate = this.#job.take();
    if (!candidate) return undefined;
    const run = this.#run;
    const job = this.#number;
    const result = await this.#compactor.reported({ ...candidate.request, job }, () =>
      this.#compactor.install(candidate),
    );
    if (!result.installed) {
      this.#emit('jobDropped', { job, why: result.reason });
      this.#note(run);
    } else {
      const { epoch } = this.#session.context;
      const tokensFreed = result.tokensBefore - result.tokensAfter;
      this.#emit('jobInstalled', { job, tokensFreed, ...(epoch !== null && { epoch }) });
    }
    return result;
  }

  /** Discards the summary that is ready. */
  drop(why: string): void {
    if (!this.#job.take()) return;
    this.#emit('jobDropped', { job: this.#number, why });
    this.#note(this.#run);
  }

  /** Cancels a running summary and discards one that is ready: it no longer matches the conversation. */
  cancel(why: string): boolean {
    const run = this.#run;
    const { state } = this.view;
    const wasBusy = this.#job.cancel();
    if (wasBusy) this.#emit('jobDropped', { job: this.#number, why });
    if (state === 'ready') this.#note(run);
    for (const one of [...(run ? [run] : []), ...this.#left]) this.#callOff({ run: one, why });
    this.#left.clear();
    return wasBusy;
  }

  /** Stops waiting for the running summary: another one was installed. Its narrative is kept for the next summary. */
  leave(): void {
    if (this.view.state !== 'running') return;
    if (this.#run) this.#left.add(this.#run);
    this.#job.leave();
    this.#emit('jobDropped', { job: this.#number, why: 'It came too late: one was made without a model.' });
  }

  /**
   * Records what no compaction entry has: a narrative that came too late, which the next summary builds on, and the cost
   * of a summary that was not installed.
   */
  #note(run: BackgroundRun | undefined, late?: CompactionCandidate): void {
    const attempts = run?.attempts ?? [];
    const narrative = late?.proposal.summary.narrative;
    const isPaid = attempts.some(({ usage, cost }) => usage !== undefined || cost !== undefined);
    if (!narrative && !isPaid) return;
    const draft: Draft<SummaryJobEntry> = {
      type: 'summary_job',
      ...(run && { job: run.job }),
      ...(late && narrative && { narrative: narrative as unknown as JsonObject, cut: cutOf(late) }),
      ...(attempts.length > 0 && { attempts: storedAttempts(attempts) as unknown as JsonObject[] }),
    };
    // Best effort: another writer may have appended first, or the store may be closed.
    const noting = this.#session
      .append(draft)
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#notes.delete(noting));
    this.#notes.add(noting);
  }

  /** Cancels everything and starts nothing more. What was paid so far is in the log afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.cancel('The session was closed.');
    await Promise.all(this.#notes);
  }
}

function sentence(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
