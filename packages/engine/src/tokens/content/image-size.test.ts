import { describe, expect, test } from 'vitest';
import { gifOf, jpegOf, pngOf, webpOf } from '../fixtures/images.ts';
import { imageSize } from './image-size.ts';

const size = { width: 1000, height: 700 };

describe('imageSize', () => {
  test.each([
    ['PNG', pngOf(size)],
    ['GIF', gifOf(size)],
    ['baseline JPEG', jpegOf({ ...size, frame: 0xc0 })],
    ['progressive JPEG', jpegOf({ ...size, frame: 0xc2 })],
    ['lossless JPEG', jpegOf({ ...size, frame: 0xc3 })],
    ['arithmetic progressive JPEG', jpegOf({ ...size, frame: 0xca })],
    ['JPEG with much metadata', jpegOf({ ...size, frame: 0xc2, metadata: 200_000 })],
    ['lossy WebP', webpOf({ ...size, chunk: 'VP8 ' })],
    ['lossless WebP', webpOf({ ...size, chunk: 'VP8L' })],
    ['extended WebP', webpOf({ ...size, chunk: 'VP8X' })],
  ])('reads the header of %s', (_, bytes) => {
    expect(imageSize(bytes)).toEqual(size);
  });

  test('reads bytes that begin inside a larger buffer', () => {
    const padded = new Uint8Array([1, 2, 3, ...pngOf(size)]);
    expect(imageSize(padded.subarray(3))).toEqual(size);
  });

  test('does not know what is no image, empty, cut off or without extent', () => {
    expect(imageSize(new Uint8Array())).toBeUndefined();
    expect(imageSize(new TextEncoder().encode('%PDF-1.7 and more text than any header has'))).toBeUndefined();
    expect(imageSize(pngOf({ width: 0, height: 5 }))).toBeUndefined();
    for (const bytes of [
      pngOf(size),
      gifOf(size),
      jpegOf({ ...size, frame: 0xc0 }),
      webpOf({ ...size, chunk: 'VP8X' }),
    ]) {
      for (let length = 0; length < 9; length++) expect(imageSize(bytes.subarray(0, length))).toBeUndefined();
    }
  });
});
