import type { Message } from '../../message/index.ts';
import type { EntryId, EpochItem } from '../../session/index.ts';
import type { Condensed } from './event.ts';

/**
 * Which events became which entries, so that a condensation, which speaks of events, can be applied to what is sent.
 * Holds ids only.
 */
export interface View {
  /** An event that became, or became part of, an entry. */
  readonly add: (input: { readonly event: string; readonly entry: EntryId }) => void;
  /** What is sent after a condensation, and which entry is the first after the place of its summary. */
  readonly condense: (input: {
    readonly items: readonly EpochItem[];
    readonly condensed: Condensed;
    /** The event of the condensation. */
    readonly event: string;
  }) => { readonly list: readonly EpochItem[]; readonly firstKeptId: EntryId | null };
}

export function createView(): View {
  const events = new Map<EntryId, string[]>();
  const summaries = new Map<Message, string>();
  return {
    add({ event, entry }) {
      const known = events.get(entry);
      if (known) known.push(event);
      else events.set(entry, [event]);
    },
    condense({ items, condensed, event }) {
      const { forgets, summary, offset, replaces } = condensed;
      const isShown = summary !== undefined && offset !== undefined;
      const kept = items.filter((item) => {
        if ('made' in item && replaces) return !isShown;
        const [first] = eventsOf(item);
        return first === undefined || !forgets(first);
      });
      const place = isShown ? placeOf({ kept, offset, forgets }) : kept.findIndex((item, at) => item !== items[at]);
      const firstKeptId = kept.slice(Math.max(0, place)).find((item) => 'entry' in item)?.entry ?? null;
      if (!isShown) return { list: kept, firstKeptId };
      const made: Message = { role: 'user', parts: [{ type: 'text', origin: 'engine', text: summary }] };
      // The name by which a later condensation may forget it.
      summaries.set(made, `${event}-summary`);
      return { list: kept.toSpliced(place, 0, { made }), firstKeptId };
    },
  };

  function eventsOf(item: EpochItem): readonly string[] {
    if ('entry' in item) return events.get(item.entry) ?? [];
    const summary = summaries.get(item.made);
    return summary === undefined ? [] : [summary];
  }

  /** An offset counts events, of which an item may have come from several. */
  function placeOf(of: {
    readonly kept: readonly EpochItem[];
    readonly offset: number;
    forgets: Condensed['forgets'];
  }) {
    let counted = 0;
    const place = of.kept.findIndex((item) => {
      if (counted >= of.offset) return true;
      counted += eventsOf(item).filter((event) => !of.forgets(event)).length;
      return false;
    });
    return place < 0 ? of.kept.length : place;
  }
}
