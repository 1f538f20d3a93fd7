import type { Part } from 'longhaul/message';
import type { Entry } from 'longhaul/session';
import { createHaystack, stringsIn } from './haystack.ts';
import type { RawFile } from './raw-file.ts';

/** How many texts were looked for, and how many of them were found byte for byte. */
export interface Found {
  readonly sampled: number;
  readonly found: number;
}

export interface ComparedTexts {
  /** What the file says that people typed and tools returned, looked for in the log. */
  readonly human: Found;
  readonly results: Found;
  /** What the log says that people typed and tools returned, looked for in the file. */
  readonly back: Found;
}

/** So many of the texts of one kind are looked for, from all over a session. */
const sample = 200;

/** Looks for the texts of a file in the log that was made of it, and the other way round. */
export function compareTexts({
  entries,
  raw,
}: {
  readonly entries: readonly Entry[];
  readonly raw: RawFile;
}): ComparedTexts {
  const log = createHaystack(entries.flatMap(textsOf));
  const said = (speaker: 'human' | 'tool') => raw.spoken.flatMap((one) => (one.speaker === speaker ? [one.text] : []));
  const logged = entries.flatMap(partsOf).flatMap((part) => (isOfOthers(part) ? [part.text] : []));
  return {
    human: look({ texts: said('human'), has: log.has }),
    results: look({ texts: said('tool'), has: log.has }),
    back: look({ texts: logged, has: raw.all.has }),
  };
}

/** All that an entry says. What one message says in several parts may stand in one string of the file. */
function textsOf(entry: Entry): string[] {
  const joined = partsOf(entry).flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return [joined.join(''), ...stringsIn(entry)];
}

function partsOf(entry: Entry): readonly Part[] {
  if (entry.type !== 'message') return [];
  return entry.message.parts.flatMap((part): readonly Part[] => (part.type === 'tool_result' ? part.content : [part]));
}

function isOfOthers(part: Part): part is Extract<Part, { readonly type: 'text' }> {
  return part.type === 'text' && (part.origin === 'human' || part.origin === 'tool') && part.text !== '';
}

function look({ texts, has }: { readonly texts: readonly string[]; readonly has: (text: string) => boolean }): Found {
  const step = Math.max(1, texts.length / sample);
  const chosen = Array.from({ length: Math.min(sample, texts.length) }, (_, i) => texts[Math.floor(i * step)] ?? '');
  return { sampled: chosen.length, found: chosen.filter(has).length };
}
