import { createMask, fitAll, rulesOn, withoutOldThinking } from '../../analysis/index.ts';
import { BudgetExceededError } from '../../errors.ts';
import { isHumanMessage, type Message, type ToolDefinition } from '../../message/index.ts';
import { withoutProviderCompaction } from '../../message/internal.ts';
import { type ContextItem, type EntryId, headLength, type Session } from '../../session/index.ts';
import { codecVersion, toEpochItem } from '../../session/internal.ts';
import type { Snapshot } from '../../tokens/index.ts';
import type { Emit } from '../events/event.ts';
import { pendingInput, withCalls } from '../pending-input.ts';
import { smallestRoom } from '../plan/budget.ts';
import type { SessionLedger } from '../session-ledger.ts';
import type { Budget } from '../types.ts';
import { guardCut } from './guard.ts';

/** Where the pending input has to be reduced, a summary with the pinned rules takes at most so much of the room. */
const summaryShare = 0.1;
const largestSummary = 1_000;

/** Our own count of the limit is an estimate: each further attempt stays further below it. */
const margins = [1, 0.95, 0.9, 0.8];

/**
 * The last guard before a request: cuts what is sent below the limit, as an entry of the log, so that another machine
 * sends the same. Pending input is reduced only where it does not fit together with the head; where the head and the
 * tools alone are too large, that is an error.
 */
export async function guardWindow({
  session,
  ledger,
  budget,
  tools,
  snapshot,
  secrets,
  emit,
}: {
  readonly session: Session;
  readonly ledger: SessionLedger;
  readonly budget: Budget;
  readonly tools: readonly ToolDefinition[];
  readonly snapshot: Snapshot;
  /** Values that no event may name. */
  readonly secrets: readonly string[];
  readonly emit: Emit;
}): Promise<EntryId> {
  const { items } = session.context;
  const headCount = headLength(session.context);
  const counted = items.map(({ message }) => ({ message, tokens: ledger.counter.countMessage(message) }));
  const overhead = ledger.toolTokens(tools);
  const ours = counted.reduce((sum, { tokens }) => sum + tokens, overhead);
  // In our own measure: how much of our count makes the limit of the provider's, at worst.
  const limit = Math.floor((budget.limit * ours) / Math.max(1, snapshot.bound)) - overhead;
  const head = counted.slice(0, headCount).reduce((sum, { tokens }) => sum + tokens, 0);
  const room = limit - head;
  if (room < smallestRoom) {
    throw new BudgetExceededError({ part: 'The head and the tools', excess: smallestRoom - room, limit: budget.limit });
  }
  const handles = await handlesOf({ session, items });
  const messages = items.map(({ message }) => message);
  const pending = pendingInput({ messages, headCount });
  const kept = guardCut({ items: counted, headCount, limit }).kept.filter((index) => index >= headCount);
  const needed = [...withCalls({ messages, pending })].toSorted((a, b) => a - b);
  // Some providers refuse a conversation that begins with an answer.
  const [first = 0] = needed;
  const before = items.findLastIndex((item, index) => index >= headCount && index < first && opensTurn(item));
  const opening = items[first]?.message.role === 'assistant' && before >= 0 ? [before] : [];
  const least = [...opening, ...needed];
  let sent: readonly FittedItem[] = [];
  for (const candidate of candidates()) {
    if (candidate.length === 0) continue;
    sent = candidate;
    if (boundOf(sent) <= budget.limit) break;
  }
  const excess = boundOf(sent) - budget.limit;
  if (excess > 0) throw new BudgetExceededError({ part: 'The latest message', excess, limit: budget.limit });
  const list = [...items.slice(0, headCount), ...sent.map(({ item }) => item)];
  const pins = await removedPins({ session, before: messages, after: list.map(({ message }) => message), secrets });
  const { id } = await session.append({
    type: 'epoch',
    reason: 'guard',
    items: { list: list.map(toEpochItem) },
    model: ledger.model.id,
    codec: codecVersion,
  });
  const input = [...pending].flatMap((place) => {
    const item = items[place];
    const after = sent.find((one) => one.place === place);
    if (!item || (after && !after.isReduced)) return [];
    const handle = handles.get(item.entry ?? '');
    const charsAfter = after ? charsIn(after.item.message) : 0;
    return [{ ...(handle !== undefined && { handle }), charsBefore: charsIn(item.message), charsAfter }];
  });
  emit('guard', {
    dropped: items.length - headCount - sent.length,
    reduced: sent.filter(({ isReduced }) => isReduced).length,
    tokensAfter: tokensOf(sent) + head + overhead,
    ...(input.length > 0 && { input }),
    ...(pins.length > 0 && { pins }),
  });
  return id;

  /** What could be sent, the best first. */
  function* candidates(): Generator<readonly FittedItem[]> {
    // The pending input as it is: everything else shrinks, then goes.
    const isFixed = (place: number) => pending.has(place);
    const input = counted.reduce((sum, { tokens }, place) => (isFixed(place) ? sum + tokens : sum), 0);
    yield shrunk({ places: kept, isFixed, total: Math.max(room * 0.9, Math.min(room * 0.99, input + largestSummary)) });
    if (needed.length > 0) yield shrunk({ places: least, isFixed, total: room });
    const isOther = (place: number) => !needed.includes(place);
    const rest = kept.filter(isOther);
    for (const margin of margins) {
      const total = room * margin;
      const others = shrunk({ places: rest, isFixed: never, total: Math.min(largestSummary, total * summaryShare) });
      const inputs = shrunk({ places: needed, isFixed: never, total: total - tokensOf(others) });
      yield [...others, ...inputs].toSorted((a, b) => a.place - b.place);
    }
    // Many small parts that must stay together can still be too much: then only the latest human message is sent.
    for (const places of [least, [latestOf(items)]]) {
      for (const margin of margins) yield shrunk({ places, isFixed: never, total: room * margin });
    }
  }

  /** The messages at some places in so many tokens; those that are fixed as they are, the others in what is left. */
  function shrunk(of: {
    readonly places: readonly number[];
    readonly isFixed: (place: number) => boolean;
    readonly total: number;
  }): readonly FittedItem[] {
    const originals = of.places.flatMap((place) => items[place] ?? []);
    const thoughtless = withoutOldThinking(originals.map(({ message }) => withoutProviderCompaction(message)));
    const all = thoughtless.flatMap((message, index) => {
      const [place, item] = [of.places[index], originals[index]];
      if (place === undefined || item === undefined) return [];
      return [
        { message, place, item, handle: handles.get(item.entry ?? ''), tokens: ledger.counter.countMessage(message) },
      ];
    });
    const fixed = all.filter(({ place }) => of.isFixed(place));
    const others = all.filter(({ place }) => !of.isFixed(place));
    const smaller = fitAll({ items: others, total: Math.max(0, of.total - tokensOf(fixed)), counter: ledger.counter });
    return [...fixed, ...smaller]
      .toSorted((a, b) => a.place - b.place)
      .flatMap(({ message, place, item, tokens }): FittedItem[] => {
        if (message.parts.length === 0) return [];
        const isReduced = message !== item.message;
        return [{ item: isReduced ? { ...item, message, isMade: true } : item, place, tokens, isReduced }];
      });
  }

  function boundOf(list: readonly FittedItem[]): number {
    const all = [...items.slice(0, headCount), ...list.map(({ item }) => item)];
    return ledger.estimate({ items: all, tools }).bound;
  }
}

