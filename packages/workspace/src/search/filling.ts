import type { WorkerClient } from '../worker/rpc.ts';
import type { IndexMethods, IndexPlace } from './index-methods.ts';
import type { IndexProgress } from './indexer.ts';
import type { Embedder } from './ladder.ts';

/** Gives the chunks of an index their vectors. */
export interface Filling {
  /** All that are missing. */
  all(options: {
    readonly signal?: AbortSignal | undefined;
    readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
  }): Promise<void>;
  /** These chunks first, as far as there is time; whether no chunk is without a vector. */
  ensure(of: { readonly ids: readonly number[]; readonly signal: AbortSignal }): Promise<boolean>;
  /** Fills in what is missing in the background. */
  start(): void;
  stop(): Promise<void>;
}

const batchSize = 16;
/** A search waits so long for vectors of its best chunks, then compares those that are there. */
const ensureMs = 5_000;
/** Between two batches in the background: others have work to do. */
const pauseMs = 5;

export function createFilling(of: {
  readonly worker: WorkerClient<IndexMethods>;
  readonly place: IndexPlace;
  readonly embedder: Embedder;
}): Filling {
  const { worker, place, embedder } = of;
  const model = embedder.name;
  const ended = new AbortController();
  let background: Promise<void> | undefined;
  let isAskedAgain = false;

  const missing = async (limit: number, signal?: AbortSignal | undefined): Promise<number[]> =>
    await worker.call({ method: 'withoutVectors', input: { place, model, limit }, signal });

  const fill = async ({
    ids,
    signal,
  }: {
    readonly ids: readonly number[];
    readonly signal?: AbortSignal | undefined;
  }) => {
    signal?.throwIfAborted();
    const chunks = await worker.call({ method: 'texts', input: { place, ids }, signal });
    const vectors = await embedder.embed(
      chunks.map(({ path, text }) => `${path}\n${text}`),
      signal ? { signal } : {},
    );
    const known = new Set(chunks.map(({ id }) => id));
    const rows = [
      ...chunks.flatMap(({ id }, at) => (vectors[at] ? [{ id, vector: vectors[at] }] : [])),
      // A chunk whose file cannot be read now is near to nothing; it is indexed again when the file is back.
      ...ids.filter((id) => !known.has(id)).map((id) => ({ id, vector: new Float32Array(vectors[0]?.length ?? 1) })),
    ];
    await worker.call({ method: 'addVectors', input: { place, model, vectors: rows } });
  };

  const all: Filling['all'] = async ({ signal, onProgress }) => {
    const ids = await missing(10_000_000, signal);
    for (let start = 0; start < ids.length; start += batchSize) {
      onProgress?.({ done: start, total: ids.length });
      await fill({ ids: ids.slice(start, start + batchSize), signal });
      if (background) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    onProgress?.({ done: ids.length, total: ids.length });
  };

  const run = async () => {
    do {
      isAskedAgain = false;
      await all({ signal: ended.signal });
    } while (isAskedAgain);
  };

  return {
    all,
    async ensure({ ids, signal }) {
      if ((await missing(1, signal)).length === 0) return true;
      const known = new Set(await worker.call({ method: 'withVectors', input: { place, model, ids }, signal }));
      const due = ids.filter((id) => !known.has(id));
      const until = performance.now() + ensureMs;
      for (let start = 0; start < due.length && performance.now() < until; start += batchSize) {
        await fill({ ids: due.slice(start, start + batchSize), signal });
      }
      return (await missing(1, signal)).length === 0;
    },
    start() {
      isAskedAgain = true;
      if (background || ended.signal.aborted) return;
      // A failure ends the filling; searches go on with the vectors that are there.
      background = run()
        .catch(() => {})
        .finally(() => {
          background = undefined;
        });
    },
    async stop() {
      ended.abort();
      await background;
    },
  };
}
