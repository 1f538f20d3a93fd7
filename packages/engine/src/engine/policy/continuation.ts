import { type Message, user } from '../../message/index.ts';
import type { Context } from '../../session/index.ts';
import type { CompactionResult, PrepareReport, Trigger } from '../types.ts';
import type { Policy } from './policy.ts';

/** The text that makes the model continue. Without the sentence about the plan, agents plan again after every compaction (cli#3158). */
const continuationText =
  'The conversation was compacted; the work was not interrupted. Go on with the next step of what was being done. A plan in the summary is decided: carry it out, do not make it again. If everything is done, say so and stop.';

/**
 * The message that makes the model continue after a compaction: after an overflow always, after another automatic one by
 * the policy, after a requested one never. Not needed where the request already ends with input.
 *
 * @example
 * const message = continuationFor({ policy: presets.pi, trigger: 'threshold', isAsked: false });
 */
export function continuationFor({
  policy,
  trigger,
  isAsked,
}: {
  readonly policy: Policy;
  readonly trigger: Trigger;
  /** Whether what is sent already ends with something the model has to answer. */
  readonly isAsked: boolean;
}): Message | undefined {
  if (isAsked || trigger === 'manual') return undefined;
  if (trigger !== 'overflow' && !policy.when.autoContinue) return undefined;
  return user(continuationText, { origin: 'engine' });
}

/** The message that continues the work after a compaction, where no input is pending. */
export function continuationAfter({
  context,
  policy,
  compaction,
}: {
  readonly context: Context;
  readonly policy: Policy;
  readonly compaction: CompactionResult | undefined;
}): Pick<PrepareReport, 'continuation'> {
  if (!compaction?.installed || !compaction.trigger) return {};
  const last = context.items.at(-1);
  // A summary has the user role, but needs no answer.
  const isAsked = last?.entry !== null && last?.message.role !== 'assistant';
  const message = continuationFor({ policy, trigger: compaction.trigger, isAsked });
  return message ? { continuation: message } : {};
}
