import type { Entry } from '../entry/entry.ts';
import type { SessionHeader, SessionSummary } from './store.ts';

/** Characters of a title. */
const titleLength = 80;

/**
 * The line of a session in a list, before its first entry. Stores keep it up to date with `summaryAfter`, so that all of
 * them tell the same of the same log.
 */
export function firstSummary(header: SessionHeader): SessionSummary {
  return {
    header,
    name: shownName(header.name),
    count: 0,
    messages: 0,
    updatedAt: header.createdAt,
    title: undefined,
  };
}

/** The line of a session in a list after one more entry. */
export function summaryAfter(summary: SessionSummary, entry: Entry): SessionSummary {
  return {
    header: summary.header,
    name: nameAfter(summary.name, entry),
    count: summary.count + 1,
    messages: summary.messages + (entry.type === 'message' ? 1 : 0),
    // A clock that went back does not make a session older than it was.
    updatedAt: Math.max(summary.updatedAt, entry.at),
    title: summary.title ?? titleOf(entry),
  };
}

function nameAfter(name: string | undefined, entry: Entry): string | undefined {
  if (entry.type !== 'session_info' || entry.info.name === undefined) return name;
  return shownName(entry.info.name);
}

/** A name as lists show it; none where nothing of it can be shown. */
export function shownName(name: string | undefined): string | undefined {
  const line = oneLine(name ?? '');
  return line === '' ? undefined : line;
}

/**
 * Text for one line of a list. What the log keeps as JSON, no database column and no terminal takes as it is: halves of
 * surrogate pairs, NUL, escape sequences, line breaks.
 */
function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/**
 * The beginning of a text on one line, with a mark where it was cut.
 *
 * @example
 * firstWords({ text: 'a long\nstory', length: 8 }); // 'a long…'
 */
export function firstWords({ text, length }: { readonly text: string; readonly length: number }): string {
  // No more than this is looked at: a pasted log of megabytes has its first words at its start too.
  const words = oneLine(text.slice(0, length * 10));
  return words.length > length ? `${words.slice(0, length - 1).toWellFormed()}…` : words;
}

/** The first words of a human message. */
function titleOf(entry: Entry): string | undefined {
  if (entry.type !== 'message') return undefined;
  for (const part of entry.message.parts) {
    if (part.type !== 'text' || part.origin !== 'human') continue;
    const words = firstWords({ text: part.text, length: titleLength });
    if (words !== '') return words;
  }
  return undefined;
}
