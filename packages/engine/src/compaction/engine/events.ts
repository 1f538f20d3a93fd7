import type { EntryId } from '../../session/index.ts';
import type { Snapshot } from '../../tokens/index.ts';
import type { CompactionResult } from './result.ts';

/** What an engine tells while it works. */
export interface EngineEvents {
  readonly compactionStart: { readonly trigger: string; readonly tokens: number };
  readonly compactionComplete: CompactionResult & { readonly trigger: string };
  readonly prune: { readonly entries: readonly EntryId[]; readonly tokensFreed: number };
  readonly guard: { readonly dropped: number; readonly reduced: number; readonly tokensAfter: number };
  readonly epoch: { readonly epoch: EntryId; readonly reason: string };
  readonly usage: Snapshot;
  readonly limit: { readonly window: number };
}

export type Listener<Name extends keyof EngineEvents> = (event: EngineEvents[Name]) => void;

/** Tells listeners. One that throws hurts nobody. */
export function createEmitter(): {
  readonly on: <Name extends keyof EngineEvents>(name: Name, listener: Listener<Name>) => () => void;
  readonly emit: <Name extends keyof EngineEvents>(name: Name, event: EngineEvents[Name]) => void;
} {
  const listeners = new Map<keyof EngineEvents, Set<(event: never) => void>>();
  return {
    on(name, listener) {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener));
      return () => void set.delete(listener);
    },
    emit(name, event) {
      for (const listener of listeners.get(name) ?? []) {
        try {
          listener(event as never);
        } catch {
          // Whoever watches must not stop the work.
        }
      }
    },
  };
}
