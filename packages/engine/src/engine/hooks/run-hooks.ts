import { createMask } from '../../analysis/index.ts';
import type { EntryId, ModelName, Session } from '../../session/index.ts';
import type { Summariser } from '../../summarize/index.ts';
import type { Emit } from '../events/event.ts';
import type { CompactionResult } from '../result.ts';
import { combineHooks } from './combine.ts';
import { hookedSummarisers } from './hooked-summarizer.ts';
import type { BeforeCompactionAnswer, HookEvent, HookFailure, Hooks } from './hooks.ts';
import { pinByHook } from './pin-by-hook.ts';

/** What a compaction is asked for with. */
interface Asked {
  readonly trigger: string;
  readonly focus?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The hooks of one session, asked as an engine asks them: whatever they do, it is told and goes on. */
export interface Asking {
  /** Every hook, made safe; the same for whoever moves the session. */
  readonly hooks: Hooks;
  /** What is the same in all their events. */
  event(of: Asked): HookEvent;
  /** What they say to a compaction that is about to be planned. Their pins are pinned. */
  before(
    of: Asked & {
      readonly tokens: number;
      readonly window: number;
      readonly messages: number;
      readonly model: ModelName;
    },
  ): Promise<BeforeCompactionAnswer>;
  /** Summarisers that listen to them. */
  around(of: {
    readonly by: { readonly summariser: Summariser; readonly last: Summariser };
    readonly asked: Asked;
    readonly before: BeforeCompactionAnswer;
  }): { readonly summariser: Summariser; readonly last: Summariser };
  /** Tells them what was installed. */
  after(of: { readonly trigger: string; readonly result: CompactionResult }): Promise<void>;
}

/**
 * Makes the hooks of an engine those of one session.
 *
 * @example
 * const asking = createAsking({ hooks, session, count, secrets, now: Date.now, emit });
 * const { cancel } = await asking.before({ trigger: 'manual', tokens, window, messages, model });
 */
export function createAsking({
  hooks,
  session,
  count,
  secrets,
  now,
  emit,
  transcripts,
}: {
  readonly hooks: Hooks;
  readonly session: Session;
  readonly count: (text: string) => number;
  /** Values that must not be told. */
  readonly secrets: readonly string[];
  readonly now: () => number;
  readonly emit: Emit;
  /** The file that the conversation can be read in, where one is written. */
  readonly transcripts?: { readonly path: string | undefined };
}): Asking {
  const mask = createMask({ values: secrets, salt: session.id });
  const tell = (failure: HookFailure) => emit('hookFailed', { ...failure, why: mask(failure.why) });
  const safe = combineHooks({ hooks: [hooks], onFailure: tell });
  const event = ({ trigger, signal }: Asked): HookEvent => ({
    ...{ session: session.id, at: now(), trigger, onFailure: tell },
    ...(session.header.cwd !== undefined && { cwd: session.header.cwd }),
    ...(transcripts?.path !== undefined && { transcript: transcripts.path }),
    ...(signal && { signal }),
  });
  return {
    hooks: safe,
    event,
    async before({ focus, tokens, window, messages, model, ...asked }) {
      const about = { tokens, window, messages, model, ...(focus !== undefined && { focus }) };
      const answer = (await safe.beforeCompaction?.({ ...event(asked), ...about })) ?? {};
      if (answer.cancel === undefined) await pinByHook({ session, texts: answer.pins ?? [], count, tell });
      return answer;
    },
    around: ({ by, asked, before }) =>
      hookedSummarisers({ ...by, hooks: safe, event: event(asked), before, count, tell }),
    async after({ trigger, result }) {
      if (result.entry === undefined || !safe.afterCompaction) return;
      const { entry, kept } = result as CompactionResult & { readonly entry: EntryId };
      await safe.afterCompaction({ ...event({ trigger }), result, entry, ...(kept !== undefined && { kept }) });
    },
  };
}
