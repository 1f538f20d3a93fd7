import type { IndexStore } from './index-store.ts';

/** A chunk near a vector. */
interface VectorHit {
  readonly id: number;
  /** Cosine of the angle, at most 1. */
  readonly similarity: number;
}

/** A normalized vector in one byte per dimension: a quarter of the space at an error far below what ranks differ by. */
export function quantized(vector: Float32Array): { readonly scale: number; readonly vector: Int8Array } {
  let most = 0;
  for (const value of vector) most = Math.max(most, Math.abs(value));
  const scale = most === 0 ? 1 : most / 127;
  return { scale, vector: Int8Array.from(vector, (value) => Math.round(value / scale)) };
}

/** The chunks nearest to a vector, by looking at all of them. */
export function nearestChunks(of: {
  readonly store: IndexStore;
  readonly model: string;
  readonly vector: Float32Array;
  readonly limit: number;
}): VectorHit[] {
  const { store, model, vector, limit } = of;
  const hits: VectorHit[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (const row of store.vectors(model)) {
    const similarity = dot({ bytes: row.vector, vector }) * row.scale;
    if (similarity <= least && hits.length >= limit) continue;
    hits.push({ id: row.chunk, similarity });
    if (hits.length < 2 * limit) continue;
    hits.sort(bySimilarity);
    hits.length = limit;
    least = hits.at(-1)?.similarity ?? least;
  }
  return hits.sort(bySimilarity).slice(0, limit);
}

function bySimilarity(a: VectorHit, b: VectorHit): number {
  return b.similarity - a.similarity || a.id - b.id;
}

function dot({ bytes, vector }: { readonly bytes: Uint8Array; readonly vector: Float32Array }): number {
  const signed = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let sum = 0;
  for (let index = 0; index < vector.length; index += 1) sum += (signed[index] ?? 0) * (vector[index] ?? 0);
  return sum;
}
