import type { EntryId, Session } from '../session/index.ts';
import type { ModelState } from './model-state.ts';

/**
 * The last compaction that would have freed too little. It is not tried again in the same epoch until there is more to
 * gain.
 *
 * @example
 * const declined = new DeclinedCompaction({ session, models });
 * declined.record({ tokens: 9_000 });
 * declined.holdsFor({ tokens: 9_100, minimum: 1_000 }); // true
 */
export class DeclinedCompaction {
  readonly #session: Session;
  readonly #models: Pick<ModelState, 'lastRequest'>;
  #last: { readonly epoch: EntryId | null; readonly tokens: number } | undefined;

  constructor({ session, models }: { readonly session: Session; readonly models: Pick<ModelState, 'lastRequest'> }) {
    this.#session = session;
    this.#models = models;
  }

  /** Records one at a size; by default that of the last request. */
  record({ tokens = this.#models.lastRequest?.tokens ?? 0 }: { readonly tokens?: number } = {}): void {
    this.#last = { epoch: this.#session.context.epoch, tokens };
  }

  clear(): void {
    this.#last = undefined;
  }

  /** Whether hardly more could be freed at a size than when it was declined. */
  holdsFor({ tokens, minimum }: { readonly tokens: number; readonly minimum: number }): boolean {
    const last = this.#last;
    return last !== undefined && last.epoch === this.#session.context.epoch && tokens < last.tokens + minimum;
  }
}
