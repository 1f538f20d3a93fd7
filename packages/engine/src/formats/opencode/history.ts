import type { Message } from '../../message/index.ts';
import {
  codecVersion,
  type Draft,
  type Entry,
  type EntryId,
  type EpochItem,
  type MessageEntry,
} from '../../session/index.ts';
import type { Weaver } from '../log-builder.ts';
import type { Returned } from './message.ts';
import { prunedNotice } from './parts.ts';

/** A message of opencode, where it is in the log. */
interface Slot {
  items: EpochItem[];
  /** Where the session stood before it. */
  readonly before: EntryId | null;
}

/** An output that opencode has pruned, and will not send from then on. */
interface Pruned {
  readonly at: number;
  readonly entry: EntryId;
  readonly made: Message;
}

/** The messages of a session in opencode's order, beside the log. */
export interface History {
  /** Begins a message. */
  begin(id: string): void;
  /** Appends to the message that was begun. */
  say(input: { readonly draft: Draft<MessageEntry>; readonly at: number }): Entry[];
  /** Appends what a tool returned. */
  answer(input: { readonly returned: Returned; readonly at: number }): Entry[];
  /** Elides what was pruned up to a time. */
  prune(until: number): Entry[];
  /**
   * Puts a summary in place of what came before: the question and the summary first, as opencode sends them, then the
   * messages from `tail` on.
   */
  compact(input: {
    readonly made: readonly { readonly id: string; readonly message: Message }[];
    readonly summary: string;
    readonly tail: string | undefined;
    readonly tokens: number;
    readonly trigger: string;
    readonly details: { readonly opencode: { readonly id: string } };
    readonly at: number;
  }): Entry[];
  has(id: string): boolean;
  /** Goes back to before a message. */
  revert(input: { readonly id: string; readonly at: number }): Entry[];
}

export function createHistory({ weaver }: { readonly weaver: Weaver }): History {
  const slots = new Map<string, Slot>();
  let current: Slot = { items: [], before: null };
  let pruned: Pruned[] = [];
  return {
    has: (id) => slots.has(id),
    begin,
    say,
    answer({ returned: { draft, part, at: ended, prunedAt }, at }) {
      const entries = say({ draft, at: ended ?? at });
      const entry = entries.at(-1)?.id;
      if (entry !== undefined && prunedAt !== undefined) {
        const { wire: _, ...rest } = part;
        const content = [{ type: 'text', origin: 'engine', text: prunedNotice } as const];
        pruned.push({ at: prunedAt, entry, made: { role: 'tool', parts: [{ ...rest, content }] } });
      }
      return entries;
    },
    prune,
    compact({ made, summary, tail, tokens, trigger, details, at }) {
      const kept = tailFrom(tail);
      const [first] = kept;
      const firstKeptId = first ? entryOf(first) : null;
      const facts = { summary, firstKeptId, tokensBefore: tokens, trigger, details };
      const before = weaver.leaf;
      const lead = made.map(({ id, message }): EpochItem => {
        slots.set(id, { items: [{ made: message }], before });
        return { made: message };
      });
      return [
        ...weaver.append({ draft: { type: 'compaction', ...facts }, at }),
        ...open({ reason: 'compaction', list: [...lead, ...kept], at }),
      ];
    },
    revert({ id, at }) {
      const target = slots.get(id)?.before;
      if (target === undefined || target === weaver.leaf) return [];
      return weaver.append({ draft: { type: 'leaf', target, reason: 'rewind' }, at });
    },
  };

  function begin(id: string): void {
    current = { items: [], before: weaver.leaf };
    slots.set(id, current);
  }

  function say({ draft, at }: { readonly draft: Draft<MessageEntry>; readonly at: number }): Entry[] {
    const entries = weaver.append({ draft, at });
    const entry = entries.at(-1)?.id;
    if (entry !== undefined) current.items.push({ entry });
    return entries;
  }

  function prune(until: number): Entry[] {
    const due = new Map(pruned.filter(({ at }) => at <= until).map((one) => [one.entry, one]));
    if (due.size === 0) return [];
    pruned = pruned.filter(({ at }) => at > until);
    const elide = (item: EpochItem): EpochItem => {
      const one = 'entry' in item ? due.get(item.entry) : undefined;
      return one ? { made: one.made, for: one.entry } : item;
    };
    for (const slot of slots.values()) slot.items = slot.items.map(elide);
    const items = weaver.items();
    const targets = items.flatMap((item) => ('entry' in item && due.has(item.entry) ? [item.entry] : []));
    // What a summary has already replaced is not sent anyway.
    if (targets.length === 0) return [];
    const at = [...due.values()].reduce((latest, one) => Math.max(latest, one.at), 0);
    const told = targets.map((entry) => ({ entry, notice: prunedNotice }));
    return [
      ...weaver.append({ draft: { type: 'prune', targets: told }, at }),
      ...open({ reason: 'prune', list: items.map(elide), at }),
    ];
  }

  function open(of: { readonly reason: string; readonly list: readonly EpochItem[]; readonly at: number }): Entry[] {
    const { reason, list, at } = of;
    return weaver.append({ draft: { type: 'epoch', reason, items: { list }, codec: codecVersion }, at });
  }

  /** The messages from one on, in the order in which they were said. */
  function tailFrom(id: string | undefined): EpochItem[] {
    const ids = [...slots.keys()];
    const start = id === undefined ? -1 : ids.indexOf(id);
    return start < 0 ? [] : [...slots.values()].slice(start).flatMap(({ items }) => items);
  }
}

function entryOf(item: EpochItem): EntryId | null {
  return ('entry' in item ? item.entry : item.for) ?? null;
}
