import { LonghaulError } from '../../errors.ts';
import { isArray, isObject, type Json, type JsonObject, without } from '../../json.ts';
import { codecs } from '../../message/index.ts';
import type { DocumentFormat, LinesFormat } from '../format.ts';
import { digestOf } from '../ids.ts';
import type { FileRecord } from '../lines/read-records.ts';
import type { ParsedHeader, ParsedSession } from '../parsed-session.ts';
import { readRuns, type SessionRun } from '../session-runs.ts';
import { createSkipCounter } from '../skip-counter.ts';
import { readTime } from '../time.ts';
import type { WarningList } from '../warnings.ts';
import { idOf, textOf, usagesOf } from './content.ts';
import type { ReadContext } from './event.ts';
import { createEventReader } from './read.ts';

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

/**
 * A file with a record a line: runs, each a session, or the events of one conversation.
 *
 * @example
 * const reading = readLines({ first, records, beginning, warnings });
 */
function readLines({ first, records, warnings }: Parameters<LinesFormat['read']>[0]): ParsedSession {
  const report = { skips: createSkipCounter({ warnings }), warnings };
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
function readDocument({ value, warnings }: Parameters<DocumentFormat['read']>[0]): ParsedSession {
  const report = { skips: createSkipCounter({ warnings }), warnings };
  const main = isRun(value) ? runOf({ run: value, ...report }) : listed({ value, report });
  return readingOf({ main, runs: [main], ...report });
}

function listed({ value, report }: { readonly value: Json; readonly report: ReadContext }): SessionRun {
  const events = isArray(value) ? value.filter(isEvent) : [];
  const [first] = events;
  if (!first) throw neither();
  return conversationOf({ first, events: events.map((event) => ({ event })), mayGrow: false, report });
}

/** Whether a value is a file of OpenHands. */
function isDocument(value: Json): boolean {
  return isArray(value) ? value.length > 0 && value.every(isEvent) : isRun(value);
}

function readingOf({
  main,
  runs,
  skips,
  warnings,
}: ReadContext & {
  readonly main: SessionRun;
  readonly runs: Iterable<SessionRun> | AsyncIterable<SessionRun>;
}): ParsedSession {
  return {
    format: 'openhands',
    key: main.key,
    header: main.header,
    async *entries({ createdAt }) {
      yield* readRuns({ format: 'openhands', runs, createdAt, warnings });
      skips.report();
    },
  };
}

async function* runsIn({
  records,
  skips,
  warnings,
}: ReadContext & { readonly records: AsyncIterable<FileRecord> }): AsyncGenerator<SessionRun> {
  for await (const { value, line } of records) {
    if (isRun(value)) yield runOf({ run: value, skips, warnings });
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
    message: 'This looks like a file of OpenHands, but has neither runs with a history nor events.',
    hint: 'Give an output.jsonl of an evaluation, or the events of a conversation, one a line.',
  });
}

/** A run as a session. It is written when it is over, so it is known by all that happened in it. */
function runOf({ run, skips, warnings }: ReadContext & { readonly run: JsonObject }): SessionRun {
  const events = eventsOf(run);
  const { instance_id: instance, issue, metadata, metrics } = run;
  const config = isObject(metadata) && isObject(metadata.llm_config) ? metadata.llm_config : {};
  const name = idOf(instance) ?? (isObject(issue) ? textOf(issue.title) : '');
  return {
    key: `${name}/${digestOf(events)}`,
    header: {
      ...(name !== '' && { name }),
      ...begun(events),
      details: { ...toolsOf(events), openhands: { ...without(run, ['history', 'metrics']), ...summed(metrics) } },
    },
    *build({ builder, createdAt: startedAt }) {
      const known = { usages: usagesOf(metrics), model: textOf(config.model) || undefined };
      const thread = createEventReader({ builder, startedAt, ...known, skips, warnings });
      for (const event of events) yield* thread.take({ event });
      yield* thread.end({ mayGrow: false });
    },
  };
}

/** A conversation as it is kept on disk, as a session. Which one it is its events do not say, but the first is its own. */
function conversationOf(of: {
  readonly first: JsonObject;
  readonly events: Iterable<TakenEvent> | AsyncIterable<TakenEvent>;
  readonly mayGrow: boolean;
  readonly report: ReadContext;
}): SessionRun {
  const { first, events, mayGrow, report } = of;
  return {
    key: digestOf([first.id ?? null, first.timestamp ?? null]),
    header: { ...begun([first]), details: toolsOf([first]) },
    async *build({ builder, createdAt: startedAt }) {
      const thread = createEventReader({ builder, startedAt, ...report });
      for await (const taken of events) yield* thread.take(taken);
      yield* thread.end({ mayGrow });
    },
  };
}

interface TakenEvent {
  readonly event: JsonObject;
  readonly line?: number;
}

function begun([first]: readonly JsonObject[]): Pick<ParsedHeader, 'createdAt'> {
  const createdAt = readTime(first?.timestamp);
  return createdAt === undefined ? {} : { createdAt };
}

/** The tools stored with the system prompt. Newer versions store only their names. */
function toolsOf(events: readonly JsonObject[]): JsonObject {
  const listed = events.slice(0, 3).flatMap(({ args, tools }) => (isObject(args) ? args.tools : tools) ?? []);
  const functions = listed.flat().filter((tool) => isObject(tool) && tool.type === 'function');
  const tools = codecs['openai-chat'].readTools({ tools: functions });
  return tools.length > 0 ? { tools: tools as unknown as Json } : {};
}

/** The metrics of a run without the lists that become usage notes. */
function summed(metrics: Json | undefined): JsonObject {
  if (!isObject(metrics)) return {};
  const sums = Object.entries(metrics).filter(([, value]) => !isArray(value));
  return { metrics: Object.fromEntries(sums) };
}

/** Whether a record is a run: what an evaluation or the resolver writes when it is through with an instance. */
function isRun(value: Json): value is JsonObject {
  if (!isObject(value) || !isArray(value.history) || value.trajectory !== undefined) return false;
  if (value.instance_id === undefined && !isObject(value.issue)) return false;
  return eventsOf(value)
    .slice(0, 3)
    .every((event) => eventName(event) !== undefined);
}

/** Whether a record is an event by itself, as conversations are kept on disk. */
function isEvent(value: Json): value is JsonObject {
  if (!isObject(value) || value.type !== undefined || typeof value.timestamp !== 'string') return false;
  const isNamed = typeof value.id === 'string' || typeof value.id === 'number';
  return isNamed && typeof value.source === 'string' && eventName(value) !== undefined;
}

/** The events of a run. The first evaluations wrote them in pairs of action and observation. */
function eventsOf(run: JsonObject): readonly JsonObject[] {
  return isArray(run.history) ? run.history.flat().filter((event) => isObject(event)) : [];
}

/** The class of an event: `kind` in newer versions, the action or observation name in older ones. */
function eventName({ kind, action, observation }: JsonObject): string | undefined {
  return [kind, action, observation].find((name) => typeof name === 'string');
}
