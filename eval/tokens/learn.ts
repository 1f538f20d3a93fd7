import type { Dialect } from 'longhaul/message';
import { modelInfo } from 'longhaul/models';
import { type CountingRules, countingRules, createMessageCounter, type MessageCounter, total } from 'longhaul/tokens';
import type { LoggedRequest, LoggedSession } from './requests.ts';

/** A request by our own count, and by its provider's. */
interface Counted {
  readonly tokens: number;
  readonly messages: number;
  readonly actual: number;
  readonly segment: number;
}

export interface CountedSession extends LoggedSession {
  readonly counted: readonly Counted[];
}

/** Counts every request of a session by the vocabulary and the framing of its family. */
export function countSession({
  session,
  count,
}: {
  readonly session: LoggedSession;
  readonly count: (text: string) => number;
}): CountedSession {
  const counter = counterFor({ session, count });
  const known = new WeakMap<object, number>();
  const of = (message: LoggedRequest['messages'][number]) => {
    const tokens = known.get(message) ?? total(counter.message(message));
    known.set(message, tokens);
    return tokens;
  };
  const counted = session.requests.map(({ head, messages, actual, segment }) => {
    const all = [...head, ...messages];
    return { tokens: all.reduce((sum, message) => sum + of(message), 0), messages: all.length, actual, segment };
  });
  return { ...session, counted };
}

export function counterFor({
  session: { model, family },
  count,
}: {
  readonly session: Pick<LoggedSession, 'model' | 'family'>;
  readonly count: (text: string) => number;
}): MessageCounter {
  const [dialect = 'openai-chat' as Dialect] = modelInfo({ name: model }).dialects;
  const rules: CountingRules = { ...countingRules[dialect], ...family.framing };
  return createMessageCounter({ count, rules });
}

/**
 * What the log does not hold (system prompt, tools, attachments): one constant for each segment of a session, and what it
 * holds by the factor that explains this session best.
 */
export function unseenIn(session: CountedSession): ReadonlyMap<number, number> {
  const known = remembered.get(session) ?? constantsBy({ session, factor: learnFactor([session]) });
  remembered.set(session, known);
  return known;
}

const remembered = new WeakMap<CountedSession, ReadonlyMap<number, number>>();

function constantsBy({ session, factor }: { readonly session: CountedSession; readonly factor: number }) {
  const unseen = new Map<number, number>();
  for (const segment of new Set(session.counted.map((request) => request.segment))) {
    const rest = session.counted
      .filter((request) => request.segment === segment)
      .map(({ actual, tokens }) => actual - factor * tokens)
      .sort((a, b) => a - b);
    unseen.set(segment, Math.max(0, rest[Math.floor(rest.length / 2)] ?? 0));
  }
  return unseen;
}

/** The factor with the smallest relative error over whole requests; sessions count alike from 100 requests on. */
export function learnFactor(sessions: readonly CountedSession[]): number {
  const factors = Array.from({ length: 241 }, (_, step) => 0.8 + step * 0.005);
  const error = (factor: number) =>
    sessions.reduce((sum, session) => sum + errorOf({ session, factor }) * Math.min(100, session.counted.length), 0);
  const errors = factors.map(error);
  const best = factors[errors.indexOf(Math.min(...errors))] ?? 1;
  return Math.round(best * 1000) / 1000;
}

function errorOf({ session, factor }: { readonly session: CountedSession; readonly factor: number }): number {
  const unseen = constantsBy({ session, factor });
  const sum = session.counted.reduce((sum, { tokens, actual, segment }) => {
    const seen = actual - (unseen.get(segment) ?? 0);
    // Of a short conversation a few tokens are a large share.
    return sum + Math.min(0.5, Math.abs(factor * tokens - seen) / (Math.max(0, seen) + 1_000));
  }, 0);
  return sum / session.counted.length;
}

/** Sessions in turn: half to learn from, half to judge by. One alone is cut in the middle. */
export function halves(sessions: readonly CountedSession[]): readonly [CountedSession[], CountedSession[]] {
  const [only, ...others] = sessions;
  if (only && others.length === 0) {
    const middle = Math.floor(only.counted.length / 2);
    return [
      [{ ...only, counted: only.counted.slice(0, middle) }],
      [{ ...only, counted: only.counted.slice(middle), requests: only.requests.slice(middle) }],
    ];
  }
  const largest = sessions.toSorted((a, b) => b.counted.length - a.counted.length);
  return [largest.filter((_, index) => index % 2 === 0), largest.filter((_, index) => index % 2 === 1)];
}
