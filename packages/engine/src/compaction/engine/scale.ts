import type { Message, ToolDefinition } from '../../message/index.ts';
import type { Model } from '../../models/index.ts';
import { type Context, headLength } from '../../session/index.ts';
import {
  type Calibration,
  countingRules,
  createLedger,
  createMessageCounter,
  type Ledger,
  type Snapshot,
  total,
} from '../../tokens/index.ts';
import type { Scales } from '../shrink/reduce.ts';

/** The model that a request goes to. */
export type TargetModel = Pick<Model, 'id' | 'dialect' | 'info'>;

/**
 * Weighs what is sent, for one model and window. It follows the session: only what is new since the last time is counted,
 * and everything again when an epoch opens.
 */
export class Scale {
  readonly window: number;
  readonly model: TargetModel;
  readonly scales: Scales;
  readonly #counter: ReturnType<typeof createMessageCounter>;
  readonly #ledger: Ledger;
  #epoch: string | null | undefined;
  #head: readonly Message[] = [];
  #tools: string | undefined;
  #newest: Message | undefined;
  /** How many messages were looked at by the last `weigh`. */
  touched = 0;

  constructor({
    model,
    window,
    count,
    calibration,
  }: {
    readonly model: TargetModel;
    readonly window: number;
    readonly count: (text: string) => number;
    readonly calibration: Calibration;
  }) {
    this.model = model;
    this.window = window;
    this.#counter = createMessageCounter({ count, rules: countingRules[model.dialect] });
    this.scales = { count, weigh: (message) => total(this.#counter.message(message)) };
    this.#ledger = createLedger({ window, counter: this.#counter, calibration });
  }

  /** What the tools come to. */
  toolTokens(tools: readonly ToolDefinition[]): number {
    return this.#counter.tools(tools);
  }

  weigh({ context, tools }: { readonly context: Context; readonly tools: readonly ToolDefinition[] }): Snapshot {
    const length = headLength(context);
    const head = context.items.slice(0, length).map(({ message }) => message);
    const names = JSON.stringify(tools);
    const isSameHead =
      head.length === this.#head.length && head.every((message, index) => message === this.#head[index]);
    this.touched = 0;
    if (!isSameHead || names !== this.#tools) {
      this.#ledger.setHead({ messages: head, tools });
      this.#head = head;
      this.#tools = names;
    }
    const newest = context.items[length + this.#ledger.length - 1];
    // A move to another branch changes what is sent without an epoch.
    const hasGrown = this.#epoch === context.epoch && (this.#ledger.length === 0 || newest?.message === this.#newest);
    if (!hasGrown) this.#ledger.truncate(0);
    this.#epoch = context.epoch;
    for (const { message } of context.items.slice(length + this.#ledger.length)) {
      this.#ledger.append({ message });
      this.touched += 1;
    }
    this.#newest = context.items.at(-1)?.message;
    return this.#ledger.snapshot();
  }

  /** Takes what a provider said of a request with the first `length` messages after the head. */
  report({ input, length }: { readonly input: number; readonly length: number }): void {
    this.#ledger.report({ usage: { input }, length: Math.min(length, this.#ledger.length) });
  }

  /** The messages after the head that were weighed. */
  get length(): number {
    return this.#ledger.length;
  }
}
