import { BudgetExceededError } from 'longhaul';
import { createEngine, type EngineSession, type Prepared, repairMessages, type TargetModel } from 'longhaul/engine';
import { type Dialect, dialects, type Message, user, writeRequest } from 'longhaul/message';
import { modelInfo } from 'longhaul/models';
import { createMemoryStore, createSession, type Session } from 'longhaul/session';
import { judge } from 'longhaul/testing';

/** What became of one session in one window. */
export interface Outcome {
  readonly window: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly installed: boolean;
  readonly fits: boolean;
  /** For how many of the providers it is legal, of four. */
  readonly legal: number;
  readonly isUndoExact: boolean;
  /** The head alone is larger than the window: a typed error said so. */
  readonly isHeadTooLarge: boolean;
  readonly ms: number;
  /** In ten slices: how many were compacted, and whether each fitted, was legal and came back by undo. */
  readonly slices: { readonly compacted: number; readonly sound: number; readonly of: number };
}

/**
 * Compacts a session for one window: as a whole, and in ten equal slices with a compaction after each, as it would have
 * gone if it had grown in that window.
 */
export async function compactSession({
  messages,
  window,
}: {
  readonly messages: readonly Message[];
  readonly window: number;
}): Promise<Outcome> {
  const whole = await sessionOf(messages);
  const started = performance.now();
  const once = await compactOnce({ session: whole, window });
  const ms = performance.now() - started;
  const grown = await sessionOf([]);
  const size = Math.ceil(messages.length / 10);
  let [compacted, sound, of] = [0, 0, 0];
  for (let start = 0; start < messages.length; start += size) {
    await grown.session.appendBatch(
      messages.slice(start, start + size).map((message) => ({ type: 'message', message })),
    );
    const { installed, fits, legal, isUndoExact, isHeadTooLarge } = await compactOnce({ session: grown, window });
    of += 1;
    compacted += installed ? 1 : 0;
    sound += isHeadTooLarge || (fits && legal === dialects.length && isUndoExact) ? 1 : 0;
  }
  return { window, ...once, ms, slices: { compacted, sound, of } };
}

async function sessionOf(messages: readonly Message[]): Promise<EngineSession> {
  const store = createMemoryStore();
  const { id }: Session = await createSession({ store });
  const session = await (await createEngine({ store })).open(id);
  if (messages.length > 0) {
    await session.session.appendBatch(messages.map((message) => ({ type: 'message', message })));
  }
  return session;
}

async function compactOnce(of: { readonly session: EngineSession; readonly window: number }) {
  try {
    return await compactAndSend(of);
  } catch (error) {
    if (!(error instanceof BudgetExceededError)) throw error;
    const nothing = { installed: false, tokensBefore: 0, tokensAfter: 0, fits: false, legal: 0, isUndoExact: true };
    return { ...nothing, isHeadTooLarge: true };
  }
}

async function compactAndSend({ session, window }: { readonly session: EngineSession; readonly window: number }) {
  const model = modelFor({ window });
  const before = JSON.stringify(session.context.items);
  const { installed, tokensBefore, tokensAfter } = await session.compact({ model });
  let isUndoExact = true;
  if (installed) {
    const after = JSON.stringify(session.context.items);
    await session.undo();
    isUndoExact = JSON.stringify(session.context.items) === before;
    await session.redo();
    isUndoExact &&= JSON.stringify(session.context.items) === after;
  }
  const prepared = await session.prepare({ model });
  const fits = prepared.bound <= prepared.report.budget.limit;
  const legal = dialects.filter((dialect) => isLegal({ prepared, dialect })).length;
  return { installed, tokensBefore, tokensAfter, isUndoExact, fits, legal, isHeadTooLarge: false };
}

const next: Message = user('Go on.');

function modelFor({ window }: { readonly window: number }): TargetModel {
  const { inputLimit: _, ...info } = modelInfo({ name: 'gpt-5' });
  return { id: { provider: 'openai', name: 'gpt-5' }, dialect: 'openai-chat', info: { ...info, window } };
}

function isLegal({ prepared, dialect }: { readonly prepared: Prepared; readonly dialect: Dialect }): boolean {
  const { head, items, tools } = prepared;
  if (items.length === 0) return true;
  // What ends with an answer is not sent as it is: the next request adds to it.
  const isAnswered = items.at(-1)?.role === 'assistant';
  const { messages } = repairMessages({ messages: isAnswered ? [...items, next] : items, dialect });
  const body = writeRequest({ dialect, conversation: { head, messages, tools } });
  const rest = dialect === 'gemini' ? {} : { model: 'm', ...(dialect === 'anthropic' && { max_tokens: 100 }) };
  const { legal } = judge({ dialect, body: { ...rest, ...body } });
  return legal;
}
