import type { Json } from '../../message/index.ts';
import type { Session } from '../../session/index.ts';
import { Job } from '../background/job.ts';
import type { Emit } from '../events/event.ts';
import type { Policy } from '../policy/policy.ts';
import type { JobView } from '../policy/situation.ts';
import { sumOf } from '../summarise/attempts.ts';
import type { Compactor } from './compactor.ts';
import { type Candidate, cutOf } from './draft.ts';
import type { Order } from './order.ts';
import type { CompactionResult } from './result.ts';

/** It was made, and it would free too little; or a hook called it off. */
class NotWorthIt extends Error {
  readonly outcome: 'failed' | 'cancelled';

  constructor({ reason, cancelled }: CompactionResult) {
    super(reason);
    this.outcome = cancelled ? 'cancelled' : 'failed';
  }
}

/**
 * The summary that is made beside the work. It is planned on the conversation as it stands when it begins; what comes
 * meanwhile stays as it is. It changes nothing until somebody installs it.
 */
export class Beside {
  readonly #session: Session;
  readonly #compactor: Compactor;
  readonly #job: Job<Candidate>;
  readonly #isGood: (candidate: Candidate) => boolean;
  readonly #now: () => number;
  readonly #emit: Emit;
  /** Called where it was not worth it. */
  readonly #onDeclined: () => void;
  #number = 0;
  #began = 0;
  #candidate: Candidate | undefined;
  /** Those that nobody waits for any more, but whose words may still be of use. */
  readonly #left = new Set<AbortController>();
  #stop = new AbortController();

  constructor(of: {
    readonly session: Session;
    readonly compactor: Compactor;
    readonly policy: Policy;
    readonly isGood: (candidate: Candidate) => boolean;
    readonly now: () => number;
    readonly emit: Emit;
    readonly onDeclined: () => void;
  }) {
    this.#session = of.session;
    this.#compactor = of.compactor;
    this.#job = new Job({ now: of.now, backOff: of.policy.backOff });
    this.#isGood = of.isGood;
    this.#now = of.now;
    this.#emit = of.emit;
    this.#onDeclined = of.onDeclined;
  }

  get view(): JobView {
    return { ...this.#job.view, ...(this.#left.size > 0 && { isLate: true }) };
  }

  /** What is ready. */
  get candidate(): Candidate | undefined {
    return this.view.state === 'ready' ? this.#candidate : undefined;
  }

  start({ order, why }: { readonly order: Order; readonly why: string }): void {
    const stop = new AbortController();
    const { signal } = stop;
    const isBegun = this.#job.start({
      work: async () => {
        try {
          const { candidate, answer } = await this.#compactor.draft({ ...order, signal });
          if (!candidate) throw new NotWorthIt(answer);
          return candidate;
        } finally {
          this.#left.delete(stop);
        }
      },
      isGood: this.#isGood,
      onSettled: (settled) => this.#settled(settled),
      onLate: (candidate) => {
        if (!signal.aborted) void this.#keep(candidate);
      },
    });
    if (!isBegun) return;
    // Whoever waits for this one needs no other: a model that never answers is not asked by many at once.
    for (const late of this.#left) late.abort();
    this.#left.clear();
    this.#stop = stop;
    this.#number += 1;
    this.#began = this.#now();
    const { used: tokens } = order.scale.weigh({ context: this.#session.context, tools: order.tools });
    this.#emit('jobStart', { job: this.#number, trigger: order.trigger, tokens, why });
  }

  #settled(settled: { readonly result: Candidate } | { readonly failure: unknown }): void {
    const told = { job: this.#number, ms: this.#now() - this.#began };
    if ('result' in settled) {
      const { rung, summary } = settled.result.proposal;
      this.#candidate = settled.result;
      this.#emit('jobSettled', { ...told, outcome: 'done', rung, ...sumOf(summary.attempts ?? []) });
      return;
    }
    const { failure } = settled;
    if (failure instanceof NotWorthIt) this.#onDeclined();
    const why = failure instanceof Error ? failure.message : String(failure);
    this.#emit('jobSettled', { ...told, outcome: failure instanceof NotWorthIt ? failure.outcome : 'failed', why });
  }

  wait(input: Parameters<Job<Candidate>['wait']>[0]): Promise<void> {
    return this.#job.wait(input);
  }

  /** Puts what is ready in force; nothing where nothing is. */
  async install(): Promise<CompactionResult | undefined> {
    const candidate = this.#job.take();
    if (!candidate) return undefined;
    const job = this.#number;
    const result = await this.#compactor.told({ ...candidate.order, job }, () => this.#compactor.install(candidate));
    if (!result.installed) this.#emit('jobDropped', { job, why: result.reason });
    else {
      const { epoch } = this.#session.context;
      const tokensFreed = result.tokensBefore - result.tokensAfter;
      this.#emit('jobInstalled', { job, tokensFreed, ...(epoch !== null && { epoch }) });
    }
    return result;
  }

  /** Forgets what is ready. */
  drop(why: string): void {
    if (this.#job.take()) this.#emit('jobDropped', { job: this.#number, why });
  }

  /** Calls off what is running and forgets what is ready: the conversation went elsewhere. */
  cancel(why: string): boolean {
    for (const stop of [this.#stop, ...this.#left]) stop.abort();
    this.#left.clear();
    const wasBusy = this.#job.cancel();
    if (wasBusy) this.#emit('jobDropped', { job: this.#number, why });
    return wasBusy;
  }

  /** Goes on without it: something else was installed in its place. What a model still says is kept for the next time. */
  leave(): void {
    if (this.view.state !== 'running') return;
    this.#left.add(this.#stop);
    this.#job.leave();
    this.#emit('jobDropped', { job: this.#number, why: 'It came too late: one was made without a model.' });
  }

  /** A model's words that came too late for their compaction are noted, and the next one goes on from them. */
  async #keep({ proposal, held }: Candidate): Promise<void> {
    const { narrative, attempts } = proposal.summary;
    if (!narrative) return;
    const data = { narrative, cut: cutOf({ proposal, held }), ...(attempts && { attempts }) };
    try {
      await this.#session.append({ type: 'custom', customType: 'longhaul:narrative', data: data as unknown as Json });
    } catch {
      // Another writer was faster, or the store is closed. It was a gift.
    }
  }
}
