import {
  createEngine,
  type Engine,
  type EngineSession,
  type Hooks,
  type Policy,
  type PresetName,
  type Summarizer,
} from 'longhaul/engine';
import { createSemanticReader, type Json } from 'longhaul/message';
import {
  type EntryId,
  MissingSessionError,
  openSession,
  type SessionHeader,
  type SessionId,
  type Store,
} from 'longhaul/session';
import { LRUCache } from 'lru-cache';
import { type ClientRequest, responseKey } from '../client-request.ts';
import type { ConversationStart } from '../memory.ts';
import { chainSeed, extendChain } from './chain.ts';
import type { ChainIndex, ChainMatch } from './chain-index.ts';
import { ClientConversation, isGatewayHeader, isSideHeader, type OnOpen, semanticRowsOf } from './conversation.ts';
import { type Fit, fitOf, RecentSessions, ranks } from './fit.ts';
import type { ClientHints } from './hints.ts';
import { type ConversationFacts, factsOf, isSideCall, profileOf, type RequestProfile } from './profile.ts';
import { WorkQueues } from './work-queues.ts';

/** Where a request belongs. */
export interface Placement {
  readonly conversation: ClientConversation;
  /** The entry of each item that is in the log; `null` for items without one of their own. */
  readonly entries: readonly (EntryId | null)[];
  /** The newest entry that the server keeps under the response that the request continues. */
  readonly kept?: EntryId | undefined;
}

/** Candidates that are opened to find the best one. */
const mostCandidates = 4;

/** How many items a side call may have sent before the main conversation. */
const mostAhead = 8;

/** Below this many events in common, a rebuilt history is not taken for another one. */
const leastEvents = 3;

interface FindInput {
  readonly request: ClientRequest;
  readonly hints: ClientHints;
  readonly profile: RequestProfile;
}

/** All conversations of a gateway, found by their content. */
export class Conversations {
  readonly #engine: Engine;
  readonly #onOpen: OnOpen | undefined;
  /** Where sessions are kept. */
  readonly store: Store;
  readonly #index: ChainIndex;
  readonly #open: LRUCache<SessionId, Promise<ClientConversation>>;
  readonly #facts = new LRUCache<SessionId, ConversationFacts>({ max: 10_000 });
  readonly #recent: RecentSessions;
  /** The newest main conversation of each id that clients send. */
  readonly #byId = new LRUCache<string, SessionId>({ max: 10_000 });
  /** Those of them that are open by now. */
  readonly #ready = new Map<SessionId, ClientConversation>();
  readonly #queues: WorkQueues;
  #rebuilding: Promise<void> | undefined;

