import { isArray, type JsonObject, without } from '../../json.ts';
import { createChain } from '../chain.ts';
import { digestOf } from '../digest.ts';
import type { FileRecord } from '../lines/read-records.ts';
import { createWeaver } from '../log-builder.ts';
import type { Reading } from '../reading.ts';
import type { WarningList } from '../report.ts';
import { readTime } from '../time.ts';
import { readGeminiEntries } from './read.ts';

/** Whether a record says which session it is. */
export function isGeminiHeader(value: JsonObject): boolean {
  return typeof value.sessionId === 'string' && typeof value.projectHash === 'string' && value.type === undefined;
}

/**
 * A session of Gemini CLI. Where the header is gone, the first record names the session.
 *
 * @example
 * const reading = readGemini({ header: first.value, records, warnings });
 */
export function readGemini({
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
