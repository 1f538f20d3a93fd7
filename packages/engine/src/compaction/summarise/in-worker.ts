import { Worker } from 'node:worker_threads';
import { locate } from '../../locate.ts';
import { createTokenizer } from '../../tokens/index.ts';
import type { SourceItem } from '../source.ts';
import { answerTo } from './answer.ts';
import { inOrder } from './extractive.ts';
import { charsOf } from './length.ts';
import type { Answer, Question, Reply, Request } from './protocol.ts';
import { createReader, isSame, type Reader } from './reader.ts';
import type { Summariser } from './summariser.ts';

/** So much crosses to the worker at once: copying it takes about a millisecond. */
const pieceChars = 256 * 1024;

/** After so long without work the worker ends. */
const idleMs = 15_000;

/**
 * The summariser that needs no model: it chooses what to keep, in a worker thread. Where no worker can be had, or it
 * fails, it chooses in this thread: it cannot fail.
 *
 * @example
 * const engine = await createEngine({ store, summariser: createExtractiveSummariser() });
 */
export function createExtractiveSummariser({
  worker: mayStart = true,
}: {
  /** False chooses in this thread. */
  readonly worker?: boolean;
} = {}): Summariser {
  let running: Host | undefined;
  const read = createReader();
  return {
    rung: 'extractive',
    isSure: true,
    summarise: ({ items, later = [], signal, live: _live, previous: _previous, trigger: _trigger, ...rest }) => {
      const { instructions: _instructions, context: _context, mode: _mode, onAttempt: _onAttempt, ...order } = rest;
      const told = items.map(({ handle }) => handle);
      return ask({ items: inOrder([...items, ...later]), question: { order, told }, signal });
    },
    tailFor: ({ items, signal, ...question }) => ask({ items: inOrder(items), question, signal }),
  };

  async function ask<Q extends Question>(about: About<Q>) {
    about.signal?.throwIfAborted();
    const answer = mayStart ? await inWorker(about) : undefined;
    about.signal?.throwIfAborted();
    return answer ?? (await here({ ...about, read }));
  }

  async function inWorker<Q extends Question>(about: About<Q>): Promise<Answer<Q> | undefined> {
    try {
      running ??= start();
      return await running.ask(about);
    } catch {
      return undefined;
    }
  }

  function start(): Host {
    const host = createHost(() => {
      if (running === host) running = undefined;
    });
    return host;
  }
}

interface About<Q extends Question> {
  readonly items: readonly SourceItem[];
  readonly question: Q;
  readonly signal?: AbortSignal | undefined;
}

async function here<Q extends Question>({
  items,
  question,
  read,
}: About<Q> & { readonly read: Reader }): Promise<Answer<Q>> {
  const tokenizer = await createTokenizer('o200k_base');
  return answerTo({ items, question, read, count: (text) => tokenizer.count(text) });
}

interface Host {
  ask<Q extends Question>(about: About<Q>): Promise<Answer<Q>>;
}

function createHost(onEnd: () => void): Host {
  const worker = new Worker(locate({ from: import.meta.url, module: 'compaction/summarise/worker' }), {
    name: 'longhaul summary',
  });
  const pending = new Map<number, { resolve(answer: never): void; reject(error: Error): void }>();
  let jobs = 0;
  /** The session that is over there, and the line of those that want to be. */
  let there: readonly SourceItem[] | undefined;
  let crossing: Promise<void> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  worker.unref();
  worker.on('message', (reply: Reply) => {
    const asked = settled(reply.job);
    if ('answer' in reply) asked?.resolve(reply.answer as never);
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
  return {
    async ask<Q extends Question>({ items, question, signal }: About<Q>): Promise<Answer<Q>> {
      clearTimeout(idle);
      jobs += 1;
      const job = jobs;
      worker.ref();
      const done = new Promise<Answer<Q>>((resolve, reject) => pending.set(job, { resolve, reject }));
      // It may fail before all pieces are over there and somebody waits for it.
      done.catch(() => undefined);
      const stop = () => callOff(job);
      signal?.addEventListener('abort', stop, { once: true });
      // One list after the other: two that cross at once would be one.
      const asked = crossing.then(async () => {
        await cross({ job, items });
        if (pending.has(job)) worker.postMessage({ job, ...question } as Request);
      });
      crossing = asked.catch((error: Error) => settled(job)?.reject(error));
      try {
        return await done;
      } finally {
        // A signal may live for as long as a program.
        signal?.removeEventListener('abort', stop);
      }
    },
  };

  /** What is there already need not cross again. */
  async function cross({ job, items }: { readonly job: number; readonly items: readonly SourceItem[] }): Promise<void> {
    if (there && isSame(there, items)) return;
    there = undefined;
    let isFirst = true;
    for (const piece of inPieces(items)) {
      if (!pending.has(job)) return;
      worker.postMessage({ items: piece, isFirst } satisfies Request);
      isFirst = false;
      // The caller's event loop goes on between two pieces.
      await new Promise((resolve) => setImmediate(resolve));
    }
    there = items;
  }

  /** Nobody waits for it any more. */
  function settled(job: number) {
    const asked = pending.get(job);
    pending.delete(job);
    if (pending.size === 0) rest();
    return asked;
  }

  /** Whoever calls it off does not wait for the end of it; a worker that has nothing else to do need not go on. */
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
