/** A vocabulary in flat arrays: no object a token, nothing for the garbage collector to walk. */
export interface Vocabulary {
  readonly size: number;
  /** The bytes of all tokens, one after the other. */
  readonly bytes: Uint8Array;
  /** Where token `id` begins in `bytes`; it ends where the next begins. */
  readonly starts: Uint32Array;
  /** The two tokens that merge into `id`; of no meaning for single bytes. */
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** The token of each single byte. */
  readonly byteIds: Int32Array;
  /** The token of each pair of bytes (first * 256 + second), or `none`. */
  readonly bytePairs: Int32Array;
  /** Open addressing, two numbers a slot: hash of the token's bytes, id + 1 (0 = free). */
  readonly slots: Int32Array;
  readonly slotMask: number;
  /** Open addressing, one number a slot: id + 1 of the token made by a pair of tokens (0 = free). */
  readonly pairs: Int32Array;
  readonly pairMask: number;
}

/** Larger than any rank, and still a small integer to the engine. */
export const none = 0x3fff_ffff;

const prime = 0x0100_0193;
const basis = 0x811c_9dc5 | 0;

/** FNV-1a, folded so that the low bits depend on all. */
export function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = basis;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), prime);
  return hash ^ (hash >>> 15);
}

function hashOfPair(left: number, right: number): number {
  const hash = Math.imul(left, 0x9e37_79b1) ^ Math.imul(right, 0x85eb_ca6b);
  return hash ^ (hash >>> 15);
}

/** Reads a file made by `scripts/make-tables.ts`. */
export function readVocabulary(file: Uint8Array): Vocabulary {
  const size = read(0) + ((file[3] as number) << 24);
  const left = new Int32Array(size);
  const right = new Int32Array(size);
  const starts = new Uint32Array(size + 1);
  for (let id = 0; id < size; id++) starts[id + 1] = (starts[id] as number) + lengthOf(id);
  const bytes = spell();
  const slotMask = 2 ** Math.ceil(Math.log2(size * 2)) - 1;
  const slots = new Int32Array((slotMask + 1) * 2);
  const pairs = new Int32Array(slotMask + 1);
  const byteIds = new Int32Array(256);
  const bytePairs = new Int32Array(65536).fill(none);
  for (let id = 0; id < size; id++) place(id);
  return { size, bytes, starts, left, right, byteIds, bytePairs, slots, slotMask, pairs, pairMask: slotMask };

  function read(at: number): number {
    return (file[at] as number) + ((file[at + 1] as number) << 8) + ((file[at + 2] as number) << 16);
  }

  function lengthOf(id: number): number {
    if (id < 256) return 1;
    const at = 260 + (id - 256) * 6;
    const l = read(at);
    const r = read(at + 3);
    left[id] = l;
    right[id] = r;
    return (starts[l + 1] as number) - (starts[l] as number) + (starts[r + 1] as number) - (starts[r] as number);
  }

  function spell(): Uint8Array {
    const spelled = new Uint8Array(starts[size] as number);
    for (let id = 0; id < size; id++) {
      const to = starts[id] as number;
      if (id < 256) spelled[to] = file[4 + id] as number;
      else copy(spelled, right[id] as number, copy(spelled, left[id] as number, to));
    }
    return spelled;
  }

  function copy(spelled: Uint8Array, id: number, at: number): number {
    let to = at;
    const end = starts[id + 1] as number;
    for (let from = starts[id] as number; from < end; from++) spelled[to++] = spelled[from] as number;
    return to;
  }

  function place(id: number): void {
    const start = starts[id] as number;
    const end = starts[id + 1] as number;
    const hash = hashOf(bytes, start, end);
    let slot = hash & slotMask;
    while (slots[slot * 2 + 1] !== 0) slot = (slot + 1) & slotMask;
    slots[slot * 2] = hash;
    slots[slot * 2 + 1] = id + 1;
    if (id < 256) {
      byteIds[bytes[start] as number] = id;
      return;
    }
    if (end - start === 2) bytePairs[((bytes[start] as number) << 8) | (bytes[start + 1] as number)] = id;
    let pair = hashOfPair(left[id] as number, right[id] as number) & slotMask;
    while (pairs[pair] !== 0) pair = (pair + 1) & slotMask;
    pairs[pair] = id + 1;
  }
}

