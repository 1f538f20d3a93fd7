import { LonghaulError } from '../../../errors.ts';
import { locate } from '../../../locate.ts';
import { WorkerClient } from '../../../worker-client.ts';
import { errorOf, type Failure, failureOf } from './failure.ts';
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
import { StoreWorker, type StoreWorkerOptions } from './store-worker.ts';

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

/** Operations whose time grows with the number or the size of sessions. */
const longOperations: ReadonlySet<Operation> = new Set(['search', 'doctor']);

/**
 * Does the first calls in the caller's thread: starting a thread takes longer than what a short program asks of a store.
 * The thread takes over with a call that may take long, or once there were as many as given.
 */
export function lateThreadCall({ calls, ...options }: StoreWorkerOptions & { readonly calls: number }): Call {
  let left = calls;
  let worker: StoreWorker | undefined;
  let thread: Call | undefined;
  let isClosed = false;
  return async (op, args) => {
    if (isClosed) throw closed(undefined);
    if (!thread && (left === 0 || longOperations.has(op))) handOver();
    if (thread) return await thread(op, args);
    left -= 1;
    try {
      worker ??= new StoreWorker(options);
      isClosed = op === 'close';
      return worker.run(op, args);
    } catch (error) {
      throw errorOf(failureOf({ error, where: `Store ${options.dir}` }));
    }
  };

  /** Every earlier call has been answered, so the thread finds all they have written in the files. */
  function handOver(): void {
    worker?.run('close', {});
    worker = undefined;
    thread = threadCall(options);
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
