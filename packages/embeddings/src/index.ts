/**
 * Offline embeddings of texts: all-MiniLM-L6-v2 in int8 on the CPU, 384 dimensions. Nothing is downloaded.
 *
 * @module
 */
import { availableParallelism } from 'node:os';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { readModelFiles } from './model-files.ts';

/** Turns texts into vectors of length 1. It fits `Embedder` of `@longhaul/workspace/search`. */
export interface LocalEmbedder {
  /** Vectors of different names are not comparable. */
  readonly name: string;
  embed(texts: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

const dimensions = 384;
/** The model was trained on this many; what is behind them is not read. */
const mostTokens = 256;
/** Texts of one run of the model; they are padded to the longest of them. */
const batchSize = 8;

/**
 * Loads the model (about 0.3 s) and checks its files by their hashes.
 *
 * @example
 * const embedder = await createEmbedder();
 * const [a, b] = await embedder.embed(['parse a cookie', 'read the Cookie header']);
 */
export async function createEmbedder({
  folder,
  threads = Math.max(1, availableParallelism() - 1),
}: {
  /** Where the files of the model are, if not in this package. */
  readonly folder?: string;
  /** By default all cores but one, which is left to the caller. */
  readonly threads?: number;
} = {}): Promise<LocalEmbedder> {
  const {
    weights,
    tokenizer: vocabulary,
    tokenizerConfig,
  } = await readModelFiles(folder === undefined ? {} : { folder });
  const tokenizer = new Tokenizer(
    JSON.parse(vocabulary.toString('utf8')),
    JSON.parse(tokenizerConfig.toString('utf8')),
  );
  const session = await InferenceSession.create(weights, { intraOpNumThreads: threads, logSeverityLevel: 3 });

  const idsOf = (text: string): readonly number[] => {
    const { ids } = tokenizer.encode(text.slice(0, mostTokens * 16));
    const end = ids.at(-1);
    return ids.length <= mostTokens || end === undefined ? ids : [...ids.slice(0, mostTokens - 1), end];
  };

  const runBatch = async (batch: readonly (readonly number[])[]): Promise<Float32Array[]> => {
    const width = Math.max(...batch.map(({ length }) => length));
    const [ids, mask] = [new BigInt64Array(batch.length * width), new BigInt64Array(batch.length * width)];
    batch.forEach((row, at) => {
      row.forEach((id, index) => {
        ids[at * width + index] = BigInt(id);
        mask[at * width + index] = 1n;
      });
    });
    const shape = [batch.length, width];
    const { last_hidden_state: output } = await session.run({
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', mask, shape),
      token_type_ids: new Tensor('int64', new BigInt64Array(batch.length * width), shape),
    });
    const values = output?.data as Float32Array;
    return batch.map(({ length }, at) => meanOf({ values, start: at * width * dimensions, length }));
  };

  return {
    name: 'all-MiniLM-L6-v2-int8',
    async embed(texts, { signal } = {}) {
      const vectors: Float32Array[] = [];
      // Texts of similar length go together, so that little is padded.
      const rows = texts.map((text, at) => ({ at, ids: idsOf(text) })).sort((a, b) => a.ids.length - b.ids.length);
      for (let start = 0; start < rows.length; start += batchSize) {
        signal?.throwIfAborted();
        const batch = rows.slice(start, start + batchSize);
        const made = await runBatch(batch.map(({ ids }) => ids));
        batch.forEach(({ at }, index) => {
          vectors[at] = made[index] ?? new Float32Array(dimensions);
        });
      }
      return vectors;
    },
    close: () => session.release(),
  };
}

/** The mean over the tokens of a text, scaled to length 1. */
function meanOf(of: { readonly values: Float32Array; readonly start: number; readonly length: number }): Float32Array {
  const { values, start, length } = of;
  const mean = new Float32Array(dimensions);
  for (let token = 0; token < length; token += 1) {
    const row = start + token * dimensions;
    for (let index = 0; index < dimensions; index += 1) mean[index] = (mean[index] ?? 0) + (values[row + index] ?? 0);
  }
  let square = 0;
  for (const value of mean) square += value * value;
  const norm = Math.sqrt(square) || 1;
  return mean.map((value) => value / norm);
}
