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
}

/** One step of repair: slots in, slots out, what it did added to `repairs`. A legal list is returned as it is. */
export type RepairStep = (input: RepairInput) => readonly MessageSlot[];

const known = new WeakMap<readonly MessageSlot[], MessageGroup[]>();

/** The groups of the slots. Steps that return their slots as they are share them: a list belongs to one call of `repair`. */
export function slotGroups({ slots, dialect, rules }: RepairInput): readonly MessageGroup[] {
  const before = known.get(slots);
  if (before) return before;
  const groups = groupsOf({ messages: slots.map(({ message }) => message), dialect, rules });
  known.set(slots, groups);
  return groups;
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
