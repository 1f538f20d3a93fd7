import type { Dialect, Message } from '../message.ts';
import { mendCacheMarks } from './cache-marks.ts';
import { mendItemIds } from './item-ids.ts';
import type { Repair } from './problem.ts';
import { mendMembers } from './repair-members.ts';
import { mendOrder } from './repair-order.ts';
import { mendPairs } from './repair-pairs.ts';
import { mendParts } from './repair-parts.ts';
import { type Rules, rulesFor } from './rules.ts';
import type { Slot, Step } from './slot.ts';

/**
 * The list in a form the provider takes, and what was done to get there. A legal list comes back as it is. Nothing is
 * invented: parts are dropped or moved, names put into the provider's form, and a call without a result gets the fixed
 * result "no result recorded". What cannot be mended without inventing stays (see `check` on the result): a list in
 * which no user speaks, and thinking that is missing where the request has it on.
 *
 * @example
 * const { messages: legal, repairs } = repair(messages, 'openai-chat');
 */
export function repair(
  messages: readonly Message[],
  provider: Dialect,
  overrides: Partial<Rules> = {},
): { readonly messages: Message[]; readonly repairs: Repair[] } {
  const rules = rulesFor(provider, overrides);
  const repairs: Repair[] = [];
  let slots: readonly Slot[] = messages.map((message, from) => ({ message, from }));
  // Each step may uncover work for another: a dropped answer leaves orphans. Every round drops or settles something.
  for (let round = 0; round <= messages.length + 8; round += 1) {
    const before = repairs.length;
    for (const step of steps) slots = step({ slots, dialect: provider, rules, repairs });
    if (repairs.length === before) break;
  }
  return { messages: slots.map((slot) => slot.message), repairs };
}

const steps: readonly Step[] = [mendMembers, mendParts, mendItemIds, mendCacheMarks, mendPairs, mendOrder];
