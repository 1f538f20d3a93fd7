import type { Effect, LoopEvent } from './event.ts';
import { failureFrom } from './failure.ts';
import type { PerformEffect } from './perform.ts';
import type { LoopState } from './state.ts';
import { step } from './step.ts';

/** One run of the loop: reduces events to effects and performs the effects one after the other. */
export class LoopRun {
  #state: LoopState;
  readonly #perform: PerformEffect;
  readonly #cancel: () => void;
  readonly #effects: Effect[] = [];
  #isWorking = false;
  readonly #over = Promise.withResolvers<void>();

  constructor(of: {
    readonly state: LoopState;
    readonly perform: PerformEffect;
    /** Cancels the current effect immediately. */
    readonly cancel: () => void;
  }) {
    this.#state = of.state;
    this.#perform = of.perform;
    this.#cancel = of.cancel;
  }

  get state(): LoopState {
    return this.#state;
  }

  /** Resolves when all effects of the run are done. */
  get finished(): Promise<void> {
    return this.#over.promise;
  }

  dispatch(event: LoopEvent): void {
    const { state, effects } = step(this.#state, event);
    this.#state = state;
    // A cancellation must not wait for the effect it cancels.
    if (effects.some((effect) => effect.do === 'cancel')) this.#cancel();
    this.#effects.push(...effects.filter((effect) => effect.do !== 'cancel'));
    void this.#work();
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    for (let effect = this.#effects.shift(); effect; effect = this.#effects.shift()) {
      try {
        const next = await this.#perform(effect);
        if (next) this.dispatch(next);
      } catch (error) {
        // The remaining effects depend on the failed one, except for the end of the run.
        this.#effects.splice(0, this.#effects.length, ...this.#effects.filter((left) => left.do === 'end'));
        this.dispatch({ type: 'failed', failure: failureFrom(error) });
      }
      if (effect.do === 'end') this.#over.resolve();
    }
    this.#isWorking = false;
  }
}
