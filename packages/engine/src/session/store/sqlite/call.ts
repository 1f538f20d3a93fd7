import { LonghaulError } from '../../../errors.ts';
import { locate } from '../../../locate.ts';
import { WorkerClient } from '../../../worker-client.ts';
import { errorOf, type Failure } from './failure.ts';
import {
  type Answer,
  type Args,
  type Call,
  type Envelope,
  type Operation,
  type Posted,
  pack,
  type Reply,
  unpack,
} from './protocol.ts';
import type { StoreWorkerOptions } from './store-worker.ts';

const youngGenerationMb = 8;

/** Asks a thread of its own. The process may end while nothing is asked. */
export function threadCall(options: StoreWorkerOptions): Call {
  const appends = new Set<number>();
  let envelopesToPost: Envelope[] = [];
  const client = new WorkerClient<Posted<Envelope>, unknown, Failure>({
    url: locate({ from: import.meta.url, module: 'session/store/sqlite/worker' }),
    name: 'longhaul store',
    workerData: options,
    // Rows and messages are garbage after each call; the default nursery grows to 80 MB over a long session.
    resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
    decode: (message) => unpack(message as Posted<Answer>),
    errorOf,
    endedError: closed,
    onReply: (id) => appends.delete(id),
  });

  return <Op extends Operation>(op: Op, args: Args<Op>) => {
    const { id, reply } = client.open();
    if (op === 'append') appends.add(id);
    if (envelopesToPost.length === 0) queueMicrotask(post);
    envelopesToPost.push({ id, op, args, appends: appends.size });
    return reply as Promise<Reply<Op>>;
  };

  /** Requests of one tick are posted together: each message costs as much as the work of an append. */
  function post(): void {
    const envelopes = envelopesToPost;
    envelopesToPost = [];
    client.post(pack(envelopes));
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
