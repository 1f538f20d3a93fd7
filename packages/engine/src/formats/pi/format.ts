import { type JsonObject, without } from '../../json.ts';
import { createChain } from '../chain.ts';
import { digestOf } from '../digest.ts';
import type { LinesFormat } from '../format.ts';
import { afterFirst } from '../lines/after-first.ts';
import { sessionPieces } from '../lines/header-pieces.ts';
import type { FileRecord } from '../lines/read-records.ts';
import { createWeaver } from '../log-builder.ts';
import type { Reading } from '../reading.ts';
import type { WarningList } from '../report.ts';
import { readTime } from '../time.ts';
import { readPiEntries } from './read.ts';

const kinds: ReadonlySet<unknown> = new Set([
  'session',
  'message',
  'thinking_level_change',
  'model_change',
  'compaction',
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'session_info',
  'usage',
  'context_edit',
  'ttsr_injection',
]);

/** Whether a record is a header of pi. */
function isPiHeader(value: JsonObject): boolean {
  return value.type === 'session' && value.format === undefined;
}

/** Whether a record may be one of a pi session; newer kinds are told by the id and the time that all entries have. */
function isPiRecord(value: JsonObject): boolean {
  const isEntry = typeof value.type === 'string' && typeof value.timestamp === 'string';
  if (!isEntry || kinds.has(value.type)) return isEntry;
  // The kinds of Copilot's events have a dot; else they look the same.
  return typeof value.id === 'string' && value.parentId !== undefined && !String(value.type).includes('.');
}

/**
 * A session of pi. Where the header is torn or missing, what can be told from its pieces and from the entries is used.
 *
 * @example
 * const reading = readPi({ header: first.value, records, first: undefined, warnings });
 */
function readPi({
  header,
  records,
  first,
  warnings,
}: {
  /** `undefined` where there is none to be read; then `records` begins with the first entry. */
  readonly header: JsonObject | undefined;
  readonly records: AsyncIterable<FileRecord>;
  /** The first entry, which names a session that has lost its header. */
  readonly first: FileRecord | undefined;
  readonly warnings: WarningList;
}): Reading {
  const { id, cwd, timestamp } = header ?? {};
  if (typeof id !== 'string') {
    warnings.add({
      code: 'half-a-header',
      message: 'The header is damaged; the session was taken from its entries.',
      line: 1,
    });
  }
  const time = readTime(timestamp);
  const key = typeof id === 'string' ? id : `entries:${first ? digestOf(first.value) : 'none'}`;
  const rest = header && without(header, ['type', 'id', 'cwd', 'timestamp', 'title']);
  return {
    format: 'pi',
    key,
    header: {
      ...(typeof cwd === 'string' && cwd !== '' && { cwd }),
      ...(typeof header?.title === 'string' && { name: header.title }),
      ...(time !== undefined && { createdAt: time }),
      ...(rest && { details: { pi: rest } }),
    },
    entries: ({ createdAt }) => {
      const weaver = createWeaver({ idOf: createChain({ seed: `pi\n${key}` }) });
      return readPiEntries({ records, weaver, warnings, startedAt: createdAt });
    },
  };
}

/** A session of pi or oh-my-pi, versions 1 to 3. */
export const pi: LinesFormat = {
  kind: 'lines',
  name: 'pi',
  isRecord: (value) => isPiHeader(value) || isPiRecord(value),
  startsLike: /^\{\s*"type"\s*:\s*"session"/,
  read: ({ first, records, beginning, warnings }) =>
    isPiHeader(first.value)
      ? readPi({ header: first.value, records: afterFirst(records), first: undefined, warnings })
      : readPi({ header: sessionPieces(beginning), records, first, warnings }),
};
