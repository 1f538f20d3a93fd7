import { locate } from '../../locate.ts';
import { WorkerClient } from '../../worker-client.ts';
import type { Encoding } from '../encodings.ts';
import { type CountPart, placeOf, places, type WorkerSetup } from './protocol.ts';
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
  const cancelled = new Int32Array(new SharedArrayBuffer(places * 4));
  const client = new WorkerClient<CountPart, number | undefined, never>({
    url: file ?? locate({ from: import.meta.url, module: 'tokens/worker' }),
    workerData: { encoding, cancelled } satisfies WorkerSetup,
    errorOf: (failure) => failure,
    endedError: (cause) => new WorkerLost('the counting worker is gone', { cause }),
  });
  return { count, stop: () => client.terminate() };

  async function count({ text, signal }: { text: string; signal?: AbortSignal | undefined }): Promise<number> {
    const { id, reply } = client.open();
    // The worker may end before the reply is awaited.
    reply.catch(() => undefined);
    const cancel = () => Atomics.store(cancelled, placeOf(id), id);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      for (let from = 0; from === 0 || from < text.length; from += partChars) {
        if (text.length > partChars) await turn();
        if (client.ended) throw client.ended;
        client.post({ id, text: text.slice(from, from + partChars), last: from + partChars >= text.length });
      }
      const counted = await reply;
      signal?.throwIfAborted();
      if (counted === undefined) throw new WorkerLost('the worker cancelled a job without a request');
      return counted;
    } finally {
      signal?.removeEventListener('abort', cancel);
      client.cancel(id, client.ended);
    }
  }
}
