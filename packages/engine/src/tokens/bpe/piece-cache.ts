/** Remembers how many tokens a piece has that is no token itself: the same names and numbers come again and again. */
export interface PieceCache {
  /** The count, or 0 where it is not known. */
  get(bytes: Uint8Array, start: number, end: number, hash: number): number;
  set(bytes: Uint8Array, start: number, end: number, hash: number, count: number): void;
}

const slotCount = 2 ** 17;
const arenaBytes = 2 ** 21;
const longest = 255;
const probes = 4;

/**
 * Pieces are kept as bytes in one block and compared in full, so that a collision of hashes cannot make a wrong count.
 * When the block is full everything is forgotten: cheaper than keeping an order, and it bounds the memory to 3 MB.
 */
export function createPieceCache(): PieceCache {
  /** Two numbers a slot: hash, where the record begins in the arena (0 = free). */
  const slots = new Int32Array(slotCount * 2);
  /** Records: length, count, bytes. */
  const arena = new Uint8Array(arenaBytes);
  let used = 1;
  return { get, set };

  function get(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const length = end - start;
    for (let i = 0; i < probes; i++) {
      const slot = ((hash + i) & (slotCount - 1)) * 2;
      const record = slots[slot + 1] as number;
      if (record === 0) return 0;
      if (slots[slot] !== hash || arena[record] !== length) continue;
      let same = 0;
      while (same < length && arena[record + 2 + same] === bytes[start + same]) same++;
      if (same === length) return arena[record + 1] as number;
    }
    return 0;
  }

  function set(bytes: Uint8Array, start: number, end: number, hash: number, count: number): void {
    const length = end - start;
    if (length > longest) return;
    if (used + length + 2 > arenaBytes) {
      slots.fill(0);
      used = 1;
    }
    const slot = freeSlot(hash);
    slots[slot] = hash;
    slots[slot + 1] = used;
    arena[used] = length;
    arena[used + 1] = count;
    for (let i = 0; i < length; i++) arena[used + 2 + i] = bytes[start + i] as number;
    used += length + 2;
  }

  function freeSlot(hash: number): number {
    for (let i = 0; i < probes; i++) {
      const slot = ((hash + i) & (slotCount - 1)) * 2;
      if (slots[slot + 1] === 0) return slot;
    }
    return (hash & (slotCount - 1)) * 2;
  }
}
