/** Headers of images of a given size, with nothing behind them. */
interface Size {
  readonly width: number;
  readonly height: number;
}

export function pngOf({ width, height }: Size): Uint8Array {
  const bytes = Buffer.alloc(33);
  bytes.write('\x89PNG\r\n\x1a\n', 0, 'latin1');
  bytes.writeUInt32BE(13, 8);
  bytes.write('IHDR', 12);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

export function gifOf({ width, height }: Size): Uint8Array {
  const bytes = Buffer.from('GIF89a....', 'latin1');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

export function jpegOf({
  width,
  height,
  frame,
  metadata = 40,
}: Size & { frame: number; metadata?: number }): Uint8Array {
  const parts = [Buffer.from([0xff, 0xd8])];
  for (let left = metadata; left > 0; left -= 60_000) {
    const segment = Buffer.alloc(2 + Math.min(left, 60_000));
    segment.writeUInt16BE(0xffe1, 0);
    segment.writeUInt16BE(segment.length - 2, 2);
    parts.push(segment);
  }
  // A table of Huffman codes, whose marker lies among those of frames, and a byte of filling.
  parts.push(Buffer.from([0xff, 0xc4, 0, 4, 1, 1, 0xff]));
  const header = Buffer.from([0xff, frame, 0, 17, 8, 0, 0, 0, 0, 3]);
  header.writeUInt16BE(height, 5);
  header.writeUInt16BE(width, 7);
  return Buffer.concat([...parts, header]);
}

export function webpOf({ width, height, chunk }: Size & { chunk: 'VP8 ' | 'VP8L' | 'VP8X' }): Uint8Array {
  const bytes = Buffer.alloc(40);
  bytes.write('RIFF....WEBP', 0, 'latin1');
  bytes.write(chunk, 12);
  if (chunk === 'VP8 ') {
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height | 0x4000, 28);
  } else if (chunk === 'VP8L') {
    bytes[20] = 0x2f;
    bytes.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21);
  } else {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  }
  return bytes;
}
