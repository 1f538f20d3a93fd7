import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** What is left after a collection of garbage: how much of the heap is in use. */
export interface HeapUse {
  readonly used: number;
  readonly limit: number;
}

/** Below so much of the share it is over, and the next time counts again. */
const relief = 0.9;

/**
 * Calls when memory runs short: when a full collection of garbage leaves more than `share` of the heap in use. Once, until
 * it was better in between. Returns what ends it. Nothing is watched unless somebody asks for it. A listener that throws
 * or rejects hurts nobody.
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
    // What becomes of it is the listener's trouble: nobody here could do anything, and the work goes on.
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
