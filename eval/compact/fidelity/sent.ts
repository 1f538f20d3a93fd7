import { keepRecentFor, propose, type SourceItem, type Summarizer } from 'longhaul/engine';
import type { Message } from 'longhaul/message';
import { partTexts } from 'longhaul/session';

/** What would be sent of a session after a compaction, and the CPU time of that. */
export interface Sent {
  readonly document: string;
  /** What stayed as it was. */
  readonly kept: readonly string[];
  readonly ms: number;
}

/** A window large enough not to be what limits the end that stays. */
const window = 200_000;

/** Compacts a session to `budget` tokens of text, as the engine does it, without installing anything. */
export async function sentIn({
  items,
  budget,
  summarizer,
  count,
}: {
  readonly items: readonly SourceItem[];
  readonly budget: number;
  readonly summarizer: Summarizer;
  readonly count: (text: string) => number;
}): Promise<Sent> {
  const countMessage = (message: Message) => textsOf(message).reduce((sum, text) => sum + count(text), 0);
  const held = items.map(({ id, handle, message }) => ({
    item: { message, entry: id, isMade: false },
    handle,
    tokens: countMessage(message),
  }));
  const all = { document: '', kept: items.flatMap(({ message }) => textsOf(message)), ms: 0 };
  if (held.reduce((sum, { tokens }) => sum + tokens, 0) <= budget) return all;
  const started = process.cpuUsage();
  const proposal = await propose({
    held,
    source: items,
    headCount: 0,
    room: budget,
    keepRecent: keepRecentFor({ window }),
    counter: { count, countMessage },
    summarizer,
    pins: [],
  });
  const { user, system } = process.cpuUsage(started);
  if (!('summary' in proposal)) return all;
  const kept = held.slice(proposal.plan.cut).flatMap(({ item }) => {
    const replaced = proposal.replaced.get(item.entry);
    return replaced === null ? [] : textsOf(replaced ?? item.message);
  });
  return { document: textsOf(proposal.made).join('\n'), kept, ms: (user + system) / 1000 };
}

export function textsOf({ parts }: Message): string[] {
  return partTexts(parts).flatMap(({ text, isProse }) => (isProse ? text : []));
}
