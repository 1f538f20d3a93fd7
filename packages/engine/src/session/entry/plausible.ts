/** Clocks differ; what is further ahead is not a time at which something happened. */
const aheadMs = 24 * 60 * 60 * 1000;

/**
 * Whether something can have happened at a time: a date from 1970 on that is not in the future.
 *
 * @example
 * isPlausible({ at: Date.UTC(9999, 0), now: Date.now() }); // false
 */
export function isPlausible({ at, now }: { readonly at: number; readonly now: number }): boolean {
  return Number.isFinite(at) && at >= 0 && at <= now + aheadMs;
}
