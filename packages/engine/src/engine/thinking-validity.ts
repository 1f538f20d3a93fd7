import type { Message } from '../message/index.ts';
import type { TargetModel } from '../models/index.ts';
import type { EntryId, Session } from '../session/index.ts';
import { legalFor, thinks } from './legal.ts';

/** Whether thoughts follow a changed beginning: they do where some were there when the epoch opened. */
export class Rebinding {
  readonly #session: Session;
  #opening: { readonly epoch: EntryId; readonly thinks: boolean } | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The same for all requests of an epoch. */
  async in(of: { readonly model: TargetModel; readonly items: readonly Message[] }): Promise<boolean> {
    const { epoch } = this.#session.context;
    if (epoch === null || !thinks(of.items)) return false;
    if (this.#opening?.epoch !== epoch) {
      const { items } = legalFor({ context: await this.#session.contextAt({ leaf: epoch }), model: of.model });
      this.#opening = { epoch, thinks: thinks(items) };
    }
    return this.#opening.thinks;
  }
}
