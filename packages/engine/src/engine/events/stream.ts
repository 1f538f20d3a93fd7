import type { SessionId } from '../../session/index.ts';
import type { Emit, EngineEvent, EventName } from './event.ts';

export type EngineListener<Name extends EventName> = (event: EngineEvent<Name>) => void;

/** Ways to listen. */
export interface EventStream {
  /** Listens to one kind of event; returns what ends it. */
  on<Name extends EventName>(name: Name, listener: EngineListener<Name>): () => void;
  /** Listens to all of them, in order. */
  onAny(listener: EngineListener<EventName>): () => void;
  /** The same to read at one's own pace, until the signal is aborted or the loop is left. */
  events(input?: EventsInput): AsyncIterableIterator<EngineEvent>;
}

export interface EventsInput {
  readonly signal?: AbortSignal;
  /** How many events wait for a slow reader; of more, the oldest are left out. 1,000 by default. */
  readonly buffer?: number;
}

/**
 * The event stream of a session. Listeners receive all events in order. Errors of listeners are ignored, and for a slow
 * reader at most a bounded number of events is buffered.
 *
 * @example
 * const { stream, emit } = createEventStream({ session: id, now: Date.now });
 * stream.on('limit', ({ window }) => console.log(window));
 * emit('limit', { window: 128_000 });
 */
export function createEventStream({ session, now }: { readonly session: SessionId; readonly now: () => number }): {
  readonly stream: EventStream;
  readonly emit: Emit;
  /** Ends the stream: for listeners at once, for readers after the buffered events. */
  readonly close: () => void;
} {
  const named = new Map<EventName, Set<EngineListener<never>>>();
  const any = new Set<EngineListener<EventName>>();
  const over = new AbortController();
  const emit: Emit = (name, data) => {
    const event = { ...data, type: name, session, at: now() } as EngineEvent;
    for (const listener of [...(named.get(name) ?? []), ...any]) {
      try {
        listener(event as never);
      } catch {
        // Errors of listeners must not affect the session.
      }
    }
  };
  const onAny = (listener: EngineListener<EventName>) => {
    any.add(listener);
    return () => void any.delete(listener);
  };
  const stream: EventStream = {
    on(name, listener) {
      const set = named.get(name) ?? new Set();
      named.set(name, set.add(listener));
      return () => void set.delete(listener);
    },
    onAny,
    events: ({ signal, ...input } = {}) =>
      readerOf({ onAny, ...input, signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal }),
  };
  const close = () => {
    over.abort();
    for (const set of [any, ...named.values()]) set.clear();
  };
  return { stream, emit, close };
}

/** Far more than happens between two looks of any reader that is still alive. */
const defaultBuffer = 1_000;

/** It listens from the moment it is asked for, not from the first look on. */
function readerOf({
  onAny,
  signal,
  buffer = defaultBuffer,
}: EventsInput & { readonly onAny: EventStream['onAny'] }): AsyncIterableIterator<EngineEvent> {
  const waiting: EngineEvent[] = [];
  const readers: ((result: IteratorResult<EngineEvent>) => void)[] = [];
  let isOver = false;
  const off = onAny((event) => {
    const reader = readers.shift();
    if (reader) return reader({ done: false, value: event });
    waiting.push(event);
    if (waiting.length > buffer) waiting.shift();
  });
  const end = () => {
    isOver = true;
    off();
    signal?.removeEventListener('abort', end);
    for (const reader of readers.splice(0)) reader({ done: true, value: undefined });
  };
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const event = waiting.shift();
      if (event) return { done: false, value: event };
      if (isOver) return { done: true, value: undefined };
      return await new Promise((resolve) => void readers.push(resolve));
    },
    async return() {
      waiting.length = 0;
      end();
      return { done: true, value: undefined };
    },
  };
}
