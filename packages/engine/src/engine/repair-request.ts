import { check, type Message, type Part, type Repair } from '../message/index.ts';
import { repairSoFar } from '../message/internal.ts';
import type { TargetModel } from '../models/index.ts';
import { type Context, type Draft, type EntryId, headLength, type Session } from '../session/index.ts';
import { codecVersion, toEpochItem } from '../session/internal.ts';
import { nothingToSend } from './errors.ts';

/**
 * A list as a provider takes it, as far as it goes: one that ends with an answer is fine.
 *
 * @example
 * const { messages: valid, repairs } = repairMessages({ messages, dialect: 'anthropic' });
 */
export function repairMessages({
  messages,
  dialect,
}: {
  readonly messages: readonly Message[];
  readonly dialect: TargetModel['dialect'];
}): { readonly messages: readonly Message[]; readonly repairs: readonly Repair[] } {
  return repairSoFar(messages, dialect);
}

/** What is sent: the head, and the rest in a form that the model's provider takes. */
export interface ValidRequest {
  readonly head: readonly Message[];
  readonly items: readonly Message[];
  readonly repairs: readonly Repair[];
}

/** Contexts are immutable, and mending one looks at all of it: it is done once. */
const known = new WeakMap<Context, { readonly dialect: TargetModel['dialect']; readonly legal: ValidRequest }>();

/** What is sent at a place to a model. */
export function validRequestFor({
  context,
  model,
}: {
  readonly context: Context;
  readonly model: TargetModel;
}): ValidRequest {
  const { dialect } = model;
  const before = known.get(context);
  if (before?.dialect === dialect) return before.legal;
  const legal = repairedContext({ context, dialect });
  known.set(context, { dialect, legal });
  return legal;
}

function repairedContext({
  context,
  dialect,
}: {
  readonly context: Context;
  readonly dialect: TargetModel['dialect'];
}): ValidRequest {
  const length = headLength(context);
  const messages = context.items.map(({ message }) => message);
  const { messages: items, repairs } = repairMessages({ messages: messages.slice(length), dialect });
  return { head: messages.slice(0, length).flatMap(repairHead), items, repairs };
}

/**
 * Checks that a list is a request. What no repair can mend without inventing a message is an error, never an empty or
 * illegal list: sessions of results without calls, of empty texts, of answers alone.
 *
 * @throws LonghaulError `nothing-to-send`
 */
export function requireRequest({
  items,
  context,
  model,
}: {
  readonly items: readonly Message[];
  readonly context: Context;
  readonly model: TargetModel;
}): void {
  // With a user message among them a repaired list is a request; looking for one is cheaper than checking all rules.
  if (items.some(({ role }) => role === 'user')) return;
  const isSaid = items.some(({ role }) => role !== 'system');
  if (!isSaid || check(items, model.dialect, { endsWithAssistant: true }).length > 0)
    throw nothingToSend({ messages: context.items.length - headLength(context) });
}

/** Empty texts and halves of characters are refused in a head as they are elsewhere; a head is text. */
function repairHead(message: Message): Message[] {
  const parts = message.parts.flatMap((part) => {
    if (part.type !== 'text' || part.text.trim() === '') return [];
    return part.text.isWellFormed() ? [part] : [{ ...part, text: part.text.toWellFormed() }];
  });
  if (parts.length === 0) return [];
  const isSame = parts.length === message.parts.length && parts.every((part, index) => part === message.parts[index]);
  return isSame ? [message] : [{ ...message, parts }];
}

function hasThinking(messages: readonly Message[]): boolean {
  return messages.some(({ parts }) => parts.some(({ type }) => type === 'thinking'));
}

/**
 * The epoch that sends everything without reasoning and its signatures; `undefined` if there is none. Only its provider
 * can read what `wire` holds of such a message, so that goes, too.
 */
export function epochWithoutThinking({
  context,
  model,
}: {
  readonly context: Context;
  readonly model: TargetModel | undefined;
}): Extract<Draft, { type: 'epoch' }> | undefined {
  let isChanged = false;
  const list = context.items.flatMap((item) => {
    const { message, entry } = item;
    if (message.role !== 'assistant' || !message.parts.some(isSigned)) return toEpochItem(item);
    isChanged = true;
    const parts = message.parts.filter(({ type }) => type !== 'thinking').map(unsigned);
    return parts.length === 0 ? [] : { made: { role: message.role, parts }, ...(entry !== null && { for: entry }) };
  });
  if (!isChanged) return undefined;
  return { type: 'epoch', reason: 'thinking', items: { list }, ...(model && { model: model.id }), codec: codecVersion };
}

function isSigned(part: Part): boolean {
  return part.type === 'thinking' || ('signature' in part && part.signature !== undefined);
}

function unsigned(part: Part): Part {
  if (part.type !== 'text' && part.type !== 'tool_call') return part;
  const { signature: _, wire: __, ...rest } = part;
  return rest;
}

/** Whether thoughts follow a changed beginning: they do where some were there when the epoch opened. */
export class ThinkingValidity {
  readonly #session: Session;
  #opening: { readonly epoch: EntryId; readonly thinks: boolean } | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The same for all requests of an epoch. */
  async isBroken(of: { readonly model: TargetModel; readonly items: readonly Message[] }): Promise<boolean> {
    const { epoch } = this.#session.context;
    if (epoch === null || !hasThinking(of.items)) return false;
    if (this.#opening?.epoch !== epoch) {
      const { items } = validRequestFor({ context: await this.#session.contextAt({ leaf: epoch }), model: of.model });
      this.#opening = { epoch, thinks: hasThinking(items) };
    }
    return this.#opening.thinks;
  }
}
