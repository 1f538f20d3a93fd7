import { type Entry, type EpochItem, nodeTypes } from 'longhaul/session';
import { createRandom } from 'longhaul/testing';
import { sentence } from './words.ts';

/** Entries between compactions, and how many of them each keeps verbatim. */
const compactionEvery = 2000;
const kept = 20;

/** The entries of a long session, one after the other, without ever holding them all. */
export function* log(count: number): Generator<Entry> {
  const random = createRandom(1);
  let [parentId, epoch] = [null as string | null, null as string | null];
  const recent: string[] = [];
  for (let handle = 1; handle <= count; handle += 1) {
    const base = { v: 1 as const, id: idAt(handle), parentId, handle, at: Date.UTC(2026, 0, 1) + handle * 1000 };
    // Sessions end in the middle of an epoch, as they do in life.
    const place = (handle + 1500) % compactionEvery;
    const entry: Entry =
      place === compactionEvery - 1 && handle + 1 <= count
        ? {
            ...base,
            epoch,
            type: 'compaction',
            summary: sentence(random, 300),
            trigger: 'auto',
            firstKeptId: recent[0] ?? null,
            tokensBefore: 100_000,
          }
        : place === 0
          ? { ...base, epoch: base.id, type: 'epoch', reason: 'compaction', codec: 1, items: { list: items(recent) } }
          : { ...base, epoch, type: 'message', message: messageAt({ handle, text: sentence(random, 30) }) };
    if (entry.type === 'epoch') epoch = entry.id;
    if (entry.type === 'message') recent.push(entry.id);
    if (recent.length > kept) recent.shift();
    if (nodeTypes.has(entry.type)) parentId = entry.id;
    yield entry;
  }
}

function items(recent: readonly string[]): EpochItem[] {
  const text = 'What was said before, in short.';
  const made = { role: 'user' as const, parts: [{ type: 'text' as const, origin: 'engine' as const, text }] };
  return [{ made }, ...recent.map((entry) => ({ entry }))];
}

function messageAt({ handle, text }: { handle: number; text: string }) {
  const isHuman = handle % 2 === 1;
  return {
    role: isHuman ? ('user' as const) : ('assistant' as const),
    parts: [{ type: 'text' as const, origin: isHuman ? ('human' as const) : ('model' as const), text }],
  };
}

export function idAt(handle: number): string {
  return `018c0000-0000-7000-8000-${String(handle).padStart(12, '0')}`;
}

/** The same session as pi writes it: a line an entry. */
export function* piLines(count: number): Generator<string> {
  const timestamp = new Date(Date.UTC(2026, 0, 1)).toISOString();
  yield JSON.stringify({ type: 'session', version: 3, id: 'bench', timestamp, cwd: '/' });
  let parentId: string | null = null;
  for (const entry of log(count)) {
    const base: { id: string; parentId: string | null; timestamp: string } = {
      id: entry.id.slice(-12),
      parentId,
      timestamp,
    };
    if (entry.type === 'message') {
      const [part] = entry.message.parts;
      const content = [{ type: 'text', text: part?.type === 'text' ? part.text : '' }];
      const message =
        entry.message.role === 'user' ? { role: 'user', content, timestamp: entry.at } : answer(content, entry.at);
      yield JSON.stringify({ type: 'message', ...base, message });
    } else if (entry.type === 'compaction') {
      const firstKeptEntryId = entry.firstKeptId?.slice(-12);
      yield JSON.stringify({ type: 'compaction', ...base, summary: entry.summary, firstKeptEntryId, tokensBefore: 1 });
    } else continue;
    parentId = base.id;
  }
}

function answer(content: unknown, timestamp: number) {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
  return { role: 'assistant', content, provider: 'x', model: 'y', api: 'z', usage, stopReason: 'stop', timestamp };
}
