import { LonghaulError } from '../../errors.ts';
import { isArray, type Json } from '../../json.ts';
import type { DocumentFormat, LinesFormat } from '../format.ts';
import type { FileRecord } from '../lines/read-records.ts';
import type { Reading } from '../reading.ts';
import type { WarningList } from '../report.ts';
import { type Run, weaveRuns } from '../runs.ts';
import { createTally } from '../tally.ts';
import { isEvent, isRun } from './record.ts';
import type { Report } from './report.ts';
import { conversationOf, runOf } from './run.ts';

/**
 * A file with a record a line: runs, each a session, or the events of one conversation.
 *
 * @example
 * const reading = readLines({ first, records, beginning, warnings });
 */
export function readLines({ first, records, warnings }: Parameters<LinesFormat['read']>[0]): Reading {
  const report = { tally: createTally({ warnings }), warnings };
  if (isRun(first.value)) {
    const main = runOf({ run: first.value, ...report });
    return readingOf({ main, runs: runsIn({ records, ...report }), ...report });
  }
  if (!isEvent(first.value)) throw neither();
  const events = eventsIn({ records, warnings });
  const main = conversationOf({ first: first.value, events, mayGrow: true, report });
  return readingOf({ main, runs: [main], ...report });
}

/** A file that is one JSON value: a run, or the list of the events of a conversation. */
export function readDocument({ value, warnings }: Parameters<DocumentFormat['read']>[0]): Reading {
  const report = { tally: createTally({ warnings }), warnings };
  const main = isRun(value) ? runOf({ run: value, ...report }) : listed({ value, report });
  return readingOf({ main, runs: [main], ...report });
}

function listed({ value, report }: { readonly value: Json; readonly report: Report }): Run {
  const events = isArray(value) ? value.filter(isEvent) : [];
  const [first] = events;
  if (!first) throw neither();
  return conversationOf({ first, events: events.map((event) => ({ event })), mayGrow: false, report });
}

/** Whether a value is a file of OpenHands. */
export function isDocument(value: Json): boolean {
  return isArray(value) ? value.length > 0 && value.every(isEvent) : isRun(value);
}

function readingOf({
  main,
  runs,
  tally,
  warnings,
}: Report & { readonly main: Run; readonly runs: Iterable<Run> | AsyncIterable<Run> }): Reading {
  return {
    format: 'openhands',
    key: main.key,
    header: main.header,
    async *entries({ createdAt }) {
      yield* weaveRuns({ format: 'openhands', runs, createdAt, warnings });
      tally.report();
    },
  };
}

async function* runsIn({
  records,
  tally,
  warnings,
}: Report & { readonly records: AsyncIterable<FileRecord> }): AsyncGenerator<Run> {
  for await (const { value, line } of records) {
    if (isRun(value)) yield runOf({ run: value, tally, warnings });
    else warnings.add({ code: 'strange-record', message: 'This line is no run of OpenHands; it was left out.', line });
  }
}

async function* eventsIn(of: { readonly records: AsyncIterable<FileRecord>; readonly warnings: WarningList }) {
  for await (const { value: event, line } of of.records) {
    if (!isRun(event)) yield { event, line };
    else
      of.warnings.add({ code: 'strange-record', message: 'This line is a run among events; it was left out.', line });
  }
}

function neither(): LonghaulError {
  return new LonghaulError({
    code: 'not-a-session',
    cause: 'This looks like a file of OpenHands, but has neither runs with a history nor events.',
    next: 'Give an output.jsonl of an evaluation, or the events of a conversation, one a line.',
  });
}
