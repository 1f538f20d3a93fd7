import { createSemanticReader, type Message } from 'longhaul/message';
import type { EntryId, Session, SessionHeader, SessionId, Store } from 'longhaul/session';
import { LRUCache } from 'lru-cache';
import type { ClientRequest } from '../client-request.ts';
import { type ClientConversation, gatewayDetails, isSideHeader } from './conversation.ts';
import type { ClientHints } from './hints.ts';

/** A conversation that begins like a request, and what has to be done to continue it. */
export interface Fit {
  readonly conversation: ClientConversation;
  /** How many items of the request are in it. */
  readonly covered: number;
  readonly entries: readonly (EntryId | null)[];
  /** The newest of them. */
  readonly last: EntryId | undefined;
  /** How many of them the index knows by their own bytes; the client wrote the others anew. */
  readonly indexed: number;
  /**
   * `extend`: the rest is appended. `rewind`: answers that the client did not take are left behind first. `branch`: the
   * conversation went on in another way, so this is a new one that begins like it.
   */
  readonly how: 'extend' | 'rewind' | 'branch';
  /** It is a side call over the history of the conversation. */
  readonly isSideCall?: boolean;
  /** The newest entry that the server keeps, for a request that continues a response. */
  readonly kept?: EntryId;
}

/** Which way of continuing a conversation is preferred. */
export const ranks = { extend: 2, rewind: 1, branch: 0 } as const;

/** What has to be done to continue a conversation with a request whose first items are known in it. */
export function fitOf({
  conversation,
  entries,
  request,
}: {
  readonly conversation: ClientConversation;
  readonly entries: readonly (EntryId | null)[];
  readonly request: ClientRequest;
}): Fit {
  const at = entries.findLastIndex((entry) => entry !== null);
  const last = entries[at] ?? undefined;
  const base = { conversation, entries: entries.slice(0, at + 1), covered: at + 1, last, indexed: at + 1 };
  const tail = conversation.after(last);
  if (!tail) return { ...base, how: 'branch' };
  if (tail.isOnlyAnswers && tail.answers.length === 0) return { ...base, how: 'extend' };
  if (!tail.isOnlyAnswers) return { ...base, how: 'branch' };
  const ids = conversation.entriesAfter(last);
  const echo = echoOf({ answers: tail.answers, messages: request.messagesFrom(at + 1) });
  if (!echo) return { ...base, how: 'rewind' };
  // The client sent the answer back in its own words.
  const added = echo.map((answer) => (answer === undefined ? null : (ids[answer] ?? null)));
  return {
    ...base,
    entries: [...base.entries, ...added],
    covered: at + 1 + echo.length,
    last: ids.at(-1),
    how: 'extend',
  };
}

/**
 * The messages that are the answers as the client writes them, each with the answer it is; `undefined` where they say
 * something else. Clients drop reasoning and write arguments anew.
 */
function echoOf({
  answers,
  messages,
}: {
  readonly answers: readonly Message[];
  readonly messages: readonly Message[];
}): (number | undefined)[] | undefined {
  const [readAnswer, readMessage] = [createSemanticReader(), createSemanticReader()];
  const wanted = answers.flatMap((message, answer) => readAnswer(message).map((event) => ({ event, answer })));
  const echo: (number | undefined)[] = [];
  let at = 0;
  for (const message of messages) {
    if (at === wanted.length || message.role !== 'assistant') break;
    const events = readMessage(message);
    if (events.some((event, index) => event !== wanted[at + index]?.event)) return undefined;
    const answer = wanted[at]?.answer;
    // Reasoning has no events: it is the answer's own if that has no events either.
    const silent = answers.findIndex(
      (_, index) => index >= echo.length && !wanted.some((each) => each.answer === index),
    );
    echo.push(events.length > 0 ? answer : silent >= 0 && silent < (answer ?? 0) ? silent : undefined);
    at += events.length;
  }
  return at === wanted.length && at > 0 ? echo : undefined;
}

/** Sessions that are looked at: a client uses a summary right after it got it. */
const mostSessions = 12;

/** Entries at the end of a session that are looked at. */
const mostEntries = 8;

/** Letters and digits that a text has in common with another one by no accident. */
const leastLetters = 60;

