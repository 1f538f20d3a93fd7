import { Worker } from 'node:worker_threads';
import { locate } from '../../locate.ts';
import type { Encoding } from '../encodings.ts';
import { type Answer, type Part, placeOf, places, type WorkerSetup } from './protocol.ts';
import type { Turns } from './turns.ts';

/** Thrown to every job of a worker that is gone. */
export class WorkerLost extends Error {}

/** A worker thread that counts. It does not keep the process alive while it has nothing to do. */
export interface Remote {
  count(request: { readonly text: string; readonly signal?: AbortSignal | undefined }): Promise<number>;
  stop(): Promise<void>;
}

/** How much is copied to the worker at once: well under a millisecond. */
const partChars = 131_072;

export function startRemote({
  encoding,
  file,
  turn,
}: {
  readonly encoding: Encoding;
  readonly file?: URL | undefined;
  readonly turn: Turns;
}): Remote {
  const jobs = new Map<number, PromiseWithResolvers<number | undefined>>();
  const cancelled = new Int32Array(new SharedArrayBuffer(places * 4));
  const setup: WorkerSetup = { encoding, cancelled };
  const worker = new Worker(file ?? locate({ from: import.meta.url, module: 'tokens/worker' }), { workerData: setup });
  let lost: WorkerLost | undefined;
  let newest = 0;
  worker.unref();
  worker.on('message', ({ job, count: counted }: Answer) => settle(job)?.resolve(counted));
  worker.on('error', lose);
  worker.on('exit', () => lose(new Error('the worker ended')));
  return { count, stop };

  async function count({ text, signal }: { text: string; signal?: AbortSignal | undefined }): Promise<number> {
    const job = ++newest;
    const answer = Promise.withResolvers<number | undefined>();
    // A lost worker may reject before anyone waits for it here.
    answer.promise.catch(() => {});
    const cancel = () => Atomics.store(cancelled, placeOf(job), job);
    signal?.addEventListener('abort', cancel, { once: true });
    jobs.set(job, answer);
    worker.ref();
    try {
      for (let from = 0; from === 0 || from < text.length; from += partChars) {
        if (text.length > partChars) await turn();
        if (lost) throw lost;
        const part: Part = { job, text: text.slice(from, from + partChars), last: from + partChars >= text.length };
        worker.postMessage(part);
      }
      const counted = await answer.promise;
      signal?.throwIfAborted();
      if (counted === undefined) throw new WorkerLost('the job was cancelled without a request');
      return counted;
    } finally {
      signal?.removeEventListener('abort', cancel);
      settle(job);
    }
  }

  function settle(job: number): PromiseWithResolvers<number | undefined> | undefined {
    const answer = jobs.get(job);
    jobs.delete(job);
    if (jobs.size === 0) worker.unref();
    return answer;
  }

  function lose(cause: unknown): void {
    lost ??= new WorkerLost('the counting worker is gone', { cause });
    for (const job of [...jobs.keys()]) settle(job)?.reject(lost);
  }

  async function stop(): Promise<void> {
    await worker.terminate();
  }
}
