import { yieldToEventLoop } from '../../time.ts';

/** Lets pieces of work that take long enough to be felt happen one in each round of the event loop, in order. */
export type Turns = () => Promise<void>;

export function createTurns(): Turns {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(yieldToEventLoop);
    return last;
  };
}
