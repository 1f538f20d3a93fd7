import type { LonghaulError } from 'longhaul';
import { asLonghaulError } from '../errors/family.ts';
import { errorText } from '../errors/render.ts';
import type { Invocation } from '../invocation.ts';
import { callableOff } from '../io/abort-on-sigint.ts';
import type { Io } from '../io/io.ts';
import { count } from '../text/count.ts';
import { when } from '../text/when.ts';
import type { Importer } from './importer.ts';
import { type Report, reportText, sizeText } from './report.ts';
import type { Source } from './source.ts';

/** So many milliseconds an answer that is still being written is waited for. */
const patience = 5000;

/**
 * Imports a source, and again whenever it has changed, until Ctrl-C. An answer that is still being written is taken when
 * it is done, or when nothing more has come for a while.
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
  readonly source: Source;
}): Promise<number> {
  return await callableOff({
    io,
    work: async (signal) => {
      const changes = await followChanges({ io, source, signal });
      try {
        // What cannot be imported at first is another file than was meant.
        const { report, hasLeft } = await importer.bringIn({ source, signal, leaveUnfinished: true });
        await tell(report, () => reportText({ name: source.name, report, paint: paint('stdout') }));
        let isWaiting = hasLeft;
        while (!signal.aborted) {
          const isChanged = await changes.next({ within: isWaiting ? patience : Number.POSITIVE_INFINITY });
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

  /** Whether an answer is left that is still being written. */
  async function again(how: { readonly signal: AbortSignal; readonly leaveUnfinished: boolean }): Promise<boolean> {
    try {
      const { report, hasLeft } = await importer.bringIn({ source, ...how });
      if (report.added > 0) await tell(report, () => changeText({ at: io.now(), report }));
      return hasLeft;
    } catch (thrown) {
      const error = asLonghaulError(thrown);
      if (how.signal.aborted || error.code === 'internal') throw thrown;
      // A file in the middle of being replaced is none for a moment.
      await complain(error);
      return false;
    }
  }

  async function tell(report: Report, text: () => string): Promise<void> {
    const line = { at: new Date(io.now()).toISOString(), ...report };
    await io.stdout.write(json ? `${JSON.stringify(line)}\n` : text());
  }

  async function complain(error: LonghaulError): Promise<void> {
    if (json) await io.stdout.write(`${JSON.stringify({ error: error.toJSON() })}\n`);
    else await io.stderr.write(errorText({ error, paint: paint('stderr') }));
  }
}

function changeText({ at, report }: { readonly at: number; readonly report: Report }): string {
  return `${when(at)}  ${count({ amount: report.added, of: 'new entry' })}: now ${sizeText(report)}\n`;
}

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
interface Changes {
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
async function followChanges({
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
