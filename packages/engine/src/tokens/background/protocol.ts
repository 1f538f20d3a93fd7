import type { WorkerReply } from '../../worker-client.ts';
import type { Encoding } from '../encodings.ts';

/** What a worker is started with. */
export interface WorkerSetup {
  readonly encoding: Encoding;
  /** The number of a cancelled job is stored in its slot (see `placeOf`); the worker checks it between steps. */
  readonly cancelled: Int32Array;
}

/** A text comes in parts, since copying a large one at once would stall the sender. */
export interface CountPart {
  readonly id: number;
  readonly text: string;
  readonly last: boolean;
}

/** The count, or `undefined` when the job was cancelled. */
export type CountReply = WorkerReply<number | undefined, never>;

export const places = 1_024;

export function placeOf(job: number): number {
  return job % places;
}
