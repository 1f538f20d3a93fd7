import { type EngineEvent, type EngineSession, eventLine } from 'longhaul/engine';
import type { Invocation } from '../invocation.ts';
import { printable } from '../text/printable.ts';

/**
 * Collects hook failures from now on. The returned function prints them on standard error.
 *
 * @example
 * const printFailures = hookFailuresOf({ invocation, session });
 */
export function hookFailuresOf({
  invocation: { io, json, paint },
  session,
}: {
  readonly invocation: Pick<Invocation, 'io' | 'json' | 'paint'>;
  readonly session: EngineSession;
}): () => Promise<void> {
  const failures: EngineEvent<'hookFailed'>[] = [];
  session.on('hookFailed', (event) => void failures.push(event));
  return async () => {
    if (json) return;
    const { faint } = paint('stderr');
    for (const failure of failures) await io.stderr.write(`${faint(printable(eventLine(failure)))}\n`);
  };
}
