import { isArray, isObject, type Json, type JsonObject, without } from '../../json.ts';
import { createChain } from '../chain.ts';
import { digestOf } from '../digest.ts';
import type { DocumentFormat, LinesFormat } from '../format.ts';
import type { FileRecord } from '../lines/read-records.ts';
import { createWeaver } from '../log-builder.ts';
import type { Reading } from '../reading.ts';
import type { WarningList } from '../report.ts';
import { readTime } from '../time.ts';
import { readGeminiEntries } from './read.ts';

const kinds: ReadonlySet<unknown> = new Set(['user', 'gemini', 'info', 'error', 'warning']);

/** A session of Gemini CLI with a record a line: messages, and changes of what came before. */
export const geminiLines: LinesFormat = {
  kind: 'lines',
  name: 'gemini-cli',
  isRecord: (value) => isHeader(value) || isChange(value) || isMessage(value),
  read: ({ first, records, warnings }) => readGemini({ header: first.value, records, warnings }),
};

/** A session of Gemini CLI as older versions wrote it: one object, written anew with every message. */
export const geminiDocument: DocumentFormat = {
  kind: 'document',
  name: 'gemini-cli',
  isDocument: (value) => isObject(value) && isGeminiHeader(value) && isArray(value.messages),
  read: ({ value, warnings }) => {
    const header = isObject(value) ? value : {};
    return readGemini({ header, records: recordsOf(value), warnings });
  },
};

/** The header of a file of lines; a document of one line looks like it, but has its messages inside. */
function isHeader(value: JsonObject): boolean {
  return isGeminiHeader(value) && value.messages === undefined;
}

function isChange(value: JsonObject): boolean {
  return isObject(value.$set) || isObject(value.$patch) || typeof value.$rewindTo === 'string';
}

function isMessage(value: JsonObject): boolean {
  const isStamped = typeof value.id === 'string' && typeof value.timestamp === 'string';
  return isStamped && kinds.has(value.type) && value.content !== undefined && value.parentId === undefined;
}

async function* recordsOf(value: Json): AsyncGenerator<{ readonly value: JsonObject; readonly line: number }> {
  if (isObject(value)) yield { value, line: 1 };
}

/** Whether a record says which session it is. */
function isGeminiHeader(value: JsonObject): boolean {
  return typeof value.sessionId === 'string' && typeof value.projectHash === 'string' && value.type === undefined;
}

/**
 * A session of Gemini CLI. Where the header is gone, the first record names the session.
 *
 * @example
 * const reading = readGemini({ header: first.value, records, warnings });
 */
function readGemini({
  header,
  records,
  warnings,
}: {
  /** The first record, which is a header unless that is lost. */
  readonly header: JsonObject;
  /** All records, the first included. */
  readonly records: AsyncIterable<Pick<FileRecord, 'value' | 'line'>>;
  readonly warnings: WarningList;
}): Reading {
  const { sessionId } = header;
  const isWhole = isGeminiHeader(header);
  if (!isWhole) {
    const message = 'The header is missing; the session was taken from its records.';
    warnings.add({ code: 'half-a-header', message, line: 1 });
  }
  const key = typeof sessionId === 'string' ? sessionId : `records:${digestOf(header)}`;
  const createdAt = readTime(header.startTime) ?? readTime(header.timestamp);
  const kept = isWhole ? without(header, ['sessionId', 'startTime', 'lastUpdated', 'messages', 'summary']) : undefined;
  const cwd = header.kind === 'subagent' && isArray(header.directories) ? header.directories[0] : undefined;
  return {
    format: 'gemini-cli',
    key,
    header: {
      // A sub-agent's first folder is where it works; a main session lists only those that were added to it.
      ...(typeof cwd === 'string' && { cwd }),
      ...(createdAt !== undefined && { createdAt }),
      ...(kept && { details: { 'gemini-cli': kept } }),
    },
    entries: ({ createdAt: startedAt }) => {
      const weaver = createWeaver({ idOf: createChain({ seed: `gemini-cli\n${key}` }) });
      return readGeminiEntries({ records, weaver, warnings, startedAt });
    },
  };
}
