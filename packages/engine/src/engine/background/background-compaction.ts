import type { Json } from '../../message/index.ts';
import type { Session } from '../../session/index.ts';
import { type Attempt, attemptTotals } from '../../summarize/index.ts';
import type { Emit, EngineEvents } from '../events/event.ts';
import type { Compactor } from '../install/compactor.ts';
import { type CompactionCandidate, cutOf } from '../plan/candidate.ts';
import type { Policy } from '../policy/policy.ts';
import { storedAttempts } from '../stored-summary.ts';
import type { CompactionRequest, CompactionResult, JobView } from '../types.ts';
import { BackgroundJob, type JobOutcome } from './job.ts';

/** It was made, and it would free too little; or a hook called it off. */
class NotWorthIt extends Error {
  readonly outcome: 'failed' | 'cancelled';

  constructor({ reason, cancelled }: CompactionResult) {
    super(reason);
    this.outcome = cancelled ? 'cancelled' : 'failed';
  }
}

/** One of them, from its beginning to its end. */
interface BackgroundRun {
  readonly job: number;
  readonly began: number;
  readonly stop: AbortController;
  /** Every call of a model that it took until now. */
  readonly attempts: Attempt[];
  /** Its end was told. */
  isOver: boolean;
}

/**
 * The summary that is made beside the work. It is planned on the conversation as it stands when it begins; what comes
 * meanwhile stays as it is. It changes nothing until somebody installs it.
 */
export class BackgroundCompaction {
  readonly #session: Session;
  readonly #compactor: Compactor;
  readonly #job: BackgroundJob<CompactionCandidate>;
  readonly #isGood: (candidate: CompactionCandidate) => boolean;
  readonly #now: () => number;
  readonly #emit: Emit;
  /** Called where it was not worth it. */
  readonly #onDeclined: () => void;
  #number = 0;
  #run: BackgroundRun | undefined;
  #candidate: CompactionCandidate | undefined;
  /** Those that nobody waits for any more, but whose words may still be of use. */
  readonly #left = new Set<BackgroundRun>();
  /** Notes on their way into the log. */
  readonly #notes = new Set<Promise<void>>();
  #isClosed = false;

  constructor(of: {
    readonly session: Session;
    readonly compactor: Compactor;
    readonly policy: Policy;
    readonly isGood: (candidate: CompactionCandidate) => boolean;
    readonly now: () => number;
    readonly emit: Emit;
    readonly onDeclined: () => void;
  }) {
    this.#session = of.session;
    this.#compactor = of.compactor;
    this.#job = new BackgroundJob({ now: of.now, backOff: of.policy.backOff });
    this.#isGood = of.isGood;
    this.#now = of.now;
    this.#emit = of.emit;
    this.#onDeclined = of.onDeclined;
  }

