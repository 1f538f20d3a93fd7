import type { TokenCounter } from '../analysis/index.ts';
import type { Message, ToolDefinition } from '../message/index.ts';
import type { TargetModel } from '../models/index.ts';
import { readsOnlyFrom } from '../models/internal.ts';
import { type Context, type ContextItem, headLength } from '../session/index.ts';
import {
  type Calibration,
  countingRules,
  createLedger,
  createMessageCounter,
  type Ledger,
  type MessageCounter,
  type Snapshot,
  type TokenShares,
  total,
} from '../tokens/index.ts';
import type { ModelAccounting } from './token-accounting.ts';

/**
 * Counts what is sent, for one model and window. It follows the session: only new messages are counted, and everything
 * again after an epoch opens.
 */
export class SessionLedger {
  readonly window: number;
  readonly model: TargetModel;
  readonly counter: TokenCounter;
  readonly calibration: Calibration;
  /** The vocabulary that counts text. */
  readonly vocabulary: string;
  readonly #counter: ReturnType<typeof createMessageCounter>;
  readonly #ledger: Ledger;
  #epoch: string | null | undefined;
  #head: readonly Message[] = [];
  #tools: string | undefined;
  #newest: Message | undefined;
  /** Our own count of the head and the first so many messages. */
  #own: number[] = [0];
  /** How many messages the last `count` looked at. */
  newlyCounted = 0;

  constructor({
    model,
    window,
    accounting: { count, rules, calibration, vocabulary },
  }: {
    readonly model: TargetModel;
    readonly window: number;
    readonly accounting: ModelAccounting;
  }) {
    this.model = model;
    this.window = window;
    this.#counter = cachedCounter(createMessageCounter({ count, rules }));
    this.counter = { count, countMessage: (message) => total(this.#counter.message(message)) };
    this.calibration = calibration;
    this.vocabulary = vocabulary;
    this.#ledger = createLedger({ window, counter: this.#counter, calibration });
  }

  /** The tokens of tool definitions. */
  toolTokens(tools: readonly ToolDefinition[]): number {
    return this.#counter.tools(tools);
  }

  /** How many tokens by our own count a new message may have so that its upper bound is at most `bound`. */
  tokensWithin(bound: number): number {
    let [fits, most] = [0, Math.max(0, Math.floor(bound)) + 1];
    while (most - fits > 1) {
      const tokens = (fits + most) >> 1;
      if (this.calibration.predict({ tokens, messages: 1 }).bound <= bound) fits = tokens;
      else most = tokens;
    }
    return fits;
  }

  count({ context, tools }: { readonly context: Context; readonly tools: readonly ToolDefinition[] }): Snapshot {
    const length = headLength(context);
    const head = context.items.slice(0, length).map(({ message }) => message);
    const names = JSON.stringify(tools);
    const isSameHead =
      head.length === this.#head.length && head.every((message, index) => message === this.#head[index]);
    this.newlyCounted = 0;
    if (!isSameHead || names !== this.#tools) {
      this.#ledger.setHead({ messages: head, tools });
      this.#head = head;
      this.#tools = names;
      const [before = 0] = this.#own;
      const now = head.reduce((sum, message) => sum + this.counter.countMessage(message), this.toolTokens(tools));
      this.#own = this.#own.map((sum) => sum - before + now);
    }
    if (!this.#hasGrown(context)) {
      this.#ledger.truncate(0);
      this.#own.length = 1;
    }
    this.#epoch = context.epoch;
    for (const { message } of context.items.slice(length + this.#ledger.length)) {
      if (readsOnlyFrom({ message, ...this.model })) this.#hide();
      this.#ledger.append({ message });
      this.#own.push((this.#own.at(-1) ?? 0) + this.counter.countMessage(message));
      this.newlyCounted += 1;
    }
    this.#newest = context.items.at(-1)?.message;
    return this.#ledger.snapshot();
  }

  /** The messages that the next `count` counts. */
  uncounted(context: Context): readonly Message[] {
    const counted = this.#hasGrown(context) ? this.#ledger.length : 0;
    return context.items.slice(headLength(context) + counted).map(({ message }) => message);
  }

  /** Whether a provider has counted a request of this epoch, as far as it was counted here. */
  isConfirmed(context: Context): boolean {
    return this.#hasGrown(context) && this.#ledger.snapshot().confirmed > 0;
  }

  /** A move to another branch changes what is sent without an epoch. */
  #hasGrown(context: Context): boolean {
    const newest = context.items[headLength(context) + this.#ledger.length - 1];
    return this.#epoch === context.epoch && (this.#ledger.length === 0 || newest?.message === this.#newest);
  }

  /** Everything counted so far precedes a compaction of the provider, which does not read it. */
  #hide(): void {
    const { length } = this.#ledger;
    this.#ledger.truncate(0);
    for (let index = 0; index < length; index += 1) this.#ledger.append({ message: unread });
    this.#own.fill(this.#own[0] ?? 0);
  }

  /** The size of a request without any reported usage. Nothing is stored. */
  estimate({
    items,
    tools,
  }: {
    readonly items: readonly ContextItem[];
    readonly tools: readonly ToolDefinition[];
  }): Snapshot {
    const ledger = createLedger({ window: this.window, counter: this.#counter, calibration: this.calibration });
    const length = headLength({ items });
    const messages = items.map(({ message }) => message);
    ledger.setHead({ messages: messages.slice(0, length), tools });
    const said = messages.slice(length);
    const from = said.findLastIndex((message) => readsOnlyFrom({ message, ...this.model }));
    for (const message of said.slice(Math.max(0, from))) ledger.append({ message });
    return ledger.snapshot();
  }

  /**
   * Takes what a provider said of a request with the first `length` messages after the head; whether it can be true. What
   * the log was already learned from is not learned again.
   */
  applyUsage({
    input,
    length,
    isLearned = false,
  }: {
    readonly input: number;
    readonly length: number;
    readonly isLearned?: boolean;
  }): boolean {
    const ours = this.#own[length];
    // Some leave out what came from a cache, others add up many requests. To believe it would overfill, or cut for nothing.
    if (ours === undefined || input * 2 < ours || input > this.model.info.window * 4) return false;
    this.#ledger.report({ usage: { input }, length, isComplete: !isLearned });
    return true;
  }

  /** Our own count of a request with the first `length` messages after the head, tools included. */
  ownCount(length: number): { readonly tokens: number; readonly messages: number } | undefined {
    const tokens = this.#own[length];
    return tokens === undefined ? undefined : { tokens, messages: this.#head.length + length };
  }

  /** How many messages after the head are counted. */
  get length(): number {
    return this.#ledger.length;
  }
}

/** Replaces messages that the provider skips. */
const unread: Message = { role: 'user', parts: [] };

/**
 * Counts the tokens of messages where no model is known.
 *
 * @example
 * const count = createMessageCount((text) => tokenizer.count(text));
 */
export function createMessageCount(count: (text: string) => number): (message: Message) => number {
  const counter = cachedCounter(createMessageCounter({ count, rules: countingRules['openai-chat'] }));
  return (message) => total(counter.message(message));
}

/** Messages are immutable, and large ones take long to count: each is counted once. */
function cachedCounter(counter: MessageCounter): MessageCounter {
  const known = new WeakMap<Message, TokenShares>();
  return {
    ...counter,
    message(message) {
      const counted = known.get(message) ?? counter.message(message);
      known.set(message, counted);
      return counted;
    },
  };
}
