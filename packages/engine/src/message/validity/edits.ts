import type { Part, ToolCallPart, ToolResultPart } from '../message.ts';
import type { PairedCall, PairedResult } from './pairing.ts';
import type { PartPosition } from './problem.ts';
import type { MessageSlot } from './slot.ts';

/** Changes to parts, by place: one and the same object may stand in a list twice. */
export interface Edits {
  readonly size: number;
  /** `undefined` takes the part out. */
  set(place: Required<PartPosition>, part: Part | undefined): void;
  /** Puts several parts in the place of one. */
  follow(place: Required<PartPosition>, parts: readonly Part[]): void;
  /** The value at a position after the edits; `undefined` if nothing changed there. */
  at(place: Required<PartPosition>): readonly Part[] | undefined;
  call(call: PairedCall): ToolCallPart;
  result(result: PairedResult): ToolResultPart;
}

export function createEdits(): Edits {
  const changed = new Map<string, readonly Part[]>();
  const key = ({ message, part }: Required<PartPosition>) => `${message}.${part}`;
  return {
    get size() {
      return changed.size;
    },
    set: (place, part) => void changed.set(key(place), part ? [part] : []),
    follow: (place, parts) => void changed.set(key(place), parts),
    at: (place) => changed.get(key(place)),
    call(call) {
      const [part] = changed.get(key(call.at)) ?? [];
      return part?.type === 'tool_call' ? part : call.part;
    },
    result(result) {
      const [part] = changed.get(key(result.at)) ?? [];
      return part?.type === 'tool_result' ? part : result.part;
    },
  };
}

/**
 * The list after the edits. A message that lost all its parts goes; `added` holds the results to be put in after the
 * message of that index.
 */
export function edited(
  slots: readonly MessageSlot[],
  edits: Edits,
  added: ReadonlyMap<number, readonly Part[]> = new Map(),
): MessageSlot[] {
  return slots.flatMap((slot, index): MessageSlot[] => {
    const { message, from } = slot;
    const changed = message.parts.map((part, position) => edits.at({ message: index, part: position }) ?? [part]);
    const parts = changed.flat();
    const isSame = parts.length === message.parts.length && parts.every((part, at) => part === message.parts[at]);
    const isEmptied = parts.length === 0 && message.parts.length > 0;
    const kept = isSame ? [slot] : isEmptied ? [] : [{ from, message: { ...message, parts } }];
    const answers = added.get(index);
    return answers ? [...kept, { from, message: { role: 'tool', parts: answers } }] : kept;
  });
}
