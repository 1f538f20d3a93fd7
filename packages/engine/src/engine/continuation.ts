import type { Context } from '../session/index.ts';
import { continuationFor } from './policy/continuation.ts';
import type { Policy } from './policy/policy.ts';
import type { PrepareReport } from './prepared.ts';
import type { CompactionResult } from './result.ts';

/** What to say next so that the work goes on after a compaction, where nothing waits to be answered. */
export function goingOn({
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
