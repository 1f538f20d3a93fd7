import type { Effect, Happening } from './event.ts';
import { failureFrom } from './failure.ts';
import type { Perform } from './perform.ts';
import type { LoopState } from './state.ts';
import { step } from './step.ts';

/**
 * One run of the loop: takes what happens, whenever it happens, and performs what follows from it, one thing after the
 * other.
 */
export class Run {
  #state: LoopState;
  readonly #perform: Perform;
  readonly #cancel: () => void;
  readonly #effects: Effect[] = [];
  #isWorking = false;
  readonly #over = Promise.withResolvers<void>();

  constructor(of: {
    readonly state: LoopState;
    readonly perform: Perform;
    /** Ends what is under way, at once. */
    readonly cancel: () => void;
  }) {
    this.#state = of.state;
    this.#perform = of.perform;
    this.#cancel = of.cancel;
  }

  get state(): LoopState {
    return this.#state;
  }

  /** Resolves when the run is over and everything is performed. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  dispatch(event: Happening): void {
    const { state, effects } = step(this.#state, event);
    this.#state = state;
    // To end something must not wait for it.
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
        // What follows rests on what could not be done, but the end: that comes in any case.
        this.#effects.splice(0, this.#effects.length, ...this.#effects.filter((left) => left.do === 'end'));
        this.dispatch({ type: 'broke', failure: failureFrom(error) });
      }
      if (effect.do === 'end') this.#over.resolve();
    }
    this.#isWorking = false;
  }
}
