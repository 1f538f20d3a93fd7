import type { Message } from 'longhaul/message';
import type { Entry, SessionId, SessionSummary, Store } from 'longhaul/session';
import { readLog } from './read-log.ts';

/** How much a session holds, on every branch, with the sessions that are part of it. */
export interface Totals {
  readonly entries: number;
  readonly messages: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly tokens: number;
}

/** Counts the tokens of a message. */
export type CountTokens = (message: Message) => number;

/**
 * Adds up a session and those linked to it (its sub-agents').
 *
 * @example
 * const { messages, tokens } = await totalsOf({ store, session, countTokens });
 */
export async function totalsOf({
  store,
  session,
  countTokens,
  isAlone = false,
  onProgress,
}: {
  readonly store: Store;
  readonly session: SessionId;
  readonly countTokens: CountTokens;
  /** Whether the sessions that are part of it are left out. */
  readonly isAlone?: boolean;
  readonly onProgress?: (entries: number) => Promise<void>;
}): Promise<Totals> {
  const sum = { entries: 0, messages: 0, toolCalls: 0, toolResults: 0, tokens: 0 };
  for (const id of isAlone ? [session] : linkedTo({ session, sessions: await store.list() })) {
    for await (const entry of readLog({ store, session: id })) {
      add({ sum, entry, countTokens });
      if (sum.entries % 1000 === 0) await onProgress?.(sum.entries);
    }
  }
  return sum;
}

function add(of: {
  readonly sum: { -readonly [K in keyof Totals]: number };
  readonly entry: Entry;
  readonly countTokens: CountTokens;
}): void {
  const { sum, entry, countTokens } = of;
  sum.entries += 1;
  if (entry.type === 'custom_message') sum.tokens += countTokens({ role: 'user', parts: entry.parts });
  if (entry.type !== 'message') return;
  sum.messages += 1;
  sum.tokens += countTokens(entry.message);
  for (const { type } of entry.message.parts) {
    if (type === 'tool_call') sum.toolCalls += 1;
    if (type === 'tool_result') sum.toolResults += 1;
  }
}

/** A session and all that it owns, and what those own. Each once, whatever the headers say. */
function linkedTo({
  session,
  sessions,
}: {
  readonly session: SessionId;
  readonly sessions: readonly SessionSummary[];
}): ReadonlySet<SessionId> {
  const linked = new Set([session]);
  for (const owner of linked) {
    for (const { header } of sessions) if (header.owner?.session === owner) linked.add(header.id);
  }
  return linked;
}
