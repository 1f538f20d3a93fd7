import type { HookFailure, HookName } from '../types.ts';
import { HookError, inTime } from './hook-error.ts';
import type { HookEvent, Hooks } from './hooks.ts';
import { type HookAnswers, readAnswer } from './read-answer.ts';

/** A hook that takes longer is not waited for. Milliseconds. */
const usualPatience = 10_000;

/**
 * Combines several hooks. They run in order; a cancel ends the sequence. Of single-valued answers (a replacement, a focus,
 * instructions) the last one wins; pins and context are concatenated. A hook that throws, times out or returns something
 * invalid is reported to `onFailure` and skipped.
 *
 * @example
 * const hooks = combineHooks({ hooks: [mine, createShellHooks({ commands })], onFailure: ({ why }) => console.error(why) });
 */
export function combineHooks({
  hooks,
  patience = usualPatience,
  onFailure,
}: {
  readonly hooks: readonly Hooks[];
  /** Milliseconds for each; a member of the list may bring its own. */
  readonly patience?: number;
  readonly onFailure?: (failure: HookFailure) => void;
}): Hooks {
  return {
    // Each is given its own time.
    patience: Number.POSITIVE_INFINITY,
    ...one('beforeCompaction'),
    ...one('compacting'),
    ...one('afterCompaction'),
    ...one('beforeMove'),
    ...one('afterMove'),
  };

  function one<Name extends HookName>(hook: Name): Pick<Hooks, Name> | undefined {
    const asked = hooks.filter((each) => each[hook] !== undefined);
    if (asked.length === 0) return undefined;
    const all = async (event: HookEvent) => {
      let answer: HookAnswers[Name] | undefined;
      for (const each of asked) {
        if (event.signal?.aborted) return undefined;
        const said = await ask({ hook, event, of: each });
        if (said && 'cancel' in said) return said;
        answer = merged({ before: answer, said });
      }
      return answer;
    };
    return { [hook]: all } as unknown as Pick<Hooks, Name>;
  }

  async function ask<Name extends HookName>(of: {
    readonly hook: Name;
    readonly event: HookEvent;
    readonly of: Hooks;
  }): Promise<HookAnswers[Name] | undefined> {
    const { hook, event } = of;
    const started = performance.now();
    try {
      const call = (signal: AbortSignal) => of.of[hook]?.({ ...event, signal } as never);
      const value = await inTime({ call, patience: of.of.patience ?? patience, signal: event.signal });
      return readAnswer({ hook, value });
    } catch (error) {
      const failure = { hook, ...failureOf(error), ms: Math.round(performance.now() - started) };
      for (const listener of new Set([onFailure, event.onFailure])) tell({ listener, failure });
      return undefined;
    }
  }
}

function tell({
  listener,
  failure,
}: {
  readonly listener: ((failure: HookFailure) => void) | undefined;
  readonly failure: HookFailure;
}): void {
  try {
    listener?.(failure);
  } catch {
    // Errors of the listener must not affect the hooks.
  }
}

function merged<Answer extends object>({
  before,
  said,
}: {
  readonly before: Answer | undefined;
  readonly said: Answer | undefined;
}): Answer | undefined {
  if (!before || !said) return said ?? before;
  const [first, second]: Lists[] = [before, said];
  const pins = [...(first?.pins ?? []), ...(second?.pins ?? [])];
  const context = [...(first?.context ?? []), ...(second?.context ?? [])];
  return { ...before, ...said, ...(pins.length > 0 && { pins }), ...(context.length > 0 && { context }) };
}

interface Lists {
  readonly pins?: readonly string[];
  readonly context?: readonly string[];
}

function failureOf(error: unknown): Omit<HookFailure, 'hook' | 'ms'> {
  if (error instanceof HookError) {
    return { kind: error.kind, why: error.message, ...(error.command !== undefined && { command: error.command }) };
  }
  return { kind: 'threw', why: error instanceof Error ? error.message : String(error) };
}
