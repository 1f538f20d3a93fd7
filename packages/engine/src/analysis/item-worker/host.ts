import { locate } from '../../locate.ts';
import type { Message } from '../../message/index.ts';
import { yieldToEventLoop } from '../../time.ts';
import { WorkerClient } from '../../worker-client.ts';
import { charsOf } from '../item-length.ts';
import type { SourceItem } from '../source-item.ts';
import type { ToWorker } from './protocol.ts';

/** So much crosses to the worker at once: copying it takes about a millisecond. */
const pieceChars = 256 * 1024;

const youngGenerationMb = 16;

/** Far above what items need. With a limit below 2 GB V8 collects garbage at 1.5 times the live size instead of at 4 times. */
const oldGenerationMb = 768;

/** After so long without work the worker ends. */
const idleMs = 15_000;

/** A worker thread that holds the items of a session and answers questions about them. */
export interface ItemHost<Question, Answer> {
  ask(about: {
    readonly items: readonly SourceItem[];
    readonly question: Question;
    readonly signal?: AbortSignal | undefined;
  }): Promise<Answer>;
}

/**
 * Starts a worker that holds the items of a session. Only items that changed since the last question cross to it, so what
 * a question costs depends on what is new, not on how long the session is.
 *
 * @example
 * const host = createItemHost<string, number>({ module: 'engine/recall/worker', name: 'recall', onEnd: () => {} });
 * const count = await host.ask({ items, question: 'port of the server' });
 */
export function createItemHost<Question, Answer>({
  module,
  name,
  onEnd,
}: {
  /** The module whose code runs in the worker; it calls `serveItems`. */
  readonly module: string;
  readonly name: string;
  /** Called when the worker has ended; the next question needs another. */
  readonly onEnd: () => void;
}): ItemHost<Question, Answer> {
  let idle: NodeJS.Timeout | undefined;
  const client = new WorkerClient<ToWorker<Question>, Answer>({
    url: locate({ from: import.meta.url, module }),
    name: `longhaul ${name}`,
    // Most of what a question allocates is garbage at its end; a large nursery would only hold it longer.
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb, maxOldGenerationSizeMb: oldGenerationMb },
    errorOf: (failure) => new Error(failure),
    endedError: (cause) => (cause instanceof Error ? cause : new Error('The worker ended.')),
    onEnd: () => {
      clearTimeout(idle);
      onEnd();
    },
    onIdle: () => {
      idle = setTimeout(() => void client.terminate(), idleMs).unref();
    },
  });
  /** What the worker holds, by handle. */
  const there = new Map<number, Message>();
  let crossing: Promise<void> = Promise.resolve();
  return { ask };

  async function ask({ items, question, signal }: Parameters<ItemHost<Question, Answer>['ask']>[0]): Promise<Answer> {
    clearTimeout(idle);
    const { id, reply } = client.open();
    // It may fail before all pieces have crossed and the result is awaited.
    reply.catch(() => undefined);
    const stop = () => cancel(id);
    signal?.addEventListener('abort', stop, { once: true });
    // One list after the other: two that cross at the same time would mix.
    const asked = crossing.then(async () => {
      await cross({ id, items });
      if (client.isOpen(id)) client.post({ id, question });
    });
    crossing = asked.catch((error: Error) => void client.cancel(id, error));
    try {
      return await reply;
    } finally {
      // A signal may live as long as the program.
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Sends what the worker does not hold yet, in pieces, so that the caller's event loop is not blocked. */
  async function cross({ id, items }: { readonly id: number; readonly items: readonly SourceItem[] }): Promise<void> {
    const next = new Map(items.map(({ handle, message }) => [handle, message]));
    const set = items.filter(({ handle, message }) => there.get(handle) !== message);
    const drop = [...there.keys()].filter((handle) => !next.has(handle));
    if (set.length === 0 && drop.length === 0) return;
    let gone: readonly number[] = drop;
    for (const piece of inPieces(set)) {
      if (!client.isOpen(id)) return;
      client.post({ set: piece, drop: gone });
      for (const handle of gone) there.delete(handle);
      for (const { handle, message } of piece) there.set(handle, message);
      gone = [];
      await yieldToEventLoop();
    }
  }

  /** The caller does not wait for the end of the work; a worker without other work is terminated. */
  function cancel(id: number): void {
    if (!client.cancel(id, new Error('The question was cancelled.')) || client.openCalls > 0) return;
    onEnd();
    void client.terminate();
  }
}

function* inPieces(items: readonly SourceItem[]): Generator<SourceItem[]> {
  let piece: SourceItem[] = [];
  let chars = 0;
  for (const item of items) {
    piece.push(item);
    chars += charsOf(item.message);
    if (chars < pieceChars) continue;
    yield piece;
    piece = [];
    chars = 0;
  }
  yield piece;
}
