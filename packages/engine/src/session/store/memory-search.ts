import type { Entry, EntryId } from '../entry/entry.ts';
import { textsOf } from '../recall/part-text.ts';
import type { Hit, SessionId } from './store.ts';

interface Text {
  readonly session: SessionId;
  readonly entry: EntryId;
  readonly handle: number;
  readonly part: number;
  readonly text: string;
  readonly words: ReadonlyMap<string, number>;
}

interface WordIndex {
  add(input: { readonly session: SessionId; readonly entry: Entry }): void;
  remove(session: SessionId): void;
  find(input: {
    readonly text: string;
    readonly session: SessionId | undefined;
    readonly limit: number;
    readonly isOnPath: (hit: { readonly session: SessionId; readonly entry: EntryId }) => boolean;
  }): Hit[];
}

/** Search for a store in memory: rare words weigh more, and so do texts on the active path and newer ones. */
export function createWordIndex(): WordIndex {
  let texts: Text[] = [];
  return {
    add({ session, entry }) {
      for (const { part, text, isProse } of textsOf(entry)) {
        if (isProse) texts.push({ session, entry: entry.id, handle: entry.handle, part, text, words: counted(text) });
      }
    },
    remove(session) {
      texts = texts.filter((text) => text.session !== session);
    },
    find({ text, session, limit, isOnPath }) {
      const wanted = [...counted(text).keys()];
      const pool = texts.filter((candidate) => session === undefined || candidate.session === session);
      const rarity = new Map(
        wanted.map((word) => {
          const holders = pool.filter(({ words }) => words.has(word)).length;
          return [word, Math.log(1 + pool.length / (1 + holders))];
        }),
      );
      return pool
        .flatMap((candidate) => {
          const score = wanted.reduce((sum, word) => {
            const times = candidate.words.get(word) ?? 0;
            return sum + (times / (times + 1)) * (rarity.get(word) ?? 0);
          }, 0);
          if (score === 0) return [];
          const boost = (isOnPath(candidate) ? 1.5 : 1) * (1 + candidate.handle / (candidate.handle + 1000) / 10);
          return [hit({ candidate, wanted, score: score * boost })];
        })
        .sort((a, b) => b.score - a.score || b.handle - a.handle)
        .slice(0, limit);
    },
  };
}

const word = /[\p{L}\p{N}_]+/gu;

function counted(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const [match] of text.toLowerCase().matchAll(word)) words.set(match, (words.get(match) ?? 0) + 1);
  return words;
}

function hit({
  candidate,
  wanted,
  score,
}: {
  readonly candidate: Text;
  readonly wanted: readonly string[];
  readonly score: number;
}): Hit {
  const { session, entry, handle, part, text } = candidate;
  return { session, entry, handle, part, score, snippet: snippetOf({ text, wanted }) };
}

/** The text around the first word that was found. */
function snippetOf({ text, wanted }: { readonly text: string; readonly wanted: readonly string[] }): string {
  const found = [...text.matchAll(word)].find(([match]) => wanted.includes(match.toLowerCase()));
  const at = found?.index ?? 0;
  const start = Math.max(0, at - 60);
  const end = Math.min(text.length, at + 100);
  const middle = text.slice(start, end).toWellFormed().replace(/\s+/g, ' ').trim();
  return `${start > 0 ? '…' : ''}${middle}${end < text.length ? '…' : ''}`;
}
