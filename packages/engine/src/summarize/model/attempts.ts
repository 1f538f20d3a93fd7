import { type ModelFailure, type RetryPolicy, retryDelay } from '../../models/index.ts';
import { maskKeys } from '../../models/internal.ts';
import type { Clock } from '../clock.ts';
import type { Attempt } from '../summarizer.ts';
import { late, within } from '../timeout.ts';
import type { Rejection, AcceptResult } from './accept.ts';
import type { SummaryBackend } from './backend.ts';
import type { BackendReply } from './reply.ts';

/** How long and how often anybody is asked. */
export interface SummaryLimits {
  /** Milliseconds that one call may take. */
  readonly timeout: number;
  /** Milliseconds that all of them may take together, waits included. */
  readonly deadline: number;
  /** So many calls in vain, and no model is asked any more. */
  readonly attempts: number;
  /** Waits between two calls that fail for a while: what a server asks for, or longer and longer. */
  readonly retry: RetryPolicy;
}

/** With somebody else to ask nobody waits longer than this (oh-my-pi's number). */
const longestWait = 30_000;

/** What became of a question. */
export type AttemptOutcome = AcceptResult & { readonly failure?: ModelFailure | undefined };

/** Asks, judges, repeats what is worth repeating, and keeps account of it. One for each summary. */
export class AttemptRunner {
  readonly attempts: Attempt[] = [];
  readonly #onAttempt: ((attempt: Attempt) => void) | undefined;
  readonly #limits: SummaryLimits;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #signal: AbortSignal | undefined;
  readonly #end: number;
  #inVain = 0;

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

  /** Nobody is asked any more. */
  get isOver(): boolean {
    return this.#inVain >= this.#limits.attempts || this.#clock.now() >= this.#end;
  }

  /** What was not even tried, and why. */
  skip({ strategy, voice, refusal, why }: { strategy: string; voice: SummaryBackend; refusal: Rejection; why: string }): AttemptOutcome {
    this.#note({ strategy, model: voice.name, outcome: refusal, why, ms: 0 });
    return { refusal, why };
  }

  async ask(of: {
    readonly strategy: string;
    readonly voice: SummaryBackend;
    readonly call: (signal: AbortSignal) => Promise<BackendReply>;
    readonly judge: (reply: BackendReply) => AcceptResult;
    /** Somebody else could be asked in place of waiting. */
    readonly hasOther: boolean;
    /** It is one of several pieces. */
    readonly isPiece?: boolean;
  }): Promise<AttemptOutcome> {
    let outcome: AttemptOutcome = { refusal: 'late', why: 'There is no time left to ask.' };
    let refused = 0;
    for (let attempt = 1; !this.isOver; attempt += 1) {
      outcome = await this.#once(of);
      if ('narrative' in outcome) return outcome;
      this.#inVain += 1;
      // A filter may let the same words pass another time (D12).
      if (outcome.refusal === 'refused' && refused === 0) {
        refused += 1;
        continue;
      }
      const { failure } = outcome;
      const wait = failure && this.#waitFor({ failure, attempt, hasOther: of.hasOther });
      if (wait === undefined || this.isOver) return outcome;
      await this.#clock.sleep(wait, this.#signal);
    }
    return outcome;
  }

  #waitFor(of: { readonly failure: ModelFailure; readonly attempt: number; readonly hasOther: boolean }) {
    const wait = retryDelay({ ...of, random: this.#random, policy: this.#limits.retry });
    if (wait === undefined || (of.hasOther && wait > longestWait)) return undefined;
    return this.#clock.now() + wait >= this.#end ? undefined : wait;
  }

  #note(attempt: Attempt): void {
    this.attempts.push(attempt);
    this.#onAttempt?.(attempt);
  }

  async #once(of: Parameters<AttemptRunner['ask']>[0]): Promise<AttemptOutcome> {
    const started = this.#clock.now();
    const { strategy, voice } = of;
    const timeout = Math.max(0, Math.min(this.#limits.timeout, this.#end - started));
    const reply = await within({ work: of.call, timeout, signal: this.#signal, clock: this.#clock }).catch(failed);
    this.#signal?.throwIfAborted();
    const ms = this.#clock.now() - started;
    if (reply === late) {
      const why = `There was no answer in ${timeout} ms.`;
      this.#note({ strategy, model: voice.name, outcome: 'late', why, ms });
      return { refusal: 'late', why };
    }
    const verdict = of.judge(reply);
    const cost = reply.usage && voice.costOf(reply.usage);
    this.#note({
      strategy,
      model: voice.name,
      ...('refusal' in verdict
        ? { outcome: verdict.refusal, why: verdict.why }
        : { outcome: of.isPiece ? 'part' : 'accepted' }),
      ...(reply.usage && { usage: reply.usage }),
      ...(cost !== undefined && { cost }),
      ...(reply.requestId !== undefined && { requestId: reply.requestId }),
      ms,
    });
    return { ...verdict, failure: reply.failure };
  }
}

/** Against its contract, a call threw. */
function failed(error: unknown): BackendReply {
  const message = error instanceof Error ? error.message : String(error);
  return {
    text: '',
    reason: 'failed',
    callsTools: false,
    failure: { kind: 'unknown', message: maskKeys({ text: message }), retryable: false },
  };
}
