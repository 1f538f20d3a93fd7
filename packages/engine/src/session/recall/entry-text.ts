import type { Entry } from '../entry/entry.ts';
import { writeEntry } from '../entry/schema.ts';
// Apart from this file, so that the thread of a store can index texts without loading the schemas of entries.
import { textsOf } from './part-text.ts';

/** The text of a whole entry: what it says, part by part, or the JSON of an entry that is there to say nothing. */
export function entryText(entry: Entry): string {
  const texts = textsOf(entry);
  const isSilent = texts.length === 0 && entry.type !== 'message' && entry.type !== 'custom_message';
  if (isSilent) return JSON.stringify(writeEntry(entry));
  // Media would bury what was said; each is there under its own handle.
  const prose = texts.filter(({ isProse }) => isProse);
  return (prose.length > 0 ? prose : texts).map(({ text }) => text).join('\n');
}
