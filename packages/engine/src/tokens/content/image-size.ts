export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The pixels of a PNG, GIF, JPEG or WebP image by its header; `undefined` where it is none of them or damaged.
 * By hand because `image-size` 2.0.4 is quadratic in JPEG segments (3 s for 200 kB) and reports images without extent.
 *
 * @example
 * imageSize(await readFile('photo.jpg')); // { width: 4032, height: 3024 }
 */
export function imageSize(bytes: Uint8Array): Size | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = png(view) ?? gif(view) ?? jpeg(view) ?? webp(view);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    // Reading past the end: the header is cut off.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function ascii(view: DataView, at: number, length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += String.fromCharCode(view.getUint8(at + i));
  return text;
}

function png(view: DataView): Size | undefined {
  if (view.byteLength < 24 || view.getUint32(0) !== 0x8950_4e47 || ascii(view, 12, 4) !== 'IHDR') return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

function gif(view: DataView): Size | undefined {
  if (view.byteLength < 10 || !/^GIF8[79]a$/.test(ascii(view, 0, 6))) return undefined;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

/** Walks the segments to the frame header, whichever kind it is: SOF2 and others are progressive, SOF9 and up arithmetic. */
function jpeg(view: DataView): Size | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    const standsAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    if (standsAlone) {
      at += 2;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    if (marker === 0xda || marker === 0xd9) return undefined;
    at += 2 + view.getUint16(at + 2);
  }
}

function webp(view: DataView): Size | undefined {
  if (view.byteLength < 30 || ascii(view, 0, 4) !== 'RIFF' || ascii(view, 8, 4) !== 'WEBP') return undefined;
  const chunk = ascii(view, 12, 4);
  if (chunk === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (chunk === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (chunk !== 'VP8X') return undefined;
  const uint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  return { width: uint24(24) + 1, height: uint24(27) + 1 };
}
