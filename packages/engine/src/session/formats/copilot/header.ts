import { createHash } from 'node:crypto';
import { isObject, type JsonObject, parseJson, without } from '../../../json.ts';
import type { LinesFormat } from '../format.ts';
import type { ReadHeader } from '../reading.ts';
import { readEvent, timeOf } from './event.ts';
import { readEvents } from './read.ts';

/**
 * A session of the Copilot CLI or a transcript of VS Code Chat. Where its first line is torn or gone, it is known by the
 * id that is left of it, or by the first event that can be read.
 *
 * @example
 * const reading = readCopilot({ records, first, beginning, warnings });
 */
export const readCopilot: LinesFormat['read'] = ({ records, first, beginning, warnings }) => {
  const event = readEvent(first.value);
  const isWhole = event?.kind === 'session.start';
  const start = isWhole ? event.data : pieces(beginning);
  const key = typeof start.sessionId === 'string' ? start.sessionId : `entries:${keyOf(first.value)}`;
  if (!isWhole) {
    const message = 'The first event is damaged or gone; the session was taken from those after it.';
    warnings.add({ code: 'half-a-header', message, line: 1 });
  }
  const header = headerOf(start);
  return {
    format: 'copilot',
    key,
    header,
    entries: ({ createdAt }) => readEvents({ records, warnings, startedAt: createdAt, session: { key, header } }),
  };
};

function headerOf(start: JsonObject): ReadHeader {
  const cwd = isObject(start.context) ? start.context.cwd : start.cwd;
  const createdAt = timeOf(start.startTime);
  const rest = without(start, ['sessionId', 'startTime', 'cwd']);
  return {
    ...(typeof cwd === 'string' && cwd !== '' && { cwd }),
    ...(createdAt !== undefined && { createdAt }),
    ...(rest && { details: { copilot: rest } }),
  };
}

/** What is left of a torn first event. */
function pieces(beginning: string): JsonObject {
  const [line = ''] = beginning.split('\n');
  if (!line.includes('"session.start"')) return {};
  const found = [...line.matchAll(/"(sessionId|startTime|cwd)"\s*:\s*("(?:[^"\\]|\\.)*")/g)];
  return Object.fromEntries(found.map(([, name, text = '']) => [name, parseJson(text)]));
}

/** It stays the same when the session goes on. */
function keyOf(value: JsonObject): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}