  get view(): JobView {
    return { ...this.#job.view, ...(this.#left.size > 0 && { isLate: true }) };
  }

  /** What is ready. */
  get candidate(): CompactionCandidate | undefined {
    return this.view.state === 'ready' ? this.#candidate : undefined;
  }

  start({ order, why }: { readonly order: CompactionRequest; readonly why: string }): void {
    if (this.#isClosed) return;
    const attempts: Attempt[] = [];
    const stop = new AbortController();
    const run: BackgroundRun = { job: this.#number + 1, began: this.#now(), stop, attempts, isOver: false };
    const { signal } = stop;
    const onAttempt = (attempt: Attempt) => attempts.push(attempt);
    const isBegun = this.#job.start({
      work: async () => {
        try {
          const { candidate, answer } = await this.#compactor.draft({ ...order, signal, onAttempt });
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
    // Whoever waits for this one needs no other: a model that never answers is not asked by many at once.
    for (const late of this.#left) this.#callOff({ run: late, why: 'Another one is begun.' });
    this.#left.clear();
    this.#run = run;
    this.#number = run.job;
    const { used: tokens } = order.ledger.count({ context: this.#session.context, tools: order.tools });
    this.#emit('jobStart', { job: run.job, trigger: order.trigger, tokens, why });
  }

  #settled({ run, settled }: { readonly run: BackgroundRun; readonly settled: JobOutcome<CompactionCandidate> }): void {
    if ('result' in settled) {
      this.#candidate = settled.result;
      this.#end({ run, outcome: 'done', strategy: settled.result.proposal.strategy });
      return;
    }
    const { failure } = settled;
    const isDeclined = failure instanceof NotWorthIt;
    if (isDeclined) this.#onDeclined();
    this.#end({ run, outcome: isDeclined ? failure.outcome : 'failed', why: sentence(failure) });
    this.#note(run);
  }

  /** Nobody waited for it any more. */
  #late({ run, settled }: { readonly run: BackgroundRun; readonly settled: JobOutcome<CompactionCandidate> }): void {
    if (run.isOver) return;
    if ('failure' in settled) this.#end({ run, outcome: 'late', why: sentence(settled.failure) });
    else this.#end({ run, outcome: 'late', strategy: settled.result.proposal.strategy });
    this.#note(run, 'result' in settled ? settled.result : undefined);
  }

  /** What it still says counts for nothing. What it has cost by now does. */
  #callOff({ run, why }: { readonly run: BackgroundRun; readonly why: string }): void {
    run.stop.abort();
    if (run.isOver) return;
    this.#end({ run, outcome: 'cancelled', why });
    this.#note(run);
  }

  /** Each beginning has one end, and that says what was paid. */
  #end({
    run,
    ...told
  }: { readonly run: BackgroundRun } & Pick<EngineEvents['jobSettled'], 'outcome' | 'strategy' | 'why'>): void {
    run.isOver = true;
    this.#emit('jobSettled', { job: run.job, ...told, ...attemptTotals(run.attempts), ms: this.#now() - run.began });
  }

  wait(input: Parameters<BackgroundJob<CompactionCandidate>['wait']>[0]): Promise<void> {
    return this.#job.wait(input);
  }

  /** Puts what is ready in force; nothing where nothing is. */
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

  /** Forgets what is ready. */
  drop(why: string): void {
    if (!this.#job.take()) return;
    this.#emit('jobDropped', { job: this.#number, why });
    this.#note(this.#run);
  }

  /** Calls off what is running and forgets what is ready: the conversation went elsewhere. */
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

  /** Goes on without it: something else was installed in its place. What a model still says is kept for the next time. */
  leave(): void {
    if (this.view.state !== 'running') return;
    if (this.#run) this.#left.add(this.#run);
    this.#job.leave();
    this.#emit('jobDropped', { job: this.#number, why: 'It came too late: one was made without a model.' });
  }

  /**
   * Notes what no compaction says: a model's words that came too late for theirs, from which the next one goes on, and
   * what was paid for a summary that was not installed.
   */
  #note(run: BackgroundRun | undefined, late?: CompactionCandidate): void {
    const attempts = run?.attempts ?? [];
    const narrative = late?.proposal.summary.narrative;
    const isPaid = attempts.some(({ usage, cost }) => usage !== undefined || cost !== undefined);
    if (!narrative && !isPaid) return;
    const data = {
      ...(run && { job: run.job }),
      ...(late && narrative && { narrative, cut: cutOf(late) }),
      ...(attempts.length > 0 && { attempts: storedAttempts(attempts) }),
    };
    const customType = narrative ? 'longhaul:narrative' : 'longhaul:attempts';
    // Best effort: another writer may have appended first, or the store may be closed.
    const noting = this.#session
      .append({ type: 'custom', customType, data: data as unknown as Json })
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#notes.delete(noting));
    this.#notes.add(noting);
  }

  /** Calls everything off and begins nothing more. What was paid by now stands in the log afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.cancel('The session was closed.');
    await Promise.all(this.#notes);
  }
}

function sentence(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
