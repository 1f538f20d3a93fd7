import type { Message } from '../../message/index.ts';
import { type Entry, type EntryId, type EpochItem, nodeTypes, visibleItem } from '../../session/index.ts';
import { countingRules, createMessageCounter, estimateTokens, total } from '../../tokens/index.ts';
import { createLogBuilder } from '../log-builder.ts';

/** What an entry did to what is sent. */
export interface TraceStep {
  /** About how many tokens the model reads of the entry itself. */
  readonly tokens: number;
  /** About how many tokens are sent where the session stood after it. */
  readonly context: number;
  /** On an epoch: what was sent before and is not any more, and what is sent again. */
  readonly replaced: SentItems;
  readonly restored: SentItems;
}

export interface Traced {
  readonly entry: Entry;
  readonly step: TraceStep;
}

/** Messages of what is sent. */
interface SentItems {
  readonly count: number;
  /** The handles of the first and the last of those that followed each other. */
  readonly stretches: readonly (readonly [first: number, last: number])[];
}

const nothing: SentItems = { count: 0, stretches: [] };

const counter = createMessageCounter({ count: estimateTokens, rules: countingRules['openai-chat'] });
const tokensOf = (message: Message) => total(counter.message(message));

/**
 * Follows a log and says of each entry what it did to what is sent. It remembers ids and numbers, no texts but those that
 * were made for epochs.
 *
 * @example
 * const trace = createTrace();
 * for await (const entry of source.entries()) plot(entry.handle, trace(entry).context);
 */
export function createTrace(): (entry: Entry) => TraceStep {
  let nextId: EntryId = '';
  const builder = createLogBuilder({ idOf: () => nextId });
  const handles = new Map<EntryId, number>();
  const own = new Map<EntryId, number>();
  const contexts = new Map<EntryId | null, number>([[null, 0]]);

  return (entry) => {
    if (!nodeTypes.has(entry.type) && entry.type !== 'leaf') return stay();
    const isEpoch = entry.type === 'epoch';
    const before = isEpoch ? builder.items() : [];
    nextId = entry.id;
    builder.append({ draft: entry, at: entry.at, parent: entry.parentId });
    if (entry.type === 'leaf') return stay();
    const visible = visibleItem(entry);
    const tokens = visible ? tokensOf(visible.message) : 0;
    handles.set(entry.id, entry.handle);
    own.set(entry.id, tokens);
    const after = isEpoch ? builder.items() : [];
    const context = isEpoch ? after.reduce(adding, 0) : (contexts.get(entry.parentId) ?? 0) + tokens;
    contexts.set(entry.id, context);
    return {
      tokens,
      context,
      replaced: lacking({ of: before, in: after }),
      restored: lacking({ of: after, in: before }),
    };
  };

  /** Nothing changed, but perhaps the place. */
  function stay(): TraceStep {
    return { tokens: 0, context: contexts.get(builder.leaf) ?? 0, replaced: nothing, restored: nothing };
  }

  function adding(sum: number, item: EpochItem): number {
    return sum + ('entry' in item ? (own.get(item.entry) ?? 0) : tokensOf(item.made));
  }

  /** What of one list is not in the other. */
  function lacking({ of: list, in: other }: { readonly of: EpochItem[]; readonly in: EpochItem[] }): SentItems {
    const sent = new Set(other.map(keyOf));
    const stretches: [number, number][] = [];
    let count = 0;
    let isGoingOn = false;
    for (const item of list) {
      const id = 'entry' in item ? item.entry : item.for;
      const handle = id === undefined || sent.has(keyOf(item)) ? undefined : handles.get(id);
      const last = isGoingOn ? stretches.at(-1) : undefined;
      isGoingOn = handle !== undefined;
      if (handle === undefined) continue;
      count += 1;
      if (last && handle > last[1]) last[1] = handle;
      else stretches.push([handle, handle]);
    }
    return { count, stretches };
  }
}

/** A log, each entry with what it did. */
export async function* traced(entries: AsyncIterable<Entry>): AsyncGenerator<Traced> {
  const trace = createTrace();
  for await (const entry of entries) yield { entry, step: trace(entry) };
}

/** The same for what is sent alike. */
function keyOf(item: EpochItem): string {
  return 'entry' in item ? item.entry : JSON.stringify(item.made);
}
