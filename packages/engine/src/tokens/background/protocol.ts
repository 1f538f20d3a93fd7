import type { Encoding } from '../encodings.ts';

/** What a worker is started with. */
export interface WorkerSetup {
  readonly encoding: Encoding;
  /** The number of a cancelled job is stored in its slot (see `placeOf`); the worker checks it between steps. */
  readonly cancelled: Int32Array;
}

/** A text comes in parts, since copying a large one at once would stall the sender. */
export interface Part {
  readonly job: number;
  readonly text: string;
  readonly last: boolean;
}

export interface Answer {
  readonly job: number;
  /** Absent when the job was cancelled. */
  readonly count?: number;
}

export const places = 1_024;

export function placeOf(job: number): number {
  return job % places;
}
