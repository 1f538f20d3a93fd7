import type { HookFailure, HookName } from '../types.ts';
import { answerMembers } from './answer-members.ts';
import type { HookEvent, Hooks } from './hooks.ts';
import { defaultHookTimeout, runHookSequence } from './run-sequence.ts';

/**
 * Combines several hooks. They run in order; a cancel ends the sequence. Of single-valued answers (a replacement, a focus,
 * instructions) the last one wins; pins and context are concatenated. A hook that throws, times out or returns something
 * invalid is reported to `onFailure` and skipped.
 *
 * @example
 * const log: Hooks = { afterCompaction: () => console.error('compacted') };
 * const checks = createShellHooks({ commands: { PreCompact: [{ command: './check.sh' }] } });
 * const hooks = combineHooks({ hooks: [log, checks], onFailure: ({ why }) => console.error(why) });
 */
export function combineHooks({
  hooks,
  timeout = defaultHookTimeout,
  onFailure,
}: {
  readonly hooks: readonly Hooks[];
  /** Milliseconds for each; a member of the list may set its own. */
  readonly timeout?: number;
  readonly onFailure?: (failure: HookFailure) => void;
}): Hooks {
  return {
    // Each of the combined hooks has its own timeout.
    timeout: Number.POSITIVE_INFINITY,
    ...combineOne('beforeCompaction'),
    ...combineOne('compacting'),
    ...combineOne('afterCompaction'),
    ...combineOne('beforeMove'),
    ...combineOne('afterMove'),
  };

  function combineOne<Name extends HookName>(hook: Name): Pick<Hooks, Name> | undefined {
    const defined = hooks.filter((each) => each[hook] !== undefined);
    if (defined.length === 0) return undefined;
    const run = async (event: HookEvent) =>
      await runHookSequence({
        hooks: defined.map((each) => ({
          call: (signal) => each[hook]?.({ ...event, signal } as never),
          timeout: each.timeout ?? timeout,
        })),
        members: answerMembers[hook],
        signal: event.signal,
        listeners: [...new Set([onFailure, event.onFailure])].map(
          (listener) => (failure) => listener?.({ hook, ...failure }),
        ),
      });
    return { [hook]: run } as unknown as Pick<Hooks, Name>;
  }
}
