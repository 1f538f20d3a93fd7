import type { Dialect, Message } from '../message.ts';
import { createEdits, edited } from './edits.ts';
import type { PartPosition, Problem } from './problem.ts';
import type { ValidityRules } from './rules.ts';
import type { RepairStep } from './slot.ts';

/**
 * Cache marks of the list that are too many: the oldest ones, since the newest are what the next request hits. A mark for
 * an hour behind one for five minutes is refused as well ("a ttl='1h' cache_control block must not come after").
 */
function surplusMarks(messages: readonly Message[], dialect: Dialect, rules: ValidityRules): Required<PartPosition>[] {
  if (dialect !== 'anthropic' || !Number.isFinite(rules.cacheMarks)) return [];
  const marks: { readonly at: Required<PartPosition>; readonly isLong: boolean }[] = [];
  for (const [message, { parts }] of messages.entries())
    for (const [part, { type, cache }] of parts.entries())
      if (cache && type !== 'thinking') marks.push({ at: { message, part }, isLong: cache.ttl === '1h' });
  const firstShort = marks.findIndex(({ isLong }) => !isLong);
  const late = marks.filter(({ isLong }, index) => isLong && firstShort >= 0 && index > firstShort);
  const kept = marks.filter((mark) => !late.includes(mark));
  return [...late, ...kept.slice(0, Math.max(0, kept.length - rules.cacheMarks))].map(({ at }) => at);
}

export function cacheProblems(messages: readonly Message[], dialect: Dialect, rules: ValidityRules): Problem[] {
  const message = `There are more cache marks than ${rules.cacheMarks}, or a long one behind a short one.`;
  return surplusMarks(messages, dialect, rules).map((at) => ({ code: 'surplus-cache-mark', message, at }));
}

export const repairCacheMarks: RepairStep = ({ slots, dialect, rules, repairs }) => {
  const messages = slots.map((slot) => slot.message);
  const edits = createEdits();
  for (const at of surplusMarks(messages, dialect, rules)) {
    const part = messages[at.message]?.parts[at.part];
    if (!part) continue;
    const { cache: _, ...rest } = part;
    edits.set(at, rest);
    const from = slots[at.message]?.from ?? 0;
    repairs.push({ code: 'surplus-cache-mark', message: 'Took a cache mark off.', at: { message: from } });
  }
  return edits.size === 0 ? slots : edited(slots, edits);
};
