import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { listFile, listFiles } from './files.ts';
import { IndexStore } from './index-store.ts';
import { bringUpToDate, type IndexReport, refreshPaths } from './indexer.ts';
import { type LexicalAnswer, lexicalSearch, type ScoredChunk } from './rank.ts';
import { readText } from './regular.ts';

/** Where an index is and what it is of. */
export interface IndexPlace {
  readonly root: string;
  readonly file: string;
  /** Paths from the root that are never indexed, as anchored globs of `.gitignore`. */
  readonly deny?: readonly string[];
}

export interface IndexedRange {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** A chunk with its text as it is in the file now. */
export interface ChunkText {
  readonly id: number;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
}

/** What the worker of an index does. The same functions run in the caller's thread where no worker can be started. */
export function indexMethods() {
  const stores = new Map<string, IndexStore>();
  const open = ({ file }: IndexPlace): IndexStore => {
    const known = stores.get(file);
    if (known) return known;
    mkdirSync(dirname(file), { recursive: true });
    const store = openOrRebuild(file);
    stores.set(file, store);
    return store;
  };
  return {
    /** Brings the index up to date with the files. */
    async refresh(
      { place }: { readonly place: IndexPlace },
      { report }: { readonly report: (value: unknown) => void },
    ): Promise<IndexReport> {
      const run = bringUpToDate({ ...place, store: open(place) });
      for (;;) {
        const step = await run.next();
        if (step.done) return step.value;
        report(step.value);
      }
    },
    /** The folders that were found, to be watched. */
    refreshPaths({ place, paths }: { readonly place: IndexPlace; readonly paths: readonly string[] }): {
      readonly folders: string[];
    } {
      return refreshPaths({ ...place, store: open(place), paths });
    },
    folders({ place }: { readonly place: IndexPlace }): string[] {
      return listFiles(place).folders;
    },
    /** Which of these paths a listing of the workspace would have. */
    listed({ place, paths }: { readonly place: IndexPlace; readonly paths: readonly string[] }): string[] {
      return paths.filter((path) => listFile({ ...place, path }) !== undefined);
    },
    lexical(of: { readonly place: IndexPlace; readonly query: string; readonly now: number }): LexicalAnswer {
      return lexicalSearch({ store: open(of.place), query: of.query, now: of.now });
    },
    counts({ place }: { readonly place: IndexPlace }): {
      readonly files: number;
      readonly chunks: number;
      readonly characters: number;
    } {
      return open(place).counts();
    },
    /** The texts of chunks; one whose file changed since or is gone is left out. */
    texts({ place, ids }: { readonly place: IndexPlace; readonly ids: readonly number[] }): ChunkText[] {
      const texts = new Map<string, readonly string[] | undefined>();
      return open(place)
        .chunks(ids)
        .flatMap(({ id, path, start, end }) => {
          if (!texts.has(path)) texts.set(path, readText({ root: place.root, path })?.split('\n'));
          const lines = texts.get(path);
          return lines
            ? [{ id, path, startLine: start, endLine: end, text: lines.slice(start - 1, end).join('\n') }]
            : [];
        });
    },
    withoutVectors({
      place,
      model,
      limit,
    }: {
      readonly place: IndexPlace;
      readonly model: string;
      readonly limit: number;
    }): number[] {
      return open(place).withoutVectors({ model, limit });
    },
    addVectors(of: {
      readonly place: IndexPlace;
      readonly model: string;
      readonly vectors: readonly { readonly id: number; readonly vector: Float32Array }[];
    }): void {
      const store = open(of.place);
      store.transaction(() => {
        for (const { id, vector } of of.vectors) store.addVector({ id, model: of.model, ...quantized(vector) });
      });
    },
    nearest(of: {
      readonly place: IndexPlace;
      readonly model: string;
      readonly vector: Float32Array;
      readonly limit: number;
    }): ScoredChunk[] {
      const store = open(of.place);
      const hits = nearestChunks({ ...of, store });
      const scores = new Map(hits.map(({ id, similarity }) => [id, similarity]));
      return store.chunks(hits.map(({ id }) => id)).map((chunk) => ({ ...chunk, score: scores.get(chunk.id) ?? 0 }));
    },
    /** The lines of places, as they are now; empty where a file is gone. */
    lines(of: { readonly place: IndexPlace; readonly ranges: readonly IndexedRange[] }): string[] {
      return of.ranges.map(({ path, startLine, endLine }) => {
        const text = listFile({ ...of.place, path }) ? readText({ root: of.place.root, path }) : undefined;
        return (text ?? '')
          .split('\n')
          .slice(startLine - 1, endLine)
          .join('\n');
      });
    },
    /** Every indexed file from its first to its last line. */
    wholeFiles({ place }: { readonly place: IndexPlace }): IndexedRange[] {
      return open(place).wholeFiles();
    },
    withVectors({
      place,
      model,
      ids,
    }: {
      readonly place: IndexPlace;
      readonly model: string;
      readonly ids: readonly number[];
    }): number[] {
      return open(place).withVectors({ model, ids });
    },
    close({ place }: { readonly place: IndexPlace }): void {
      stores.get(place.file)?.close();
      stores.delete(place.file);
    },
  };
}

export type IndexMethods = ReturnType<typeof indexMethods>;

/** An index that cannot be read is made anew: it holds nothing that is not in the files. */
function openOrRebuild(file: string): IndexStore {
  try {
    return new IndexStore(file);
  } catch (error) {
    const isDamaged = error instanceof Error && /not a database|malformed|corrupt/i.test(error.message);
    if (!isDamaged) throw error;
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
    return new IndexStore(file);
  }
}

/** A chunk near a vector. */
interface VectorHit {
  readonly id: number;
  /** Cosine of the angle, at most 1. */
  readonly similarity: number;
}

/** A normalized vector in one byte per dimension: a quarter of the space at an error far below what ranks differ by. */
function quantized(vector: Float32Array): { readonly scale: number; readonly vector: Int8Array } {
  let most = 0;
  for (const value of vector) most = Math.max(most, Math.abs(value));
  const scale = most === 0 ? 1 : most / 127;
  return { scale, vector: Int8Array.from(vector, (value) => Math.round(value / scale)) };
}

/** The chunks nearest to a vector, by looking at all of them. */
function nearestChunks(of: {
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
