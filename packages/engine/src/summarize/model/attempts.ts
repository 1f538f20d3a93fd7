import type { ModelFailure, RetryPolicy } from '../../models/index.ts';
import { maskKeys, retryAttempts } from '../../models/internal.ts';
import type { Clock } from '../../time.ts';
import { timedOut, withTimeout } from '../../time.ts';
import type { Attempt } from '../summarizer.ts';
import type { AcceptResult, Rejection } from './accept.ts';
import type { SummaryBackend } from './backend.ts';
import type { BackendReply } from './reply.ts';

/** Limits on the model calls for one summary. */
export interface SummaryLimits {
  /** Milliseconds for one call. */
  readonly timeout: number;
  /** Milliseconds for all calls together, waits included. */
  readonly deadline: number;
  /** Failed calls after which no model is called again. */
  readonly attempts: number;
  /** Backoff after transient failures; a delay requested by the server takes precedence. */
  readonly retry: RetryPolicy;
}

/** With another backend to try, do not wait longer than this (as in oh-my-pi). */
const longestWait = 30_000;

/** The result of a call, with the failure behind a rejection. */
export type AttemptOutcome = AcceptResult & { readonly failure?: ModelFailure | undefined };

/** Runs the model calls of one summary: checks answers, retries what is worth retrying, records every attempt. */
export class AttemptRunner {
  readonly attempts: Attempt[] = [];
  readonly #onAttempt: ((attempt: Attempt) => void) | undefined;
  readonly #limits: SummaryLimits;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #signal: AbortSignal | undefined;
  readonly #end: number;
  #failures = 0;

  constructor(of: {
    readonly limits: SummaryLimits;
    readonly clock: Clock;
    readonly random: () => number;
    readonly signal: AbortSignal | undefined;
    readonly onAttempt?: ((attempt: Attempt) => void) | undefined;
  }) {
    this.#onAttempt = of.onAttempt;
    this.#limits = of.limits;
    this.#clock = of.clock;
    this.#random = of.random;
    this.#signal = of.signal;
    this.#end = of.clock.now() + of.limits.deadline;
  }

  /** No further call is allowed. */
  get isOver(): boolean {
    return this.#failures >= this.#limits.attempts || this.#clock.now() >= this.#end;
  }

  /** Records a strategy that was skipped, and why. */
  skip({
    strategy,
    backend,
    rejection,
    why,
  }: {
    readonly strategy: string;
    readonly backend: SummaryBackend;
    readonly rejection: Rejection;
    readonly why: string;
  }): AttemptOutcome {
    this.#record({ strategy, model: backend.name, outcome: rejection, why, ms: 0 });
    return { rejection, why };
  }

  async ask(of: {
    readonly strategy: string;
    readonly backend: SummaryBackend;
    readonly call: (signal: AbortSignal) => Promise<BackendReply>;
    readonly check: (reply: BackendReply) => AcceptResult;
    /** Another backend could be called instead of waiting. */
    readonly hasAlternative: boolean;
    /** The call summarizes one of several pieces. */
    readonly isPiece?: boolean;
  }): Promise<AttemptOutcome> {
    let outcome: AttemptOutcome = { rejection: 'late', why: 'The deadline has passed.' };
    let isRefusalRetried = false;
    const attempts = retryAttempts({
      policy: this.#limits.retry,
      clock: this.#clock,
      random: this.#random,
      signal: this.#signal,
      allows: (delayMs) => !(of.hasAlternative && delayMs > longestWait) && this.#clock.now() + delayMs < this.#end,
    });
    for await (const attempt of attempts) {
      if (this.isOver) return outcome;
      outcome = await this.#once(of);
      if ('narrative' in outcome) return outcome;
      this.#failures += 1;
      if (this.isOver) return outcome;
      // A content filter may accept the same request the second time (D12).
      if (outcome.rejection === 'refused' && !isRefusalRetried) {
        isRefusalRetried = true;
        attempt.retryNow();
      } else if (!outcome.failure || !attempt.retry(outcome.failure)) return outcome;
    }
    this.#signal?.throwIfAborted();
    return outcome;
  }

  #record(attempt: Attempt): void {
    this.attempts.push(attempt);
    this.#onAttempt?.(attempt);
  }

  async #once(of: Parameters<AttemptRunner['ask']>[0]): Promise<AttemptOutcome> {
    const started = this.#clock.now();
    const { strategy, backend } = of;
    const timeout = Math.max(0, Math.min(this.#limits.timeout, this.#end - started));
    const reply = await withTimeout({ work: of.call, timeout, signal: this.#signal, clock: this.#clock }).catch(failed);
    this.#signal?.throwIfAborted();
    const ms = this.#clock.now() - started;
    if (reply === timedOut) {
      const why = `No answer within ${timeout} ms.`;
      this.#record({ strategy, model: backend.name, outcome: 'late', why, ms });
      return { rejection: 'late', why };
    }
    const result = of.check(reply);
    const cost = reply.usage && backend.costOf(reply.usage);
    this.#record({
      strategy,
      model: backend.name,
      ...('rejection' in result
        ? { outcome: result.rejection, why: result.why }
        : { outcome: of.isPiece ? 'part' : 'accepted' }),
      ...(reply.usage && { usage: reply.usage }),
      ...(cost !== undefined && { cost }),
      ...(reply.requestId !== undefined && { requestId: reply.requestId }),
      ms,
    });
    return { ...result, failure: reply.failure };
  }
}

/** A call that threw, against its contract, counts as failed. */
function failed(error: unknown): BackendReply {
  const message = error instanceof Error ? error.message : String(error);
  return {
    text: '',
    reason: 'failed',
    callsTools: false,
    failure: { kind: 'unknown', message: maskKeys({ text: message }), retryable: false },
  };
}
