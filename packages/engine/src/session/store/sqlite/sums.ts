import { crc32 } from 'node:zlib';
import type { Head } from '../store.ts';

/**
 * SQLite does not notice a flipped bit in a value. These sums do: what is read is what was written, or an error.
 */
export function rowSum(row: {
  readonly handle: number;
  readonly nth: number;
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly blobs: string | null;
}): number {
  // In a damaged file any column may hold anything.
  return crc32(String(row.body), crc32(`${row.handle}\n${row.nth}\n${row.id}\n${row.type}\n${row.blobs ?? ''}`));
}

export function headerSum(header: string): number {
  return crc32(header);
}

/** The single row with the head of the session. */
export interface HeadRow {
  readonly last: number;
  readonly count: number;
  readonly leaf: string | null;
  readonly epoch: string | null;
  /** The newest node, whether or not it is the leaf. */
  readonly tip: string | null;
  /** The epoch of the newest entry. */
  readonly span: string | null;
  readonly messages: number;
  readonly updated: number;
  readonly title: string | null;
  readonly name: string | null;
  readonly sum: number;
}

export function headSum(head: HeadRow): number {
  const { last, count, leaf, epoch, tip, span, messages, updated, title, name } = head;
  return crc32(JSON.stringify([last, count, leaf, epoch, tip, span, messages, updated, title, name]));
}

export function headOf({ last, count, leaf, epoch }: HeadRow): Head {
  return { last, count, leaf, epoch };
}
