import type { AgentEvent, EventSource } from './event.ts';
import type { Outbox } from './loop/outbox.ts';

export type Listener = (event: AgentEvent, from: EventSource) => void;

/** Tells what happens: to whoever reads the run in progress, and to everybody who listens. */
export class Telling {
  readonly #listeners = new Set<Listener>();
  readonly #session: string;
  /** Of the run in progress. */
  outbox: Outbox<AgentEvent> | undefined;

  constructor(session: string) {
    this.#session = session;
  }

  tell(event: AgentEvent): void {
    this.outbox?.put(event);
    // It is the last that whoever reads a run hears of it.
    if (event.type === 'run_end') this.outbox = undefined;
    this.pass({ event, from: { session: this.#session } });
  }

  /** Passes on what a sub-agent tells. */
  pass({ event, from }: { readonly event: AgentEvent; readonly from: EventSource }): void {
    for (const listener of this.#listeners) {
      try {
        listener(event, from);
      } catch {
        // Whoever watches must not stop the work.
      }
    }
  }

  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
