import { type Message, user } from '../../message/index.ts';
import type { Context } from '../../session/index.ts';
import type { CompactionResult, PrepareReport, Trigger } from '../types.ts';
import type { Policy } from './policy.ts';

/** What is said to the model so that it goes on. A plan is decided: without this, agents plan again after every compaction (cli#3158). */
const goOn =
  'The conversation was compacted; the work was not interrupted. Go on with the next step of what was being done. A plan that stands in the summary is decided: carry it out, do not make it again. If everything is done, say so and stop.';

/**
 * What to say so that the work goes on after a compaction, if anything: after an overflow always, after another automatic
 * one by the policy, after one by hand never. Where somebody has said something already, that is what goes on.
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
  if (trigger !== 'overflow' && !policy.autoContinue) return undefined;
  return user(goOn, { origin: 'engine' });
}

/** What to say next so that the work goes on after a compaction, where nothing waits to be answered. */
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
  // A summary asks for nothing, though it is told in the role of the user.
  const isAsked = last?.entry !== null && last?.message.role !== 'assistant';
  const message = continuationFor({ policy, trigger: compaction.trigger, isAsked });
  return message ? { continuation: message } : {};
}
