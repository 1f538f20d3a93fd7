import type { Settled } from './effect-context.ts';
import { readTestRun } from './test-runs/test-run.ts';

/** Notes a command and, where it judged the code, what it found. */
export function noteCommand({ desk, call, outcome, text, handle }: Settled): void {
  const { isRun = false, isLook = false, isPiped = false } = call.shell ?? {};
  const { exit } = outcome;
  // To a search, exit code 1 means that there is nothing.
  const isQuiet = isLook && (outcome.state === 'ok' || outcome.exit === 1);
  // Agents look around a lot: hundreds of searches would push out what was done.
  if (desk.commands.at(-1)?.isLook) desk.commands.pop();
  desk.commands.push({
    command: call.brief,
    state: outcome.isUnproven ? 'unknown' : outcome.state,
    ...(exit !== undefined && { exit }),
    ...(isQuiet && { isLook: true as const }),
    handle,
  });
  const run = isRun && readTestRun({ text, outcome, isPiped, command: call.brief, handle });
  if (!run) return;
  desk.tests.delete(run.command);
  desk.tests.set(run.command, run);
}
