import type { Dialect, Message } from '../message.ts';
import type { Repair } from './problem.ts';
import type { ValidityRules } from './rules.ts';

/** A message on its way through repair, with the place it had in the list as it was given. */
export interface MessageSlot {
  readonly message: Message;
  readonly from: number;
}

/** One step of repair: slots in, slots out, what it did added to `repairs`. A legal list passes unchanged. */
export type RepairStep = (input: {
  readonly slots: readonly MessageSlot[];
  readonly dialect: Dialect;
  readonly rules: ValidityRules;
  readonly repairs: Repair[];
}) => readonly MessageSlot[];