/** Begins a packed vocabulary: a magic number and the version of the layout, in the byte order of the machine. */
const packedHeader = [0x4c48_5650, 1] as const;

/** The arrays of a packed vocabulary, in order; their lengths follow from the header. */
function layoutOf({ size, slotMask }: { readonly size: number; readonly slotMask: number }) {
  return { starts: size + 1, left: size, right: size, byteIds: 256, bytePairs: 65_536, slots: (slotMask + 1) * 2 };
}

/**
 * A vocabulary with all its tables as one file. It is much larger than the file of `make-tables.ts`, but needs no work to
 * read: starting is faster.
 *
 * @example
 * await writeFile('o200k_base.packed', packVocabulary(readVocabulary(await readFile('o200k_base.bin'))));
 */
export function packVocabulary(vocabulary: Vocabulary): Uint8Array {
  const { size, bytes, starts, left, right, byteIds, bytePairs, slots, slotMask, pairs } = vocabulary;
  const numbers = [starts, left, right, byteIds, bytePairs, slots, pairs];
  const header = Int32Array.from([...packedHeader, size, slotMask, bytes.length]);
  return Buffer.concat(
    [header, ...numbers]
      .map((array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength))
      .concat(Buffer.from(bytes)),
  );
}

/** Reads a file made by `packVocabulary`; `undefined` if it has another layout or byte order. */
export function unpackVocabulary(file: Uint8Array): Vocabulary | undefined {
  const aligned = file.byteOffset % 4 === 0 ? file : new Uint8Array(file);
  const { buffer, byteOffset, byteLength } = aligned;
  if (byteLength < 20) return undefined;
  const [magic, version, size = 0, slotMask = 0, length = 0] = new Int32Array(buffer, byteOffset, 5);
  if (magic !== packedHeader[0] || version !== packedHeader[1]) return undefined;
  const layout = layoutOf({ size, slotMask });
  const counts = [...Object.values(layout), slotMask + 1];
  const total = counts.reduce((sum, count) => sum + count * 4, 20) + length;
  if (byteLength !== total) return undefined;
  let at = byteOffset + 20;
  const next = (count: number): number => {
    const start = at;
    at += count * 4;
    return start;
  };
  return {
    size,
    starts: new Uint32Array(buffer, next(layout.starts), layout.starts),
    left: new Int32Array(buffer, next(layout.left), layout.left),
    right: new Int32Array(buffer, next(layout.right), layout.right),
    byteIds: new Int32Array(buffer, next(layout.byteIds), layout.byteIds),
    bytePairs: new Int32Array(buffer, next(layout.bytePairs), layout.bytePairs),
    slots: new Int32Array(buffer, next(layout.slots), layout.slots),
    slotMask,
    pairs: new Int32Array(buffer, next(slotMask + 1), slotMask + 1),
    pairMask: slotMask,
    bytes: new Uint8Array(buffer, at, length),
  };
}

/** The token that is spelled by these bytes, whose hash is given, or `none`. */
export function findToken(vocabulary: Vocabulary, text: Uint8Array, start: number, end: number, hash: number): number {
  const { slots, slotMask, starts, bytes } = vocabulary;
  for (let slot = hash & slotMask; ; slot = (slot + 1) & slotMask) {
    const id = (slots[slot * 2 + 1] as number) - 1;
    if (id < 0) return none;
    if (slots[slot * 2] !== hash) continue;
    const from = starts[id] as number;
    if ((starts[id + 1] as number) - from !== end - start) continue;
    let i = start;
    while (i < end && text[i] === bytes[from + i - start]) i++;
    if (i === end) return id;
  }
}

/** The token that two adjacent tokens merge into, or `none`. Its rank is its id. */
export function findPair(vocabulary: Vocabulary, left: number, right: number): number {
  const { pairs, pairMask } = vocabulary;
  for (let slot = hashOfPair(left, right) & pairMask; ; slot = (slot + 1) & pairMask) {
    const id = (pairs[slot] as number) - 1;
    if (id < 0) return none;
    if (vocabulary.left[id] === left && vocabulary.right[id] === right) return id;
  }
}
