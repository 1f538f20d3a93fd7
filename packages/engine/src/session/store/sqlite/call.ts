import { Worker } from 'node:worker_threads';
import { LonghaulError } from '../../../errors.ts';
import { locate } from '../../../locate.ts';
import { errorOf } from './failure.ts';
import { type Answer, type Call, type Envelope, type Operation, type Posted, pack, unpack } from './protocol.ts';
import type { StoreWorkerOptions } from './store-worker.ts';

/** Asks a thread of its own. The process may end while nothing is asked. */
export function threadCall(options: StoreWorkerOptions): Call {
  const worker = new Worker(locate({ from: import.meta.url, module: 'session/store/sqlite/worker' }), {
    workerData: options,
    name: 'longhaul store',
  });
  const pending = new Map<number, { op: Operation; resolve(value: unknown): void; reject(error: unknown): void }>();
  let number = 0;
  let appends = 0;
  let ended: LonghaulError | undefined;
  let outbox: Envelope[] = [];
  worker.unref();

  worker.on('message', (message: Posted<Answer>) => {
    const answers = unpack(message);
    for (const { number, outcome } of answers) {
      const asked = pending.get(number);
      pending.delete(number);
      if (asked?.op === 'append') appends -= 1;
      if ('value' in outcome) asked?.resolve(outcome.value);
      else asked?.reject(errorOf(outcome.failure));
    }
    if (pending.size === 0) worker.unref();
  });
  const end = (cause: unknown): void => {
    ended ??= closed(cause);
    for (const asked of pending.values()) asked.reject(ended);
    pending.clear();
  };
  worker.on('error', end);
  worker.on('exit', () => end(undefined));

  return (op, args) =>
    new Promise((resolve, reject) => {
      if (ended) return reject(ended);
      number += 1;
      if (pending.size === 0) worker.ref();
      if (op === 'append') appends += 1;
      pending.set(number, { op, resolve: resolve as (value: unknown) => void, reject });
      if (outbox.length === 0) queueMicrotask(post);
      outbox.push({ number, op, args, appends });
    });

  /** What is asked in one go crosses in one go: each crossing costs as much as the work of an append. */
  function post(): void {
    const envelopes = outbox;
    outbox = [];
    if (!ended) worker.postMessage(pack(envelopes));
  }
}

function closed(cause: unknown): LonghaulError {
  return new LonghaulError({
    code: 'store-closed',
    message: cause === undefined ? 'The store is closed.' : `The thread of the store ended: ${String(cause)}.`,
    hint: 'Open the store again; what was acknowledged is there.',
    cause,
  });
}
