import { Worker } from 'node:worker_threads';
import { locate } from '../../locate.ts';
import type { Message } from '../../message/index.ts';
import { yieldToEventLoop } from '../../time.ts';
import { charsOf } from '../item-length.ts';
import type { SourceItem } from '../source-item.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

/** So much crosses to the worker at once: copying it takes about a millisecond. */
const pieceChars = 256 * 1024;

const youngGenerationMb = 24;

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
  const worker = new Worker(locate({ from: import.meta.url, module }), {
    name: `longhaul ${name}`,
    // Most of what a question allocates is garbage at its end; a large nursery would only hold it longer.
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
  });
  const pending = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  let jobs = 0;
  /** What the worker holds, by handle. */
  const there = new Map<number, Message>();
  let crossing: Promise<void> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  worker.unref();
  worker.on('message', (reply: FromWorker<Answer>) => {
    const asked = settled(reply.job);
    if ('answer' in reply) asked?.resolve(reply.answer);
    else asked?.reject(new Error(reply.failure));
  });
  const end = (error: Error) => {
    clearTimeout(idle);
    onEnd();
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };
  worker.on('error', end);
  worker.on('exit', () => end(new Error('The worker ended.')));
  return { ask };

  async function ask({ items, question, signal }: Parameters<ItemHost<Question, Answer>['ask']>[0]): Promise<Answer> {
    clearTimeout(idle);
    jobs += 1;
    const job = jobs;
    worker.ref();
    const done = new Promise<Answer>((resolve, reject) => pending.set(job, { resolve, reject }));
    // It may fail before all pieces have crossed and the result is awaited.
    done.catch(() => undefined);
    const stop = () => callOff(job);
    signal?.addEventListener('abort', stop, { once: true });
    // One list after the other: two that cross at the same time would mix.
    const asked = crossing.then(async () => {
      await cross({ job, items });
      if (pending.has(job)) worker.postMessage({ job, question } satisfies ToWorker<Question>);
    });
    crossing = asked.catch((error: Error) => settled(job)?.reject(error));
    try {
      return await done;
    } finally {
      // A signal may live as long as the program.
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Sends what the worker does not hold yet, in pieces, so that the caller's event loop is not blocked. */
  async function cross({ job, items }: { readonly job: number; readonly items: readonly SourceItem[] }): Promise<void> {
    const next = new Map(items.map(({ handle, message }) => [handle, message]));
    const set = items.filter(({ handle, message }) => there.get(handle) !== message);
    const drop = [...there.keys()].filter((handle) => !next.has(handle));
    if (set.length === 0 && drop.length === 0) return;
    let gone: readonly number[] = drop;
    for (const piece of inPieces(set)) {
      if (!pending.has(job)) return;
      worker.postMessage({ set: piece, drop: gone } satisfies ToWorker<Question>);
      for (const handle of gone) there.delete(handle);
      for (const { handle, message } of piece) there.set(handle, message);
      gone = [];
      await yieldToEventLoop();
    }
  }

  function settled(job: number) {
    const asked = pending.get(job);
    pending.delete(job);
    if (pending.size === 0) rest();
    return asked;
  }

  /** The caller does not wait for the end of it; a worker that has nothing else to do is terminated. */
  function callOff(job: number): void {
    const asked = pending.get(job);
    if (!asked) return;
    pending.delete(job);
    asked.reject(new Error('It was called off.'));
    if (pending.size > 0) return;
    onEnd();
    void worker.terminate();
  }

  function rest(): void {
    worker.unref();
    idle = setTimeout(() => void worker.terminate(), idleMs).unref();
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
