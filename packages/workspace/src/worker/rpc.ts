import { parentPort, Worker } from 'node:worker_threads';

/** What a worker offers: functions of one serializable argument; `report` sends progress to the caller. */
export type Methods = Readonly<
  Record<string, (input: never, context: { readonly report: (value: unknown) => void }) => unknown>
>;

type Input<M extends Methods, K extends keyof M> = Parameters<M[K]>[0];
type Output<M extends Methods, K extends keyof M> = Awaited<ReturnType<M[K]>>;

interface WorkerCall {
  readonly id: number;
  readonly method: string;
  readonly input: unknown;
}

type WorkerReply =
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly progress: unknown }
  | { readonly id: number; readonly failure: string };

/** Answers the calls of the thread that started this worker, one after the other. */
export function serve(methods: Methods): void {
  const port = parentPort;
  if (!port) throw new Error('This module runs in a worker thread.');
  let last: Promise<void> = Promise.resolve();
  port.on('message', (call: WorkerCall) => {
    last = last.then(() => answer(call));
  });

  async function answer({ id, method, input }: WorkerCall): Promise<void> {
    try {
      const run = methods[method];
      if (!run) throw new Error(`Unknown method ${method}.`);
      const report = (progress: unknown) => port?.postMessage({ id, progress } satisfies WorkerReply);
      port?.postMessage({ id, output: await run(input as never, { report }) } satisfies WorkerReply);
    } catch (error) {
      port?.postMessage({ id, failure: error instanceof Error ? error.message : String(error) } satisfies WorkerReply);
    }
  }
}

/** The other side of `serve`. */
export interface WorkspaceWorker<M extends Methods> {
  call<K extends keyof M & string>(of: {
    readonly method: K;
    readonly input: Input<M, K>;
    readonly onProgress?: ((value: unknown) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<Output<M, K>>;
  close(): Promise<void>;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((value: unknown) => void) | undefined;
}

/** After this long without work the thread ends; the next call starts another. */
const idleMs = 15_000;

/**
 * Calls methods of a worker thread, which is started with the first call and ended when it is idle. A process does not stay
 * alive for it.
 */
export function connectWorker<M extends Methods>({
  url,
  idle = idleMs,
}: {
  readonly url: URL;
  readonly idle?: number;
}): WorkspaceWorker<M> {
  const waiting = new Map<number, Waiting>();
  let [worker, next]: [Worker | undefined, number] = [undefined, 0];
  let timer: NodeJS.Timeout | undefined;

  const fail = (error: Error) => {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };

  const start = (): Worker => {
    const started = new Worker(url);
    started.unref();
    started.on('message', (reply: WorkerReply) => {
      const asked = waiting.get(reply.id);
      if (!asked) return;
      if ('progress' in reply) {
        asked.onProgress?.(reply.progress);
        return;
      }
      settle(reply.id);
      if ('failure' in reply) asked.reject(new Error(reply.failure));
      else asked.resolve(reply.output as never);
    });
    started.on('error', (error: Error) => worker === started && fail(error));
    started.on('exit', () => worker === started && fail(new Error('The worker thread ended.')));
    return started;
  };

  const settle = (id: number) => {
    waiting.delete(id);
    if (waiting.size > 0) return;
    worker?.unref();
    timer = setTimeout(() => void stop(), idle);
    timer.unref();
  };

  const stop = async () => {
    const ending = worker;
    worker = undefined;
    await ending?.terminate();
  };

  return {
    async call({ method, input, onProgress, signal }) {
      signal?.throwIfAborted();
      clearTimeout(timer);
      worker ??= start();
      worker.ref();
      next += 1;
      const id = next;
      const abort = () => {
        const asked = waiting.get(id);
        settle(id);
        asked?.reject(signal?.reason instanceof Error ? signal.reason : new Error('The call was aborted.'));
      };
      signal?.addEventListener('abort', abort, { once: true });
      try {
        return await new Promise<never>((resolve, reject) => {
          waiting.set(id, { resolve, reject, onProgress });
          worker?.postMessage({ id, method, input } satisfies WorkerCall);
        });
      } finally {
        signal?.removeEventListener('abort', abort);
      }
    },
    async close() {
      clearTimeout(timer);
      await stop();
      for (const { reject } of waiting.values()) reject(new Error('The worker was closed.'));
      waiting.clear();
    },
  };
}

/** The worker's file next to the module that starts it, from source and from the built package. */
export function workerUrl({ from, module }: { readonly from: string; readonly module: string }): URL {
  const [, root = new URL('./', from).href, tree = 'dist'] = /^(.*\/)(src|dist)\/[^?#]*$/.exec(from) ?? [];
  return new URL(`${tree}/${module}${tree === 'src' ? '.ts' : '.js'}`, root);
}
