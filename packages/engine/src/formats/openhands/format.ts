import type { DocumentFormat, LinesFormat } from '../format.ts';
import { isDocument, readDocument, readLines } from './read.ts';
import { isEvent, isRun } from './record.ts';

/** Most runs are longer than what is looked at, and the first event with its prompt may be. */
const runStart = /^\{\s*"(?:instance_id|issue)"\s*:.*"(?:instruction|test_result|issue_type|attempt)"\s*:/;
const eventStart = /^\{\s*(?:"kind"\s*:\s*"\w+"\s*,\s*)?"id"\s*:[^,]+,\s*"timestamp"\s*:[^,]+,\s*"source"\s*:/;

/** Runs of evaluations (`output.jsonl`) and of the resolver, and the events of a conversation, a record a line. */
export const openhands: LinesFormat = {
  kind: 'lines',
  name: 'openhands',
  isRecord: (value) => isRun(value) || isEvent(value),
  startsLike: new RegExp(`${runStart.source}|${eventStart.source}`, 's'),
  read: readLines,
};

/** One run, or the list of the events of a conversation, as a JSON file. */
export const openhandsDocument: DocumentFormat = {
  kind: 'document',
  name: 'openhands',
  isDocument,
  read: readDocument,
};
