import type { Mask } from '../engine/index.ts';
import type { AgentEvent, EventSource } from './event.ts';
import type { Outbox } from './loop/async-queue.ts';
import { maskedEvent } from './masked-event.ts';

export type Listener = (event: AgentEvent, from: EventSource) => void;

/** Tells what happens: to whoever reads the run in progress, and to everybody who listens. */
export class Telling {
  readonly #listeners = new Set<Listener>();
  readonly #session: string;
  /** Of the run in progress. */
  outbox: Outbox<AgentEvent> | undefined;

  readonly #mask: Mask;

  constructor({ session, mask }: { readonly session: string; readonly mask: Mask }) {
    this.#session = session;
    this.#mask = mask;
  }

  tell(written: AgentEvent): void {
    const event = maskedEvent({ event: written, mask: this.#mask });
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
