import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** Heap usage after a garbage collection. */
export interface HeapUse {
  readonly used: number;
  readonly limit: number;
}

/** Below this part of the share the pressure is over, and the next time is reported again. */
const relief = 0.9;

/**
 * Calls `onPressure` when a full garbage collection leaves more than `share` of the heap in use, once until usage has
 * dropped again. Returns a function that stops watching. Errors of the listener are ignored.
 *
 * @example
 * const stop = watchMemory({ onPressure: () => session.compact({ model, trigger: 'memory' }) });
 */
export function watchMemory({
  onPressure,
  share = 0.85,
  observe = afterCollections,
}: {
  readonly onPressure: (use: HeapUse) => unknown;
  readonly share?: number;
  /** Tells of every full collection; by default those of this process. */
  readonly observe?: (listener: (use: HeapUse) => void) => () => void;
}): () => void {
  let isShort = false;
  return observe((use) => {
    const ratio = use.used / use.limit;
    if (ratio < share * relief) isShort = false;
    if (ratio < share || isShort) return;
    isShort = true;
    // Errors of the listener must not affect the session.
    void (async () => onPressure(use))().catch(() => undefined);
  });
}

function afterCollections(listener: (use: HeapUse) => void): () => void {
  const observer = new PerformanceObserver((list) => {
    const isFull = list.getEntries().some((entry) => 'detail' in entry && isMajor(entry.detail));
    if (!isFull) return;
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    listener({ used, limit });
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}

function isMajor(detail: unknown): boolean {
  const kind = typeof detail === 'object' && detail !== null && 'kind' in detail ? detail.kind : undefined;
  return kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
