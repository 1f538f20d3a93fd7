import { setTimeout } from 'node:timers/promises';
import type { LoopClock } from './effect-context.ts';

/** The time of this machine. */
export const usualClock: LoopClock = {
  now: Date.now,
  sleep: async (ms, signal) => void (await setTimeout(ms, undefined, signal ? { signal } : {})),
};