/** A session and the longest lines of its newest messages, once they were needed. */
interface RecentSession {
  readonly header: SessionHeader;
  /** The session while it is in use; none of a session that was listed only. */
  readonly session?: Session;
  read?: { readonly last: number | undefined; readonly lines: Promise<readonly Line[]> };
}

interface Line {
  readonly role: Message['role'];
  readonly text: string;
}

/** The sessions that were used last, kept in memory: a list of all takes longer the more there are. */
export class RecentSessions {
  readonly #store: Store;
  readonly #sessions = new LRUCache<SessionId, RecentSession>({ max: mostSessions });
  #listed: Promise<void> | undefined;

  constructor({ store }: { readonly store: Store }) {
    this.#store = store;
  }

  use(session: Session): void {
    const { header } = session;
    if (this.#sessions.get(header.id)?.session !== session) this.#sessions.set(header.id, { header, session });
  }

  /**
   * The session that a new conversation of the same client goes back to: the one with its id; without one, that which was asked
   * for the summary which the conversation begins with, or, for a request for a summary, the one that it quotes.
   */
  async replacedBy({
    request,
    hints: { client, id },
  }: {
    readonly request: ClientRequest;
    readonly hints: ClientHints;
  }): Promise<SessionId | undefined> {
    // A list that fails is tried again with the next conversation.
    this.#listed ??= this.#list().catch(() => {
      this.#listed = undefined;
    });
    await this.#listed;
    const sessions = [...this.#sessions.values()].filter(({ header }) => gatewayDetails(header).client === client);
    if (id !== undefined) return sessions.find(({ header }) => gatewayDetails(header).id === id)?.header.id;
    const isSummary = request.tools.length === 0;
    const least = isSummary ? 2 : 1;
    const text = sessions.length === 0 ? '' : letters(request.messagesFrom(0).map(textOf).join('\n'));
    if (text.length < leastLetters * least) return undefined;
    for (const recent of sessions) {
      if (!isSummary && !isSummaryHeader(recent.header)) continue;
      const lines = await this.#linesOf(recent);
      const spoken = lines.findLast(({ role }) => role === 'assistant');
      const asked = isSummary ? lines : spoken ? [spoken] : [];
      const quoted = asked.filter((line) => line.text.length >= leastLetters && text.includes(line.text));
      if (quoted.length >= least) return recent.header.id;
    }
    return undefined;
  }

  /** Those of earlier processes. */
  async #list(): Promise<void> {
    const listed = await this.#store.list({ sort: 'updated', limit: mostSessions });
    const used = [...this.#sessions.entries()].toReversed();
    for (const { header } of listed.toReversed()) this.#sessions.set(header.id, { header });
    for (const [id, recent] of used) this.#sessions.set(id, recent);
  }

  #linesOf(recent: RecentSession): Promise<readonly Line[]> {
    const last = recent.session?.head.last;
    if (recent.read && recent.read.last === last) return recent.read.lines;
    // A session that cannot be read is not the one.
    const lines = newestLines({ store: this.#store, session: recent.header.id }).catch(() => []);
    recent.read = { last, lines };
    return lines;
  }
}

/** Whether a session is a request for a summary: over the same history, or one that quotes it. */
function isSummaryHeader(header: SessionHeader): boolean {
  return isSideHeader(header) || (header.parent !== undefined && header.parent.entry === undefined);
}

async function newestLines({
  store,
  session,
}: {
  readonly store: Store;
  readonly session: SessionId;
}): Promise<Line[]> {
  const { last } = await store.head(session);
  const entries = await store.read({ session, query: { after: Math.max(0, last - mostEntries) } });
  return entries.flatMap((entry) =>
    entry.type === 'message' ? [{ role: entry.message.role, text: longestLine(textOf(entry.message)) }] : [],
  );
}

/** The longest line: clients escape line breaks and add words around a text. */
function longestLine(text: string): string {
  const lines = text.split('\n').toSorted((a, b) => b.length - a.length);
  return letters(lines[0] ?? '');
}

function letters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '');
}

function textOf({ parts }: Message): string {
  return parts
    .flatMap((part) => {
      if (part.type === 'text') return [part.text];
      return part.type === 'tool_result'
        ? part.content.flatMap((each) => (each.type === 'text' ? [each.text] : []))
        : [];
    })
    .join('\n');
}
