import { timedOut, withTimeout } from '../../time.ts';
import type { HookFailure } from '../types.ts';
import { HookError } from './hook-error.ts';
import { type AnswerMembers, readAnswer } from './read-answer.ts';

/** Time limit of a hook that sets none. Milliseconds. */
export const defaultHookTimeout = 10_000;

/** One hook of a sequence. */
interface HookCall {
  readonly call: (signal: AbortSignal) => unknown;
  /** Milliseconds. */
  readonly timeout: number;
}

type AnswerFields = Readonly<Record<string, unknown>>;

/**
 * Runs the hooks of one event, in order; used for the hooks of the engine and of the agent. Never throws. A hook that throws,
 * times out or returns an invalid answer is reported and skipped. A member that `ends` the sequence stops it. Lists of several
 * answers are concatenated; of every other member the last answer wins. Once the signal is aborted no further hook runs, and
 * the running one has no answer; that is not a failure.
 *
 * @example
 * const answer = await runHookSequence({ hooks: [{ call: () => hook(event), timeout: 10_000 }], members, signal, listeners });
 */
export async function runHookSequence({
  hooks,
  members,
  signal,
  listeners,
}: {
  readonly hooks: readonly HookCall[];
  readonly members: AnswerMembers;
  readonly signal: AbortSignal | undefined;
  /** Each is called with every failure. Their own errors are ignored. */
  readonly listeners: readonly ((failure: Omit<HookFailure, 'hook'>) => void)[];
}): Promise<AnswerFields | undefined> {
  let merged: AnswerFields | undefined;
  for (const hook of hooks) {
    if (signal?.aborted) break;
    const started = performance.now();
    try {
      const answer = readAnswer({ members, value: await callInTime({ ...hook, signal }) });
      if (!answer) continue;
      const ends = Object.keys(answer).map((name) => members[name]?.ends);
      if (ends.includes('alone')) return answer;
      merged = mergeAnswers({ earlier: merged ?? {}, later: answer });
      if (ends.includes('merged')) return merged;
    } catch (error) {
      const failure = { ...describeFailure(error), ms: Math.round(performance.now() - started) };
      for (const listener of listeners) {
        try {
          listener(failure);
        } catch {
          // Errors of a listener must not affect the hooks.
        }
      }
    }
  }
  return merged;
}

/** The answer of a hook, if it arrives in time. An aborted call has no answer. */
async function callInTime({
  call,
  timeout,
  signal,
}: HookCall & { readonly signal: AbortSignal | undefined }): Promise<unknown> {
  try {
    const answer = await withTimeout({ work: async (end) => await call(end), timeout, signal, keepAlive: true });
    if (answer !== timedOut) return answer;
  } catch (error) {
    if (signal?.aborted) return undefined;
    throw error;
  }
  throw new HookError({ kind: 'late', why: `It took longer than ${timeout} ms and was skipped.` });
}

function mergeAnswers({
  earlier,
  later,
}: {
  readonly earlier: AnswerFields;
  readonly later: AnswerFields;
}): AnswerFields {
  const joined = Object.entries(later).map(([name, value]) => {
    const before = earlier[name];
    return [name, Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value];
  });
  return { ...earlier, ...Object.fromEntries(joined) };
}

function describeFailure(error: unknown): Omit<HookFailure, 'hook' | 'ms'> {
  if (error instanceof HookError) {
    return { kind: error.kind, why: error.message, ...(error.command !== undefined && { command: error.command }) };
  }
  return { kind: 'threw', why: error instanceof Error ? error.message : String(error) };
}
