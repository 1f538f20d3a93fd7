import { Worker } from 'node:worker_threads';
import { LonghaulError } from '../../../errors.ts';
import { locate } from '../../../locate.ts';
import { errorOf } from './failure.ts';
import type { KeeperOptions } from './keeper.ts';
import type { Answer, Call, Envelope, Operation } from './protocol.ts';

/** Asks a thread of its own. The process may end while nothing is asked. */
export function threadCall(options: KeeperOptions): Call {
  const worker = new Worker(locate({ from: import.meta.url, module: 'session/store/sqlite/worker' }), {
    workerData: options,
    name: 'longhaul store',
  });
  const pending = new Map<number, { op: Operation; resolve(value: unknown): void; reject(error: unknown): void }>();
  let number = 0;
  let appends = 0;
  let ended: LonghaulError | undefined;
  worker.unref();

  worker.on('message', (answer: Answer) => {
    const asked = pending.get(answer.number);
    pending.delete(answer.number);
    if (asked?.op === 'append') appends -= 1;
    if (pending.size === 0) worker.unref();
    if ('value' in answer.outcome) asked?.resolve(answer.outcome.value);
    else asked?.reject(errorOf(answer.outcome.failure));
  });
  const end = (from: unknown): void => {
    ended ??= closed(from);
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
      worker.postMessage({ number, op, args, appends } satisfies Envelope);
    });
}

function closed(from: unknown): LonghaulError {
  return new LonghaulError({
    code: 'store-closed',
    cause: from === undefined ? 'The store is closed.' : `The thread of the store ended: ${String(from)}.`,
    next: 'Open the store again; what was acknowledged is there.',
    from,
  });
}
