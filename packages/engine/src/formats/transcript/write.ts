import type { JsonObject } from '../../json.ts';
import { type Entry, type EntryId, nodeTypes, type SessionHeader } from '../../session/index.ts';
import { createMasking, type MaskText } from '../export/masking.ts';
import type { ExportSource } from '../export/source.ts';
import { surveyOf } from '../export/survey.ts';
import { withNext } from '../lines/async-iterable.ts';
import { createSkipCounter } from '../skip-counter.ts';
import { createWarnings } from '../warnings.ts';
import { createEvents, startEvents } from './entry-events.ts';
import { createEnvelopes, createTurnMarkers, enclosed, type TranscriptEvent } from './events.ts';

/** A transcript that is written while the session goes on: line after line, and no line ever changes. */
export interface LiveTranscript {
  /** How many lines there are. */
  readonly lines: number;
  /** The lines with which it begins. */
  begin(): string;
  /** The lines that an entry becomes, each with its line end. A compaction needs the entry behind it, its epoch. */
  take(of: { readonly entry: Entry; readonly next?: Entry | undefined }): string;
}

/**
 * Makes the lines of a transcript from the entries of a log, in the order in which they were appended. The same log gives
 * the same lines, so that one that broke off can be taken up again: lines that are `known` are not made again, and what
 * follows goes on from their ids (VS Code's chat begins a new chain, editor.md 10.1).
 *
 * A transcript is one chain. Where the session goes elsewhere in its tree, an event of Copilot's says from which line on
 * nothing holds any more.
 *
 * @example
 * const transcript = createLiveTranscript({ header });
 * const text = transcript.begin() + entries.map((entry) => transcript.take({ entry })).join('');
 */
export function createLiveTranscript({
  header,
  mask,
  known = [],
}: {
  readonly header: SessionHeader;
  readonly mask?: MaskText | undefined;
  /** The ids of the lines that are there already. */
  readonly known?: readonly string[];
}): LiveTranscript {
  const warnings = createWarnings();
  const masking = mask && createMasking({ mask, warnings });
  const toEvents = createEvents({ survey: { compactions: [] }, skips: createSkipCounter({ warnings }) });
  const turns = createTurnMarkers();
  const ids: string[] = [];
  /** Number of lines after each node was written. */
  const ends = new Map<EntryId | null, number>();
  let leaf: EntryId | null = null;
  return {
    get lines() {
      return ids.length;
    },
    begin() {
      const first = masking ? masking.header(header) : header;
      const text = startEvents({ header: first, name: first.name }).map((event) =>
        line({ event, at: header.createdAt }),
      );
      ends.set(null, ids.length);
      return text.join('');
    },
    take({ entry, next }) {
      const lines: string[] = [];
      const { at } = entry;
      const put = (events: Iterable<TranscriptEvent>) => {
        for (const event of events) lines.push(line({ event, at }));
      };
      const isNode = nodeTypes.has(entry.type);
      const from = entry.type === 'leaf' ? entry.target : isNode ? entry.parentId : leaf;
      if (from !== leaf) {
        put(turns.end());
        put(backTo(from));
      }
      for (const event of eventsOf({ entry: masking ? masking.entry(entry) : entry, next })) put(turns.around(event));
      leaf = isNode ? entry.id : from;
      if (isNode) ends.set(entry.id, ids.length);
      return lines.join('');
    },
  };

  function eventsOf({ entry, next }: { readonly entry: Entry; readonly next: Entry | undefined }): TranscriptEvent[] {
    if (entry.type === 'session_info') {
      const { name } = entry.info;
      return name === undefined ? [] : [{ type: 'session.title_changed', data: { title: name } }];
    }
    if (entry.type === 'epoch' && (entry.reason === 'undo' || entry.reason === 'redo')) {
      const again = entry.reason === 'undo' ? 'was taken back' : 'is in force again';
      return [
        { type: 'session.info', data: { infoType: entry.reason, message: `A change of what is sent ${again}.` } },
      ];
    }
    // Later entries may not exist yet, and a line must not depend on the time it was written.
    return toEvents({ entry, next: entry.type === 'compaction' ? next : undefined });
  }

  /** The named event and all after it hold no longer. */
  function backTo(target: EntryId | null): TranscriptEvent[] {
    const end = ends.get(target);
    const first = end === undefined ? undefined : ids[end];
    if (end === undefined || first === undefined) return [];
    return [{ type: 'session.snapshot_rewind', data: { upToEventId: first, eventsRemoved: ids.length - end } }];
  }

  function line({ event, at }: { readonly event: TranscriptEvent; readonly at: number }): string {
    const there = known[ids.length];
    if (there !== undefined) {
      ids.push(there);
      return '';
    }
    const record = enclosed({ event, at, parentId: ids.at(-1) ?? null });
    ids.push(record.id);
    return `${JSON.stringify(record)}\n`;
  }
}

/**
 * A session as events of Copilot and VS Code Chat: the path to the leaf, with tool results and compactions, which VS
 * Code omits from its transcripts. A transcript is linear, so other branches are not included.
 *
 * @example
 * for await (const event of writeTranscript(source)) stream.write(`${JSON.stringify(event)}\n`);
 */
export async function* writeTranscript(source: ExportSource): AsyncGenerator<JsonObject> {
  const { header, warnings } = source;
  const survey = await surveyOf(source);
  const skips = createSkipCounter({ warnings, why: 'a transcript has no word for them' });
  const enclose = createEnvelopes();
  const turns = createTurnMarkers();
  const toEvents = createEvents({ survey, skips });

  for (const event of startEvents({ header, name: survey.summary.name }))
    yield enclose({ event, at: header.createdAt });
  for await (const { item: entry, next } of withNext(source.entries())) {
    if (!survey.isOnPath(entry)) {
      skips.skip('entries of other branches');
      continue;
    }
    for (const event of toEvents({ entry, next })) {
      for (const eventsOf of turns.around(event)) yield enclose({ event: eventsOf, at: entry.at });
    }
  }
  for (const event of turns.end()) yield enclose({ event, at: survey.summary.updatedAt });
  skips.report();
}
