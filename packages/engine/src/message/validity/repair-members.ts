import type { Message } from '../message.ts';
import { withoutRefused } from './members.ts';
import type { Problem } from './problem.ts';
import type { Step } from './slot.ts';
import { isWellFormedJson, wellFormedJson } from './strings.ts';

/** Messages that carry members their provider refuses. */
export function memberProblems(messages: readonly Message[], dialect: Parameters<typeof withoutRefused>[1]): Problem[] {
  return messages.flatMap((message, index): Problem[] => {
    const at = { message: index };
    const isHalved = !isWellFormedJson(message.wire?.fields);
    return [
      ...(withoutRefused(message, dialect) === message
        ? []
        : [{ code: 'refused-member', message: 'The message carries members that the provider refuses.', at } as const]),
      ...(isHalved
        ? [{ code: 'lone-surrogate', message: 'A member holds half of a surrogate pair.', at } as const]
        : []),
    ];
  });
}

export const mendMembers: Step = ({ slots, dialect, repairs }) =>
  slots.map((slot) => {
    const { from } = slot;
    let { message } = slot;
    if (!isWellFormedJson(message.wire?.fields)) {
      message = { ...message, ...(message.wire && { wire: wellFormedJson(message.wire) }) };
      repairs.push({
        code: 'lone-surrogate',
        message: 'Replaced half of a surrogate pair by U+FFFD.',
        at: { message: from },
      });
    }
    const mended = withoutRefused(message, dialect);
    if (mended !== message) {
      repairs.push({
        code: 'refused-member',
        message: 'Left out members that the provider refuses.',
        at: { message: from },
      });
    }
    return mended === slot.message ? slot : { message: mended, from };
  });
