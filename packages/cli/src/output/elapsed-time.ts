import { LonghaulError } from 'longhaul';
import { abortOnInterrupt } from '../io/abort-on-sigint.ts';
import type { Io } from '../io/io.ts';
import { createProgress } from './progress.ts';

/** Milliseconds between updates of the elapsed time. */
const pause = 200;

/**
 * Runs work of unknown duration and shows the elapsed time. Ctrl-C cancels it; the error then says what state things are
 * in.
 *
 * @example
 * await waiting({ io, text: 'choosing what to keep', calledOff: 'nothing was compacted', work: (signal) => session.compact({ model, signal }) });
 */
export async function showElapsedTime<Answer>({
  io,
  text,
  calledOff,
  work,
}: {
  readonly io: Pick<Io, 'stderr' | 'now' | 'sleep' | 'onInterrupt'>;
  readonly text: string;
  /** The state after cancellation, in a few words. */
  readonly calledOff: string;
  readonly work: (signal: AbortSignal) => Promise<Answer>;
}): Promise<Answer> {
  return await abortOnInterrupt({
    io,
    work: async (signal) => {
      const done = new AbortController();
      const ticking = showSeconds({ io, text: `${text},`, until: AbortSignal.any([signal, done.signal]) });
      try {
        return await work(signal);
      } catch (error) {
        throw signal.aborted ? interrupted({ calledOff, error }) : error;
      } finally {
        done.abort();
        await ticking;
      }
    },
  });
}

/** Shows a text with the elapsed seconds until the signal aborts, on a terminal only. */
export async function showSeconds({
  io,
  text,
  until,
}: {
  readonly io: Pick<Io, 'stderr' | 'now' | 'sleep'>;
  readonly text: string;
  readonly until: AbortSignal;
}): Promise<void> {
  if (!io.stderr.isTerminal) return;
  const progress = createProgress({ io });
  const start = io.now();
  while (!until.aborted) {
    await progress.show(`${text} ${Math.floor((io.now() - start) / 1000)} s`);
    await io.sleep({ ms: pause, signal: until });
  }
  await progress.clear();
}

function interrupted({ calledOff, error }: { readonly calledOff: string; readonly error: unknown }): LonghaulError {
  return new LonghaulError({
    code: 'interrupted',
    message: `Interrupted: ${calledOff}.`,
    hint: 'Run the command again.',
    cause: error,
  });
}
