import type { Clock } from '../../time.ts';
import type { JobView } from '../types.ts';

/** How a job ended that was not cancelled. */
export type JobOutcome<T> = { readonly result: T } | { readonly failure: unknown };

/**
 * A background job: idle, running, ready or failed. Each start has its own number, so that a late result of an earlier
 * start is never taken for the result of a later one (editor.md 2.3).
 *
 * @example
 * const job = new Job<string>({ now: Date.now, backOff: { first: 1_000, most: 60_000 } });
 * job.start((signal) => summarize({ signal }));
 * await job.wait({ atMost: 5_000, sleep });
 * job.take();
 */
export class BackgroundJob<T> {
  readonly #now: () => number;
  readonly #backOff: { readonly first: number; readonly most: number };
  #generation = 0;
  #state: JobView['state'] = 'idle';
  #result: T | undefined;
  #failures = 0;
  #notBefore: number | undefined;
  #running: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;

  constructor({
    now,
    backOff,
  }: {
    readonly now: () => number;
    readonly backOff: { readonly first: number; readonly most: number };
  }) {
    this.#now = now;
    this.#backOff = backOff;
  }

  get view(): JobView {
    const notBefore = this.#notBefore;
    return { state: this.#state, ...(notBefore !== undefined && { notBefore }) };
  }

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * Starts, unless one is running or ready. `isGood` says whether a result counts as a success: a fallback made without
   * the model does not. `onLate` receives results of abandoned runs.
   */
  start({
    work,
    isGood = () => true,
    onSettled,
    onLate,
  }: {
    readonly work: (signal: AbortSignal) => Promise<T>;
    readonly isGood?: (result: T) => boolean;
    readonly onSettled?: (settled: JobOutcome<T>) => void;
    readonly onLate?: (settled: JobOutcome<T>) => void;
  }): boolean {
    if (this.#state === 'running' || this.#state === 'ready') return false;
    this.#generation += 1;
    const generation = this.#generation;
    const stop = new AbortController();
    const isMine = () => generation === this.#generation && this.#state === 'running';
    const done = Promise.resolve()
      .then(() => work(stop.signal))
      .then(
        (result) => {
          if (!stop.signal.aborted) this.#learn(isGood(result));
          if (!isMine()) return onLate?.({ result });
          this.#settle({ state: 'ready', result });
          onSettled?.({ result });
        },
        (failure: unknown) => {
          if (!stop.signal.aborted) this.#learn(false);
          if (!isMine()) return onLate?.({ failure });
          this.#settle({ state: 'failed' });
          onSettled?.({ failure });
        },
      );
    this.#state = 'running';
    this.#running = { stop, done };
    return true;
  }

  #settle({ state, result }: { state: 'ready' | 'failed'; result?: T }): void {
    this.#state = state;
    this.#result = result;
    this.#running = undefined;
  }

  /** Abandoned runs count as well: a late failure is a failure. Cancelled runs do not count. */
  #learn(isGood: boolean): void {
    this.#failures = isGood ? 0 : this.#failures + 1;
    const { first, most } = this.#backOff;
    this.#notBefore = isGood ? undefined : this.#now() + Math.min(most, first * 2 ** (this.#failures - 1));
  }

  /** Waits until it is no longer running, at most `atMost` milliseconds. Never throws. */
  async wait({
    atMost,
    sleep,
    signal,
  }: {
    readonly atMost: number;
    readonly sleep: Clock['sleep'];
    readonly signal?: AbortSignal | undefined;
  }): Promise<void> {
    const running = this.#running;
    if (!running) return;
    const over = new AbortController();
    const end = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
    await Promise.race([running.done, sleep(atMost, end).catch(() => undefined)]);
    over.abort();
  }

  /** Takes the result, once. A failure is cleared; running work continues. */
  take(): T | undefined {
    if (this.#state === 'running') return undefined;
    const result = this.#result;
    this.#state = 'idle';
    this.#result = undefined;
    return result;
  }

  /** Cancels it: running work is aborted, and its result is ignored. */
  cancel(): boolean {
    const wasBusy = this.#state === 'running' || this.#state === 'ready';
    const running = this.#running;
    this.#generation += 1;
    this.#state = 'idle';
    this.#result = undefined;
    this.#running = undefined;
    running?.stop.abort();
    return wasBusy;
  }

  /** Abandons the running work: it continues, and its result goes to `onLate`. */
  leave(): void {
    if (this.#state !== 'running') return;
    this.#generation += 1;
    this.#state = 'idle';
    this.#running = undefined;
  }
}
