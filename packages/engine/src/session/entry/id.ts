import type { EntryId } from './entry.ts';

/** Gives ids out, each larger than the one before. */
export type NextId = () => EntryId;

/**
 * A source of ids: UUID v7, so that they are unique across machines and sort by time as text. Within one source each id
 * is larger than the one before, also when the clock stops or goes back: the 12 bits after the time count up, and
 * when they run out the time is borrowed from the next millisecond (RFC 9562, 6.2, method 1).
 * By hand because `uuid` 14 lays the counter out differently: ids that imports derive from content would change, and a
 * session imported again would no longer be recognized.
 *
 * @example
 * const nextId = createIds();
 * nextId() < nextId(); // true
 */
export function createIds({
  now = Date.now,
  randomBytes = webRandom,
}: {
  readonly now?: () => number;
  readonly randomBytes?: (count: number) => Uint8Array;
} = {}): NextId {
  let time = -1;
  let counter = 0;
  return () => {
    const bytes = randomBytes(10);
    const clock = Math.max(0, Math.floor(now()));
    if (clock > time) {
      time = clock;
      // The top bit stays free, so that there is room to count up within the millisecond.
      counter = (((bytes[8] ?? 0) << 8) | (bytes[9] ?? 0)) & 0x7ff;
    } else if (counter < 0xfff) {
      counter += 1;
    } else {
      time += 1;
      counter = 0;
    }
    return write({ time, counter, bytes });
  };
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function write({
  time,
  counter,
  bytes,
}: {
  readonly time: number;
  readonly counter: number;
  readonly bytes: Uint8Array;
}): EntryId {
  const stamp = time.toString(16).padStart(12, '0');
  const tail = Array.from({ length: 8 }, (_, index) => {
    const byte = bytes[index] ?? 0;
    return hex[index === 0 ? (byte & 0x3f) | 0x80 : byte];
  }).join('');
  const count = counter.toString(16).padStart(3, '0');
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${count}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

function webRandom(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}
