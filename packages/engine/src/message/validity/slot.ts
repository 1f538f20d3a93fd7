import type { Dialect, Message } from '../message.ts';
import { groupsOf, type MessageGroup } from './groups.ts';
import type { Repair } from './problem.ts';
import type { ValidityRules } from './rules.ts';

/** A message on its way through repair, with the place it had in the list as it was given. */
export interface MessageSlot {
  readonly message: Message;
  readonly from: number;
}

/** What a step of repair works on. */
export interface RepairInput {
  readonly slots: readonly MessageSlot[];
  readonly dialect: Dialect;
  readonly rules: ValidityRules;
  readonly repairs: Repair[];
  /** The newest slots that were grouped. */
  readonly grouped: { slots?: readonly MessageSlot[]; groups: readonly MessageGroup[] };
}

/** One step of repair: slots in, slots out, what it did added to `repairs`. A legal list is returned as it is. */
export type RepairStep = (input: RepairInput) => readonly MessageSlot[];

/**
 * The groups of the slots. Steps that return their slots as they are share them. They are not kept in a `WeakMap`: the
 * collector of young objects takes its values for live, and moves all of them.
 */
export function slotGroups({ slots, dialect, rules, grouped }: RepairInput): readonly MessageGroup[] {
  if (grouped.slots !== slots) {
    grouped.groups = groupsOf({ messages: slots.map(({ message }) => message), dialect, rules });
    grouped.slots = slots;
  }
  return grouped.groups;
}

/** Messages in which a step found nothing to mend, by the rules: messages are immutable and come again in every request. */
export class SoundMessages {
  readonly #byRules = new WeakMap<ValidityRules, WeakSet<Message>>();

  /** Replaces the slots whose messages the step changes; the same list where it changes none. */
  map({ slots, rules }: RepairInput, mend: (slot: MessageSlot) => MessageSlot): readonly MessageSlot[] {
    const sound = this.#byRules.get(rules) ?? new WeakSet();
    this.#byRules.set(rules, sound);
    let changed: MessageSlot[] | undefined;
    for (const [index, slot] of slots.entries()) {
      if (sound.has(slot.message)) continue;
      const mended = mend(slot);
      if (mended === slot) {
        sound.add(slot.message);
        continue;
      }
      changed ??= [...slots];
      changed[index] = mended;
    }
    return changed ?? slots;
  }
}
