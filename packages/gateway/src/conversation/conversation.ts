import type { EngineSession, Prepared, TargetModel } from 'longhaul/engine';
import { codecs, createSemanticReader, type Dialect, type Json, type JsonObject, type Message } from 'longhaul/message';
import type { Usage } from 'longhaul/models';
import {
  type Context,
  type Entry,
  type EntryId,
  headLength,
  type MessageEntry,
  nodeTypes,
  type SessionHeader,
  type SessionId,
  type Store,
} from 'longhaul/session';
import { type ClientRequest, responseKey } from '../client-request.ts';
import { isRecord } from '../json.ts';
import { chainSeed, extendChain, hashItem } from './chain.ts';
import type { ChainIndex, ChainRow } from './chain-index.ts';

/** An item of the client in the log. */
interface LogItem {
  readonly entry: EntryId;
  /** The last node of the path that belongs to it: an epoch that its request opened comes after it. */
  node: EntryId;
  /** An answer that the client has not sent back yet. */
  readonly answer?: Message;
}

/** A message of an answer in the log. */
export interface AnswerMessage {
  readonly message: Message;
  /** What is sent upstream in its place: the client sees less of it. */
  readonly sent?: Message;
  /**
   * The client never sees it. It was sent before the next message that the client sees, or answers the previous one and
   * is sent together with what the client answers.
   */
  readonly hidden?: 'before-next' | 'after-previous';
}

/** How large a request was. */
export interface ConversationSize {
  /** As `provider/name`. */
  readonly model: string;
  /** Bytes of the body as the client sent it. */
  readonly bytes: number;
  /** Tokens of what was sent, at most. */
  readonly bound: number;
  /** Tokens from which on something would be compacted. */
  readonly limit: number;
}

/** Epochs that change what is sent before the newest items; head and model changes leave the items as they are. */
const unchanging: ReadonlySet<string> = new Set(['head', 'model']);

/** Called when a conversation is opened; the result, when it is closed. */
export type OnOpen = (session: EngineSession) => () => void;

interface ConversationParts {
  readonly engine: EngineSession;
  readonly store: Store;
  readonly index: ChainIndex;
  readonly onOpen: OnOpen | undefined;
}

/**
 * One conversation of a client: an ordinary session of the store, and where each item of the client is in it. Requests
 * of one conversation are handled one after the other (see `Conversations`).
 */
export class ClientConversation {
  readonly engine: EngineSession;
  readonly #store: Store;
  readonly #index: ChainIndex;
  readonly #unwatch: readonly (() => void)[];
  #log: LogItem[] = [];
  readonly #known = new Set<EntryId>();
  #readSemantics = createSemanticReader();
  #semanticHash = chainSeed('semantic');
  /** Entries that are sent in a shortened form from the first time on. */
  readonly #capped = new Set<EntryId>();
  /** Message entries that the client never sees. */
  readonly #hidden = new Set<EntryId>();
  #lastShrink: EntryId | null = null;
  /** The newest request that was prepared, by its chain and model. */
  #prepared: string | undefined;
  #size: ConversationSize | undefined;
  #written: Entry[] = [];
  /** That of the store, after the newest append from here. */
  #version: string | undefined;

  private constructor({ engine, store, index, onOpen }: ConversationParts) {
    this.engine = engine;
    this.#store = store;
    this.#index = index;
    const unwatch = engine.session.watch((entries) => {
      this.#written.push(...entries);
      this.#version = store.version?.(engine.id);
    });
    const stop = onOpen?.(engine);
    this.#unwatch = stop ? [unwatch, stop] : [unwatch];
  }

  static async open(parts: ConversationParts): Promise<ClientConversation> {
    const conversation = new ClientConversation(parts);
    await conversation.#load();
    return conversation;
  }

  get id(): SessionId {
    return this.engine.id;
  }

  get context(): Context {
    return this.engine.context;
  }

  /** The system messages in front of what is sent, notes included. */
  get head(): readonly Message[] {
    return this.context.items.slice(0, headLength(this.context)).map(({ message }) => message);
  }

  /** Notes of earlier sessions at the end of the head; the same for as long as the conversation exists. */
  get notes(): string | undefined {
    const { notes } = gatewayDetails(this.engine.session.header);
    return typeof notes === 'string' ? notes : undefined;
  }

  /** Details for a copy. A side call has a prompt of its own. */
  carried({ isSide }: { readonly isSide: boolean }): JsonObject {
    const { branch, notes, replaces } = gatewayDetails(this.engine.session.header);
    return {
      ...(branch !== undefined && { branch }),
      ...(notes !== undefined && !isSide && { notes }),
      ...(replaces !== undefined && { replaces }),
    };
  }

