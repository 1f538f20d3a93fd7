import type { LonghaulError } from 'longhaul';
import { asLonghaulError } from '../errors/family.ts';
import { errorText } from '../errors/render.ts';
import type { Invocation } from '../invocation.ts';
import { abortOnInterrupt } from '../io/abort-on-sigint.ts';
import type { Io } from '../io/io.ts';
import { count } from '../text/count.ts';
import { when } from '../text/when.ts';
import type { Importer } from './importer.ts';
import { type ImportReport, reportText, sizeText } from './report.ts';
import type { ImportSource } from './source.ts';

/** Milliseconds to wait for an unfinished answer. */
const unfinishedTimeout = 5000;

/**
 * Imports a source, and again whenever it changes, until Ctrl-C. An unfinished answer is imported when it is complete, or
 * when nothing more arrives for a while.
 *
 * @example
 * return await watch({ invocation, importer, source });
 */
export async function watch({
  invocation: { io, json, paint },
  importer,
  source,
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json' | 'paint'>;
  readonly importer: Importer;
  readonly source: ImportSource;
}): Promise<number> {
  return await abortOnInterrupt({
    io,
    work: async (signal) => {
      const changes = await followChanges({ io, source, signal });
      try {
        // A failure at the first import means that the wrong file was named.
        const { report, hasLeft } = await importer.bringIn({ source, signal, leaveUnfinished: true });
        await tell(report, () => reportText({ name: source.name, report, paint: paint('stdout') }));
        let isWaiting = hasLeft;
        while (!signal.aborted) {
          const isChanged = await changes.next({ within: isWaiting ? unfinishedTimeout : Number.POSITIVE_INFINITY });
          if (!signal.aborted) isWaiting = await again({ signal, leaveUnfinished: isChanged });
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        changes.stop();
      }
      return 0;
    },
  });

  /** Whether an unfinished answer is left. */
  async function again(how: { readonly signal: AbortSignal; readonly leaveUnfinished: boolean }): Promise<boolean> {
    try {
      const { report, hasLeft } = await importer.bringIn({ source, ...how });
      if (report.added > 0) await tell(report, () => changeText({ at: io.now(), report }));
      return hasLeft;
    } catch (thrown) {
      const error = asLonghaulError(thrown);
      if (how.signal.aborted || error.code === 'internal') throw thrown;
      // A file that is being replaced may be missing for a moment.
      await complain(error);
      return false;
    }
  }

  async function tell(report: ImportReport, text: () => string): Promise<void> {
    const line = { at: new Date(io.now()).toISOString(), ...report };
    await io.stdout.write(json ? `${JSON.stringify(line)}\n` : text());
  }

  async function complain(error: LonghaulError): Promise<void> {
    if (json) await io.stdout.write(`${JSON.stringify({ error: error.toJSON() })}\n`);
    else await io.stderr.write(errorText({ error, paint: paint('stderr') }));
  }
}

function changeText({ at, report }: { readonly at: number; readonly report: ImportReport }): string {
  return `${when(at)}  ${count({ amount: report.added, of: 'new entry' })}: now ${sizeText(report)}\n`;
}

/** In milliseconds. */
const times = {
  /** Poll interval if no change is reported. */
  look: 2000,
  /** Changes closer together than this are one. */
  pause: 250,
};

/** Limit for a writer that never pauses. */
const mostPauses = 20;

/** Waits for changes of a source. */
interface Changes {
  /** `true` when it has changed since the last call and has settled; `false` after the timeout. */
  readonly next: (input: { readonly within: number }) => Promise<boolean>;
  readonly stop: () => void;
}

/**
 * Follows a source by file system events and by polling: network file systems report few events, and a file may be
 * replaced by another.
 *
 * @example
 * const changes = await followChanges({ io, source, signal });
 * while (await changes.next({ within: Number.POSITIVE_INFINITY })) importAgain();
 */
async function followChanges({
  io,
  source,
  signal,
}: {
  readonly io: Pick<Io, 'files' | 'now' | 'sleep'>;
  readonly source: ImportSource;
  /** Stops all waiting. */
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

  /** The state after a burst of changes has settled. */
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