  private constructor({
    engine,
    store,
    index,
    onOpen,
    storeTime,
  }: {
    readonly engine: Engine;
    readonly store: Store;
    readonly index: ChainIndex;
    readonly onOpen: OnOpen | undefined;
    readonly storeTime: number;
  }) {
    this.#queues = new WorkQueues({ time: storeTime });
    this.#engine = engine;
    this.#onOpen = onOpen;
    this.store = store;
    this.#recent = new RecentSessions({ store });
    this.#index = index;
    this.#open = new LRUCache({
      max: 256,
      dispose: (conversation, id) => {
        this.#ready.delete(id);
        conversation.then((each) => each.close()).catch(() => undefined);
      },
    });
  }

  static async create({
    store,
    index,
    policy,
    summarizer,
    hooks,
    secrets,
    onOpen,
    storeTime,
  }: {
    readonly store: Store;
    readonly index: ChainIndex;
    readonly policy: Policy | PresetName;
    readonly summarizer?: Summarizer;
    readonly hooks?: Hooks;
    readonly secrets?: readonly string[];
    readonly onOpen?: OnOpen;
    /** Milliseconds that a request waits for the store. */
    readonly storeTime: number;
  }): Promise<Conversations> {
    const engine = await createEngine({
      store,
      policy,
      ...(summarizer && { summarizer }),
      ...(hooks && { hooks }),
      ...(secrets && { secrets }),
    });
    return new Conversations({ engine, store, index, onOpen, storeTime });
  }

  /**
   * Runs work on conversations that begin with the same item one after the other. Rejects where the store takes longer
   * than a request may wait.
   */
  exclusive<T>({ request, work }: { readonly request: ClientRequest; readonly work: () => Promise<T> }): Promise<T> {
    return this.#queues.run({ key: this.#familyOf(request), work });
  }

  /**
   * The conversation that a request continues, brought to the place where it does; a new one where there is none.
   * `undefined` for a request that continues a response which the gateway does not know.
   */
  async place({
    request,
    hints,
    start,
  }: {
    readonly request: ClientRequest;
    readonly hints: ClientHints;
    /** What a new conversation is created with. */
    readonly start: () => Promise<ConversationStart>;
  }): Promise<Placement | undefined> {
    const profile = profileOf(request);
    let found = await this.#find({ request, hints, profile });
    // The index was lost: what it does not know may be in the store. A first request is in none.
    if (!found && this.#index.isLost && request.items.length > 1) {
      await this.#rebuild();
      found = await this.#find({ request, hints, profile });
    }
    if (!found && request.previous !== undefined) return undefined;
    const placement = found ? await this.#enter({ found, hints }) : await this.#begin({ request, hints, start });
    const { id, engine } = placement.conversation;
    if (found) this.#addRewritten({ found, placement, request });
    this.#recent.use(engine.session);
    // A request that continues a response may leave out what the server has.
    const known = request.previous === undefined ? undefined : this.#facts.get(id)?.profile;
    this.#facts.set(id, { profile: known ?? profile, id: hints.id, isSide: isSideHeader(engine.session.header) });
    if (hints.id !== undefined) this.#byId.set(hints.id, id);
    return placement;
  }

  /** What a client wrote in its own words, or what is known in another session, is found by its bytes from now on. */
  #addRewritten({
    found,
    placement: { conversation, entries },
    request,
  }: {
    readonly found: Fit;
    readonly placement: Placement;
    readonly request: ClientRequest;
  }): void {
    const from = found.how === 'branch' ? 0 : found.indexed;
    const rows = entries.slice(from).flatMap((entry, at) => {
      const hash = request.chain[from + at];
      return entry === null || hash === undefined ? [] : [{ hash, session: conversation.id, entry }];
    });
    this.#index.add(rows);
  }

  /**
   * The conversation that a request extends, where it is open and nothing else is done with it; `new` where no item is
   * known. `undefined` where it takes more to tell.
   */
  atHand({
    request,
    hints,
  }: {
    readonly request: ClientRequest;
    readonly hints: ClientHints;
  }): Placement | 'new' | undefined {
    if (this.#queues.has(this.#familyOf(request))) return undefined;
    const match = this.#index.longest(request.chain);
    if (!match) return this.#index.isLost && request.items.length > 1 ? undefined : 'new';
    const [owner, other] = match.owners;
    const conversation = owner && this.#ready.get(owner.session);
    const facts = owner && this.#facts.get(owner.session);
    if (!conversation?.isCurrent || other || !facts || facts.isSide || facts.id !== hints.id) return undefined;
    if (isSideCall({ main: facts.profile, request: profileOf(request) })) return undefined;
    const entries = this.#exactEntries({ request, length: match.length, id: owner.session });
    const fit = fitOf({ conversation, entries, request });
    return fit.how === 'extend' ? { conversation, entries: fit.entries } : undefined;
  }

  /** The same without changing anything, for requests that only ask about a conversation. */
  async peek({
    request,
    hints,
  }: {
    readonly request: ClientRequest;
    readonly hints: ClientHints;
  }): Promise<(Placement & { readonly isAtEnd: boolean }) | undefined> {
    const found = await this.#find({ request, hints, profile: profileOf(request) });
    if (!found) return undefined;
    const { conversation, entries, last } = found;
    const tail = conversation.after(last);
    return { conversation, entries, isAtEnd: tail?.isOnlyAnswers === true && tail.answers.length === 0 };
  }

  /** Puts all conversations of the store back into an index that was lost; once, however many requests need it. */
  #rebuild(): Promise<void> {
    this.#rebuilding ??= this.#readStore().finally(() => {
      this.#rebuilding = undefined;
    });
    return this.#rebuilding;
  }

  async #readStore(): Promise<void> {
    for (const { header } of await this.store.list()) {
      if (!isGatewayHeader(header)) continue;
      try {
        // What a client sends back is found by what it says; its bytes are known again after its next request.
        const session = await openSession({ store: this.store, id: header.id });
        this.#index.add(semanticRowsOf({ session: header.id, path: await session.path() }));
      } catch {
        // A session that cannot be read now is a conversation that cannot be continued either.
      }
    }
    this.#index.markRebuilt();
  }

  /** Another process wrote to the session: what is known of it here is out of date. */
  async forget(id: SessionId): Promise<void> {
    this.#open.delete(id);
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()];
    await this.#queues.ended();
    await Promise.allSettled(open.map(async (conversation) => (await conversation).close()));
    this.#index.close();
  }

  #familyOf(request: ClientRequest): string {
    const { previous } = request;
    const before = previous === undefined ? undefined : this.#index.longest([chainSeed(responseKey(previous))]);
    return before?.owners[0]?.session ?? request.chain[0] ?? '';
  }

  async #find({ request, hints, profile }: FindInput): Promise<Fit | undefined> {
    if (request.previous !== undefined) return await this.#findContinued({ request, previous: request.previous });
    const best = await this.#findExact({ request, hints, profile });
    if (best?.how === 'extend') return best;
    const rebuilt = await this.#findRebuilt({ request, hints, profile });
    if (!rebuilt) return best;
    if (!best || rebuilt.covered > best.covered || ranks[rebuilt.how] > ranks[best.how]) return rebuilt;
    return best;
  }

  /**
   * The conversation with the longest beginning in common. A side call may have sent the newest items before the main
   * conversation did; then that one continues with them all the same.
   */
  async #findExact({ request, hints, profile }: FindInput): Promise<Fit | undefined> {
    const match = this.#index.longest(request.chain);
    const entriesOf = (length: number) => (id: SessionId) => this.#exactEntries({ request, length, id });
    const best = match && (await this.#bestFit({ match, request, hints, profile, entriesOf: entriesOf(match.length) }));
    if (!best || !this.#facts.get(best.conversation.id)?.isSide || best.how === 'extend') return best;
    const seen = new Set(match.owners.map(({ session }) => session));
    for (let length = match.length - 1; length > Math.max(0, match.length - mostAhead); length -= 1) {
      const shorter = this.#index.longest(request.chain.slice(0, length));
      if (!shorter) break;
      const owners = shorter.owners.filter(({ session }) => !seen.has(session));
      for (const { session } of owners) seen.add(session);
      const fit = await this.#bestFit({
        match: { ...shorter, owners },
        request,
        hints,
        profile,
        entriesOf: entriesOf(shorter.length),
      });
      if (fit?.how === 'extend') return fit;
    }
    return best;
  }

  /** The client sends only what is new, after a response that the server has. */
  async #findContinued({ request, previous }: { request: ClientRequest; previous: string }): Promise<Fit | undefined> {
    const before = this.#index.longest([chainSeed(responseKey(previous))]);
    const owner = before?.owners[0];
    const conversation = owner && (await this.#conversation(owner.session));
    if (!conversation) return undefined;
    const known = this.#index.longest(request.chain);
    const entries = known ? this.#exactEntries({ request, length: known.length, id: owner.session }) : [];
    const last = entries.at(-1) ?? owner.entry;
    const tail = conversation.after(last);
    const how = !tail?.isOnlyAnswers ? 'branch' : tail.answers.length > 0 ? 'rewind' : 'extend';
    return { conversation, entries, covered: entries.length, indexed: entries.length, last, how, kept: owner.entry };
  }

  /** A history that a client wrote anew after a restart says the same in other bytes. */
  async #findRebuilt({ request, hints, profile }: FindInput): Promise<Fit | undefined> {
    const read = createSemanticReader();
    const events = request.messagesFrom(0).map((message) => read(message));
    const chain = extendChain({ from: chainSeed('semantic'), hashes: events.flat() });
    const match = this.#index.longest(chain);
    if (!match || match.length < Math.min(leastEvents, chain.length)) return undefined;
    const known = chain.slice(0, match.length);
    const entriesOf = (session: SessionId) => {
      const entries = this.#index.entries({ chain: known, session });
      let at = 0;
      const byItem = events.map((each) => {
        const from = at;
        at += each.length;
        return at <= match.length && each.length > 0 ? (entries[from] ?? null) : null;
      });
      // Items after the last known event are new, also those without events.
      const last = byItem.findLastIndex((entry) => entry !== null);
      return byItem.slice(0, last + 1);
    };
    const fit = await this.#bestFit({ match, request, hints, profile, entriesOf });
    return fit && { ...fit, indexed: 0 };
  }

  #exactEntries({
    request,
    length,
    id,
  }: {
    request: ClientRequest;
    length: number;
    id: SessionId;
  }): (EntryId | null)[] {
    return this.#index.entries({ chain: request.chain.slice(0, length), session: id });
  }

  async #bestFit({
    match,
    request,
    hints,
    profile,
    entriesOf,
  }: {
    readonly match: ChainMatch;
    readonly request: ClientRequest;
    readonly hints: ClientHints;
    readonly profile: RequestProfile;
    readonly entriesOf: (session: SessionId) => (EntryId | null)[];
  }): Promise<Fit | undefined> {
    const owners = match.owners
      .toSorted((a, b) => this.#affinity({ session: b.session, hints }) - this.#affinity({ session: a.session, hints }))
      .slice(0, mostCandidates);
    const fits: Fit[] = [];
    for (const { session } of owners) {
      const entries = entriesOf(session);
      const conversation = await this.#conversationWith({ session, entries });
      if (!conversation) continue;
      const fit = fitOf({ conversation, entries, request });
      const facts = this.#facts.get(session);
      const isOther = facts?.id !== undefined && hints.id !== undefined && facts.id !== hints.id;
      const isSide = facts !== undefined && isSideCall({ main: facts.profile, request: profile });
      // Another conversation of the client that begins in the same way must not take this one over.
      const mustBranch = isSide || (isOther && fit.how !== 'extend');
      fits.push(mustBranch ? { ...fit, how: 'branch', isSideCall: isSide } : fit);
    }
    return fits.toSorted((a, b) => ranks[b.how] - ranks[a.how] || b.covered - a.covered)[0];
  }

  /** Which of several conversations with the same beginning is tried first: the newest, and one with the client's id. */
  #affinity({ session, hints }: { readonly session: SessionId; readonly hints: ClientHints }): number {
    const facts = this.#facts.get(session);
    return facts === undefined ? 0 : facts.id === hints.id ? 2 : 1;
  }

  async #enter({
    found: { conversation, entries, last, how, isSideCall: isSide = false, kept },
    hints,
  }: {
    readonly found: Fit;
    readonly hints: ClientHints;
  }): Promise<Placement> {
    if (how === 'extend') return { conversation, entries, kept };
    if (how === 'rewind') {
      if (last !== undefined) await conversation.rewind(last);
      return { conversation, entries, kept };
    }
    const at = last === undefined ? null : await conversation.nodeOf(last);
    const copy = await conversation.engine.session.clone({
      at,
      details: { gateway: { ...conversation.carried({ isSide }), ...detailsOf(hints), ...(isSide && { side: true }) } },
    });
    const branch = await this.#conversation(copy.id);
    if (!branch) throw new MissingSessionError({ session: copy.id });
    this.#index.add(semanticRowsOf({ session: copy.id, path: await branch.engine.session.path() }));
    return { conversation: branch, entries, kept };
  }

  async #begin({
    request,
    hints,
    start,
  }: {
    readonly request: ClientRequest;
    readonly hints: ClientHints;
    readonly start: () => Promise<ConversationStart>;
  }): Promise<Placement> {
    const owner = hints.owner === undefined ? undefined : this.#byId.get(hints.owner);
    const before = this.#byId.get(hints.id ?? '') ?? (await this.#recent.replacedBy({ request, hints }));
    const replaced = owner === undefined && before !== undefined ? await this.#conversation(before) : undefined;
    const { folder, branch, notes } = await start();
    // The same notes as before keep the head that the provider has in its cache.
    const text = replaced?.notes ?? notes?.text;
    const isReplacing = owner === undefined && before !== undefined;
    const kept = { ...(branch !== undefined && { branch }), ...(text !== undefined && { notes: text }) };
    const header: Partial<SessionHeader> = {
      details: { gateway: { ...detailsOf(hints), ...kept, ...(isReplacing && { replaces: true }) } },
      ...(folder !== undefined && { cwd: folder }),
      ...(owner !== undefined && { owner: { session: owner } }),
      // The client replaced its history, by its own compaction for example.
      ...(isReplacing && { parent: { session: before } }),
    };
    const conversation = await this.#follow(await this.#engine.create(header));
    if (text === notes?.text) notes?.delivered(conversation.id);
    this.#open.set(conversation.id, Promise.resolve(conversation));
    this.#ready.set(conversation.id, conversation);
    return { conversation, entries: [] };
  }

  /** A conversation with all that the store has of it: another gateway may have appended to it. */
  async #conversationWith({
    session,
    entries,
  }: {
    readonly session: SessionId;
    readonly entries: readonly (EntryId | null)[];
  }): Promise<ClientConversation | undefined> {
    const conversation = await this.#conversation(session);
    const last = entries.findLast((entry) => entry !== null);
    if (!conversation || last === undefined || last === null || conversation.has(last)) return conversation;
    const { last: newest } = await this.store.head(session);
    if (newest === conversation.engine.session.head.last) return conversation;
    await this.forget(session);
    return await this.#conversation(session);
  }

  #follow(engine: EngineSession): Promise<ClientConversation> {
    return ClientConversation.open({ engine, store: this.store, index: this.#index, onOpen: this.#onOpen });
  }

  async #conversation(id: SessionId): Promise<ClientConversation | undefined> {
    const known = this.#open.get(id);
    if (known) return await known;
    const opening = this.#engine.open(id).then(async (engine) => {
      const conversation = await this.#follow(engine);
      if (!this.#facts.has(id)) this.#facts.set(id, await factsOf(conversation));
      return conversation;
    });
    this.#open.set(id, opening);
    try {
      const conversation = await opening;
      if (this.#open.peek(id) === opening) this.#ready.set(id, conversation);
      return conversation;
    } catch (error) {
      this.#open.delete(id);
      if (!(error instanceof MissingSessionError)) throw error;
      // It was deleted.
      this.#index.forget(id);
      return undefined;
    }
  }

  /** An item of an answer by its id. */
  item(id: string): Json | undefined {
    return this.#index.item(id);
  }
}

function detailsOf({ client, id }: ClientHints) {
  return { client, ...(id !== undefined && { id }) };
}
