import type { Io } from '../io/io.ts';
import type { Source } from './source.ts';

/** In milliseconds. */
const times = {
  /** How often a source is looked at where no change is reported. */
  look: 2000,
  /** What comes closer together than this is one change. */
  pause: 250,
};

/** A writer that never pauses must not keep what it wrote waiting for ever. */
const mostPauses = 20;

/** Waits for changes of a source. */
export interface Changes {
  /** `true` when it has changed since it was asked last and has come to rest; `false` when the time is over. */
  readonly next: (input: { readonly within: number }) => Promise<boolean>;
  readonly stop: () => void;
}

/**
 * Follows a source by what the system reports, and by looking from time to time: file systems in a network report little,
 * and a file may be replaced by another.
 *
 * @example
 * const changes = await followChanges({ io, source, signal });
 * while (await changes.next({ within: Number.POSITIVE_INFINITY })) importAgain();
 */
export async function followChanges({
  io,
  source,
  signal,
}: {
  readonly io: Pick<Io, 'files' | 'now' | 'sleep'>;
  readonly source: Source;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
}): Promise<Changes> {
  let stirred = new AbortController();
  let seen = await source.state();
  const stop = io.files.watch({ path: source.path ?? '', onChange: () => stirred.abort() });
  return {
    stop,
    async next({ within }) {
      const end = io.now() + within;
      while (!signal.aborted) {
        const state = await source.state();
        if (state !== undefined && state !== seen) {
          seen = await rest(state);
          return true;
        }
        const left = end - io.now();
        if (left <= 0) return false;
        await io.sleep({ ms: Math.min(times.look, left), signal: AbortSignal.any([signal, stirred.signal]) });
        stirred = new AbortController();
      }
      return false;
    },
  };

  /** The state that a burst of changes comes to rest in. */
  async function rest(first: string): Promise<string> {
    let state = first;
    for (let pauses = 0; pauses < mostPauses && !signal.aborted; pauses += 1) {
      await io.sleep({ ms: times.pause, signal });
      const next = (await source.state()) ?? state;
      if (next === state) break;
      state = next;
    }
    return state;
  }
}
