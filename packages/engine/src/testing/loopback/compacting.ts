import type { Dialect } from '../judge/index.ts';
import { isArray, isObject, type Json } from '../judge/json.ts';
import type { Spoken } from './types.ts';
import type { Unit } from './units.ts';

/** From how many tokens on the provider compacts by itself; `undefined` where it was not asked to. */
function triggerOf({ dialect, body }: { dialect: Dialect; body: Json }): number | undefined {
  const { context_management: managed } = body;
  if (dialect === 'openai-responses') {
    const entry = isArray(managed) ? managed.find((each) => isObject(each) && each.type === 'compaction') : undefined;
    if (!isObject(entry)) return undefined;
    return typeof entry.compact_threshold === 'number' ? entry.compact_threshold : Number.POSITIVE_INFINITY;
  }
  if (dialect !== 'anthropic' || !isObject(managed) || !isArray(managed.edits)) return undefined;
  const edit = managed.edits.find((each) => isObject(each) && each.type === 'compact_20260112');
  if (!isObject(edit)) return undefined;
  // "Defaults to 150000 input tokens" (SDK doc).
  return isObject(edit.trigger) ? Number(edit.trigger.value) : 150_000;
}

/** The summary that the provider makes before it answers, if it does: `null` is one that failed. */
export function compactionOf({
  dialect,
  body,
  spoken,
  tokens,
}: {
  dialect: Dialect;
  body: Json;
  spoken: Spoken;
  tokens: number;
}): string | null | undefined {
  const trigger = triggerOf({ dialect, body });
  if (trigger === undefined) return undefined;
  if (spoken.compaction !== undefined) return spoken.compaction;
  return tokens >= trigger ? `A summary of ${tokens} tokens.` : undefined;
}

/** What the model reads: "all content blocks before the compaction block are dropped"; the head stays. */
export function afterCompaction({ dialect, units }: { dialect: Dialect; units: readonly Unit[] }): readonly Unit[] {
  const last = units.findLastIndex(({ value }) => isCompaction({ dialect, value }));
  if (last < 0) return units;
  return units.filter((unit, at) => at >= last || !unit.isSaid);
}

function isCompaction({ dialect, value }: { dialect: Dialect; value: unknown }): boolean {
  const block = dialect === 'anthropic' && isObject(value) ? value.block : value;
  if (!isObject(block) || block.type !== 'compaction') return false;
  return dialect === 'openai-responses' || typeof block.content === 'string';
}