interface FittedItem {
  readonly item: ContextItem;
  /** Where it was in what was sent. */
  readonly place: number;
  readonly tokens: number;
  readonly isReduced: boolean;
}

const never = () => false;

function opensTurn({ message: { role, parts } }: ContextItem): boolean {
  return role === 'user' && parts.every(({ type }) => type !== 'tool_result');
}

function tokensOf(list: readonly { readonly tokens: number }[]): number {
  return list.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** The characters of all texts of a message. */
function charsIn({ parts }: Message): number {
  return parts.reduce((sum, part) => {
    if (part.type === 'text') return sum + part.text.length;
    if (part.type !== 'tool_result') return sum;
    return part.content.reduce((inner, one) => inner + (one.type === 'text' ? one.text.length : 0), sum);
  }, 0);
}

/** What was said to the model last. */
function latestOf(items: readonly ContextItem[]): number {
  const said = items.findLastIndex(({ message }) => isHumanMessage(message));
  return said < 0 ? items.findLastIndex(({ message }) => message.role === 'user') : said;
}

async function handlesOf(of: {
  readonly session: Session;
  readonly items: readonly ContextItem[];
}): Promise<ReadonlyMap<EntryId, number>> {
  const ids = of.items.flatMap(({ entry }) => entry ?? []);
  const entries = await of.session.read({ ids });
  return new Map(entries.map(({ id, handle }) => [id, handle]));
}

/**
 * The rules in force that a cut takes out of what is sent, and those pinned by hand that are not sent afterwards.
 *
 * @example
 * const left = await leftPins({ session, before, after, secrets: [] });
 */
async function removedPins({
  session,
  before,
  after,
  secrets,
}: {
  readonly session: Session;
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  readonly secrets: readonly string[];
}): Promise<readonly string[]> {
  const mask = createMask({ values: secrets, salt: session.id });
  const [wasSent, isSent] = [textOf(before), textOf(after)];
  const isIn = (text: string, rule: string) => text.includes(rule) || text.includes(mask(rule));
  return rulesOn(await session.path())
    .filter(({ text, by }) => !isIn(isSent, text) && (by === 'hand' || by === 'hook' || isIn(wasSent, text)))
    .map(({ text }) => mask(text));
}

function textOf(messages: readonly Message[]): string {
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))).join('\n');
}