  /** The size of the newest request to a model, as far as it is known. */
  sizeFor({ id: { provider, name } }: TargetModel): ConversationSize | undefined {
    return this.#size?.model === `${provider}/${name}` ? this.#size : undefined;
  }

  /** The newest epoch that changed what is sent, by id; entries before it follow other bytes than when they were sent. */
  get lastShrink(): EntryId | null {
    return this.#lastShrink;
  }

  /** Whether what is sent is what the client sent: nothing was compacted, cut, capped or added. */
  get isUntouched(): boolean {
    return this.#lastShrink === null && this.#capped.size === 0 && this.#hidden.size === 0;
  }

  /** Whether no other process has appended since, as far as the store can tell without waiting. */
  get isCurrent(): boolean {
    return this.#version !== undefined && this.#version === this.#store.version?.(this.id);
  }

  /** Whether the model gets all that was ever said: nothing was changed, and no history of the client was replaced. */
  get isComplete(): boolean {
    return this.isUntouched && gatewayDetails(this.engine.session.header).replaces !== true;
  }

  /** Whether an entry is sent exactly as the client sent it. */
  isVerbatim(entry: EntryId): boolean {
    return !this.#capped.has(entry) && !this.#hidden.has(entry);
  }

  /** Whether the answer that ends with an entry has messages that the client never sees, before or after it. */
  hasHiddenRounds(entry: EntryId): boolean {
    const at = this.#log.findLastIndex((item) => item.entry === entry);
    const asked = this.#log.slice(0, at + 1).findLast(({ answer }) => !answer)?.entry;
    const next = this.#log[at + 1]?.entry;
    return [...this.#hidden].some((id) => (asked === undefined || id > asked) && (next === undefined || id < next));
  }

  has(entry: EntryId): boolean {
    return this.#known.has(entry);
  }

  /** The items after an entry that the client has to know, or `undefined` where the entry is not on the path. */
  after(
    entry: EntryId | undefined,
  ): { readonly answers: readonly Message[]; readonly isOnlyAnswers: boolean } | undefined {
    const at = entry === undefined ? -1 : this.#log.findLastIndex((item) => item.entry === entry);
    if (entry !== undefined && at < 0) return undefined;
    const tail = this.#log.slice(at + 1);
    const answers = tail.flatMap(({ answer }) => (answer ? [answer] : []));
    return { answers, isOnlyAnswers: answers.length === tail.length };
  }

  /** The entries after another one on the path. */
  entriesAfter(entry: EntryId | undefined): readonly EntryId[] {
    const at = entry === undefined ? -1 : this.#log.findLastIndex((item) => item.entry === entry);
    return this.#log.slice(at + 1).map((item) => item.entry);
  }

  /** The place at which a request that ended with this entry was sent, on this path or on another one. */
  async nodeOf(entry: EntryId): Promise<EntryId> {
    const known = this.#log.findLast((item) => item.entry === entry);
    if (known) return known.node;
    const [found] = await this.engine.session.read({ ids: [entry] });
    let node = entry;
    for (const next of found ? await this.engine.session.read({ after: found.handle }) : [])
      if (next.parentId === node && next.type !== 'message' && nodeTypes.has(next.type)) node = next.id;
    return node;
  }

  /** Goes back to where a request that ended with this entry was sent; what came after stays in the tree. */
  async rewind(entry: EntryId): Promise<void> {
    this.#size = undefined;
    this.engine.cancelJob();
    await this.engine.session.move({ to: await this.nodeOf(entry) });
    await this.#load();
  }

  /** Appends the items from `from` on, and makes the request. Returns the entries of those items. */
  async extend({
    request,
    from,
    model,
  }: {
    readonly request: ClientRequest;
    readonly from: number;
    readonly model: TargetModel;
  }): Promise<{ readonly prepared: Prepared; readonly entries: readonly EntryId[] }> {
    const messages = request.messagesFrom(from);
    this.#prepared = undefined;
    const key = `gateway:${request.chain.at(-1)}`;
    const keys = messages.map((_, at) => `${key}:${at}`);
    this.#written = [];
    const prepared = await this.engine.prepare({
      model,
      head: request.head,
      tools: request.tools,
      ...(messages.length > 0 && { turn: { messages, key } }),
    });
    const byKey = await this.#byKey(keys);
    this.#noteEpochs();
    const rows: ChainRow[] = [];
    const entries = keys.map((each, at) => {
      const entry = byKey.get(each);
      if (!entry) throw new Error('An item of the request is not in the log.');
      if (entry.sent) this.#capped.add(entry.id);
      if (!this.has(entry.id)) {
        this.#addItem({ entry: entry.id, node: entry.id });
        rows.push(...this.#semanticRows(entry));
      }
      rows.push({ hash: request.chain[from + at] ?? '', session: this.id, entry: entry.id });
      return entry.id;
    });
    this.#settle();
    this.#index.add(rows);
    this.#prepared = preparedKey({ request, model });
    this.#size = sizeOf({ prepared, request, model });
    return { prepared, entries };
  }

  /** Whether this very request was prepared before, so that the same bytes are sent again. */
  isPrepared(of: { readonly request: ClientRequest; readonly model: TargetModel }): boolean {
    return this.#prepared === preparedKey(of);
  }

  /** Makes the last request smaller after its provider refused it as too long. */
  async retry({ request, model }: { readonly request: ClientRequest; readonly model: TargetModel }): Promise<Prepared> {
    this.#written = [];
    this.#size = undefined;
    const prepared = await this.engine.prepare({ model, head: request.head, tools: request.tools });
    this.#noteEpochs();
    this.#settle();
    return prepared;
  }

  /** Records the answer to the request that ended with `entry`. */
  async commit({
    items,
    usage,
    requestId,
    model,
    last,
    chain,
    dialect,
    responseId,
    messages = codecs[dialect].decode(items).map((message) => ({ message })),
  }: {
    /** The answer as the client will send it back, if it changes nothing. */
    readonly items: readonly Json[];
    readonly usage?: Usage | undefined;
    readonly requestId?: string | undefined;
    readonly model: TargetModel;
    /** The newest entry of the request. */
    readonly last: EntryId;
    /** The newest hash of the request's chain. */
    readonly chain: string;
    readonly dialect: Dialect;
    /** Under which the server keeps what was sent and answered, if it does. */
    readonly responseId?: string | undefined;
    /** The answer in the log, if that is not what the client sees. Those that it sees are the items, one for one. */
    readonly messages?: readonly AnswerMessage[];
  }): Promise<void> {
    const tail = this.after(last);
    // Another request of this conversation went on meanwhile: the client sends this answer back if it uses it.
    if (!tail?.isOnlyAnswers) return;
    if (tail.answers.length > 0) await this.rewind(last);
    // Not awaited before the answer is appended, so that one commit has both.
    const reported = usage && this.engine.report({ usage, ...(requestId !== undefined && { requestId }) });
    const [entries] = await Promise.all([this.#appendAnswer({ messages, model }), reported]);
    if (entries.length === 0) return;
    const hashes = extendChain({ from: chain, hashes: items.map(hashItem) });
    let shown = 0;
    const rows = entries.flatMap((entry): ChainRow[] => {
      if (this.#noteHidden(entry)) return [];
      if (entry.sent) this.#capped.add(entry.id);
      this.#addItem({ entry: entry.id, node: entry.id, answer: entry.message });
      const hash = hashes[shown] ?? '';
      shown += 1;
      return [{ hash, session: this.id, entry: entry.id }, ...this.#semanticRows(entry)];
    });
    const newest = entries.findLast(({ id }) => !this.#hidden.has(id));
    if (responseId !== undefined && newest)
      rows.push({ hash: chainSeed(responseKey(responseId)), session: this.id, entry: newest.id });
    this.#index.add(rows);
    if (dialect === 'openai-responses') this.#index.addItems(items);
  }

  async #appendAnswer({
    messages,
    model,
  }: {
    readonly messages: readonly AnswerMessage[];
    readonly model: TargetModel;
  }): Promise<readonly MessageEntry[]> {
    if (messages.length === 0) return [];
    const drafts = messages.map(({ message, sent, hidden }) => ({
      type: 'message' as const,
      message,
      ...(sent && { sent }),
      ...(message.role === 'assistant' && { by: model.id }),
      ...(hidden && { details: { gateway: { recall: hidden } } }),
    }));
    return (await this.engine.session.appendBatch(drafts)) as MessageEntry[];
  }

  async close(): Promise<void> {
    for (const stop of this.#unwatch) stop();
    await this.engine.close();
  }

  /** Reads the path from the log. */
  async #load(): Promise<void> {
    this.#log = [];
    this.#known.clear();
    this.#capped.clear();
    this.#hidden.clear();
    this.#readSemantics = createSemanticReader();
    this.#semanticHash = chainSeed('semantic');
    this.#lastShrink = null;
    for (const entry of await this.engine.session.path()) {
      const last = this.#log.at(-1);
      if (this.#noteHidden(entry)) continue;
      if (!isClientItem(entry)) {
        if (last) last.node = entry.id;
        if (entry.type === 'epoch' && !unchanging.has(entry.reason)) this.#lastShrink = entry.id;
        continue;
      }
      if (entry.sent) this.#capped.add(entry.id);
      // Only what the gateway appended by itself has no key.
      const isAnswer = entry.message.role === 'assistant' && entry.key === undefined;
      this.#addItem({ entry: entry.id, node: entry.id, ...(isAnswer && { answer: entry.message }) });
      this.#semanticRows(entry);
    }
  }

  #addItem(item: LogItem): void {
    this.#log.push(item);
    this.#known.add(item.entry);
  }

  /** Whether an entry is hidden from the client. A request is repeated from before the hidden rounds that it caused. */
  #noteHidden(entry: Entry): boolean {
    const hidden = hiddenKind(entry);
    if (hidden === undefined) return false;
    this.#hidden.add(entry.id);
    const last = this.#log.at(-1);
    if (last && hidden === 'after-previous') last.node = entry.id;
    return true;
  }

  #semanticRows({ id, message }: MessageEntry): ChainRow[] {
    const hashes = extendChain({ from: this.#semanticHash, hashes: this.#readSemantics(message) });
    this.#semanticHash = hashes.at(-1) ?? this.#semanticHash;
    return hashes.map((hash) => ({ hash, session: this.id, entry: id }));
  }

  async #byKey(keys: readonly string[]): Promise<ReadonlyMap<string, MessageEntry>> {
    const found = new Map<string, MessageEntry>();
    const note = (entry: Entry) => {
      if (entry.type === 'message' && entry.key !== undefined) found.set(entry.key, entry);
    };
    for (const entry of this.#written) note(entry);
    const missing = keys.filter((key) => !found.has(key));
    // They are in the log from a request that was interrupted.
    if (missing.length > 0) for (const entry of await this.engine.session.read({ keys: missing })) note(entry);
    return found;
  }

  #noteEpochs(): void {
    for (const entry of this.#written)
      if (entry.type === 'epoch' && !unchanging.has(entry.reason)) this.#lastShrink = entry.id;
  }

  #settle(): void {
    const last = this.#log.at(-1);
    const { leaf } = this.engine.session.head;
    if (last && leaf !== null) last.node = leaf;
  }
}

/** Whether an entry is an item that the client sent or will send: not the head, and nothing hidden. */
function isClientItem(entry: Entry): entry is MessageEntry {
  if (entry.type !== 'message' || hiddenKind(entry) !== undefined) return false;
  return entry.message.role !== 'system' || entry.key !== undefined;
}

/**
 * Every item of a conversation as rows of the semantic chain, for an index that does not have it.
 *
 * @example
 * index.add(semanticRowsOf({ session: session.id, path: await session.path() }));
 */
export function semanticRowsOf({
  session,
  path,
}: {
  readonly session: SessionId;
  readonly path: readonly Entry[];
}): readonly ChainRow[] {
  const read = createSemanticReader();
  let last = chainSeed('semantic');
  return path.filter(isClientItem).flatMap(({ id, message }) => {
    const hashes = extendChain({ from: last, hashes: read(message) });
    last = hashes.at(-1) ?? last;
    return hashes.map((hash) => ({ hash, session, entry: id }));
  });
}

/**
 * Message entries with `details.gateway` are never seen by the client: calls that the gateway answered by itself, and their
 * results. They are sent upstream in their place.
 */
function hiddenKind(entry: Entry): string | undefined {
  if (entry.type !== 'message' || !isRecord(entry.details) || !isRecord(entry.details.gateway)) return undefined;
  return String(entry.details.gateway.recall);
}

function preparedKey({ request, model }: { readonly request: ClientRequest; readonly model: TargetModel }): string {
  return `${model.id.provider}/${model.id.name} ${request.chain.at(-1)}`;
}

function sizeOf({
  prepared: { bound, report },
  request,
  model,
}: {
  readonly prepared: Prepared;
  readonly request: ClientRequest;
  readonly model: TargetModel;
}): ConversationSize {
  const { limit, threshold, likely } = report.budget;
  const { provider, name } = model.id;
  const least = Math.min(limit, threshold, likely);
  return { model: `${provider}/${name}`, bytes: request.bytes.length, bound, limit: least };
}

export function gatewayDetails({ details }: SessionHeader): JsonObject {
  const own = details?.gateway;
  return isRecord(own) ? own : {};
}

/** Whether a session is a conversation of a client. */
export function isGatewayHeader(header: SessionHeader): boolean {
  return gatewayDetails(header).client !== undefined;
}

/** Whether a session began as a side call. */
export function isSideHeader(header: SessionHeader): boolean {
  return gatewayDetails(header).side === true;
}
