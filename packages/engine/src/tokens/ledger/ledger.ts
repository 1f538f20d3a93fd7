import { createHash } from 'node:crypto';
import type { Message, Part, ToolDefinition } from '../../message/index.ts';
import type { MessageCounter } from '../content/message-counter.ts';
import { add, nothing, shares, type TokenShares, total } from '../content/shares.ts';
import { type Calibration, createCalibration, type Estimate, type Raw } from '../estimate/calibration.ts';
import { createLru } from '../lru.ts';
import { makeSnapshot, reserveFor, type Snapshot } from './snapshot.ts';
import { promptTokens, type ReportedUsage, trustedOutput } from './usage.ts';

/**
 * The one count of a conversation. It drives the meter, the trigger, the log and the page.
 *
 * What a provider has reported is taken as it is; only what came after that is estimated. Each report also teaches the
 * calibration, so that the estimates become those of this model.
 */
export interface Ledger {
  /** The number of messages after the head. */
  readonly length: number;
  /** The system messages and tools. Another head makes earlier reports void. */
  setHead(head: { readonly messages: readonly Message[]; readonly tools: readonly ToolDefinition[] }): void;
  /** Counts a message, or takes `output` if its provider reported a length that can be true; answers what it comes to. */
  append(entry: { readonly message: Message; readonly output?: number }): Estimate;
  /** Forgets all but the first `length` messages, and the reports that covered more. */
  truncate(length: number): void;
  /**
   * Reconciles with what a provider reported for a request that held the head and the first `length` messages. With
   * `isComplete` the request held nothing else, so that a first report teaches the calibration as well; without it only
   * the growth between two reports does.
   */
  report(report: { readonly usage: ReportedUsage; readonly length?: number; readonly isComplete?: boolean }): void;
  /** The index from which on the messages come to at most `tokens`. */
  tail(tokens: number): number;
  /** The likely size and the upper bound of the current prompt. */
  size(): Estimate;
  snapshot(): Snapshot;
}

export interface LedgerOptions {
  readonly window: number;
  readonly counter: MessageCounter;
  /** Kept free for the answer; `reserveFor({ window })` by default. */
  readonly reserve?: number;
  /** Shared by all conversations with one model, so that the second begins where the first ended. */
  readonly calibration?: Calibration;
  /** How many counts are remembered by the hash of their content. */
  readonly entries?: number;
}

/** A report covers the first `length` messages. */
interface Anchor {
  readonly length: number;
  readonly tokens: number;
}

/**
 * An empty ledger for one conversation.
 *
 * @example
 * const { count } = await createTokenizer('o200k_base');
 * const counter = createMessageCounter({ count, rules: countingRules['openai-chat'] });
 * const ledger = createLedger({ window: 128_000, counter });
 * ledger.append({ message: { role: 'user', parts: [{ type: 'text', text: 'Hello', origin: 'human' }] } });
 * ledger.report({ usage: { input: 11 } });
 * ledger.snapshot().used; // 11
 */
export function createLedger(options: LedgerOptions): Ledger {
  const { window, counter, reserve = reserveFor({ window }), calibration = createCalibration() } = options;
  const known = createLru<TokenShares>({ entries: options.entries ?? 20_000 });
  /** Sums of our own counts by share, of those that must be estimated, of those the provider has counted. */
  const byShare = new Map(shares.map((share) => [share, createSums()]));
  const raw = createSums();
  const given = createSums();
  let head: TokenShares = nothing;
  let headMessages = 0;
  const anchors: Anchor[] = [];
  return {
    get length() {
      return raw.length;
    },
    setHead,
    append,
    truncate,
    report,
    tail,
    size,
    snapshot,
  };

  function setHead({ messages, tools }: { messages: readonly Message[]; tools: readonly ToolDefinition[] }): void {
    const counted = messages.map(count).reduce(add, nothing);
    head = { ...counted, tools: counted.tools + counter.tools(tools) };
    headMessages = messages.length;
    anchors.length = 0;
  }

  function append({ message, output: reported }: { message: Message; output?: number }): Estimate {
    const counted = count(message);
    const output = trustedOutput({ output: reported, counted: total(counted) });
    for (const [share, sums] of byShare) sums.push(counted[share]);
    const estimated = output === undefined ? total(counted) : 0;
    raw.push(estimated);
    given.push(output ?? 0);
    return growth({ tokens: estimated, messages: 1 }, output ?? 0);
  }

  function truncate(length: number): void {
    for (const sums of [...byShare.values(), raw, given]) sums.truncate(length);
    while ((anchors.at(-1)?.length ?? -1) > length) anchors.pop();
  }

  function report({
    usage,
    length = raw.length,
    isComplete = false,
  }: {
    usage: ReportedUsage;
    length?: number;
    isComplete?: boolean;
  }): void {
    const tokens = promptTokens(usage);
    // Some providers send zeros; that says nothing.
    if (tokens <= 0) return;
    while ((anchors.at(-1)?.length ?? -1) > length) anchors.pop();
    const before = anchors.at(-1);
    if (before && before.length < length && tokens > before.tokens) {
      const { raw: ours, output } = since(before.length, length);
      calibration.learn({ raw: ours, actual: tokens - before.tokens - output });
    } else if (!before && isComplete) {
      const { raw: ours, output } = since(0, length);
      const whole = { tokens: ours.tokens + total(head), messages: ours.messages + headMessages };
      calibration.learn({ raw: whole, actual: tokens - output });
    }
    if (before?.length === length) anchors.pop();
    anchors.push({ length, tokens });
  }

  function tail(tokens: number): number {
    let [low, high] = [0, raw.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { raw: ours, output } = since(middle, raw.length);
      if (growth(ours, output).tokens <= tokens) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  function size(): Estimate {
    const anchor = anchors.at(-1);
    const { raw: ours, output } = since(anchor?.length ?? 0, raw.length);
    if (anchor) return growth(ours, anchor.tokens + output);
    return growth({ tokens: ours.tokens + total(head), messages: ours.messages + headMessages }, output);
  }

  function snapshot(): Snapshot {
    const counted = { ...head };
    for (const [share, sums] of byShare) counted[share] += sums.between(0, sums.length);
    return makeSnapshot({ window, reserve, raw: counted, used: size(), confirmed: anchors.at(-1)?.tokens ?? 0 });
  }

  function since(from: number, to: number): { raw: Raw; output: number } {
    return { raw: { tokens: raw.between(from, to), messages: to - from }, output: given.between(from, to) };
  }

  function growth(ours: Raw, certain: number): Estimate {
    if (ours.tokens === 0 && ours.messages === 0) return { tokens: certain, bound: certain };
    const { tokens, bound } = calibration.predict(ours);
    return { tokens: tokens + certain, bound: bound + certain };
  }

  function count(message: Message): TokenShares {
    const hash = contentHash(message);
    const remembered = known.get(hash);
    if (remembered) return remembered;
    const counted = counter.message(message);
    known.set(hash, counted);
    return counted;
  }
}

/** Prefix sums that grow at the end: an append costs one addition, the sum of any stretch one subtraction. */
interface Sums {
  readonly length: number;
  push(value: number): void;
  truncate(length: number): void;
  /** The sum of the values from `from` up to but not including `to`. */
  between(from: number, to: number): number;
}

function createSums(): Sums {
  /** before[i] is the sum of the first i values. */
  const before: number[] = [0];
  return {
    get length() {
      return before.length - 1;
    },
    push: (value) => void before.push(at(before.length - 1) + value),
    truncate: (length) => {
      before.length = Math.max(1, Math.min(before.length, length + 1));
    },
    between: (from, to) => at(to) - at(from),
  };

  function at(index: number): number {
    return before[index] as number;
  }
}

/**
 * The name of a message's content: equal for messages that count the same. Cache marks move from request to request,
 * and what a dialect said beyond the neutral model is not counted, so neither is part of it.
 *
 * @example
 * contentHash({ role: 'user', parts: [{ type: 'text', text: 'Hello', origin: 'human' }] }); // 44 characters of base64
 */
function contentHash({ role, parts }: Message): string {
  const content = parts.map(({ cache: _cache, wire: _wire, ...part }: Part) => part);
  return createHash('sha256')
    .update(JSON.stringify([role, content]), 'utf16le')
    .digest('base64');
}
