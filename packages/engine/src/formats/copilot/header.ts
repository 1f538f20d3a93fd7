import { isObject, type JsonObject, without } from '../../json.ts';
import { digestOf } from '../digest.ts';
import type { LinesFormat } from '../format.ts';
import { headerPieces } from '../lines/header-pieces.ts';
import type { ReadHeader } from '../reading.ts';
import { readTime } from '../time.ts';
import { readEvent } from './event.ts';
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
  const key = typeof start.sessionId === 'string' ? start.sessionId : `entries:${digestOf(first.value)}`;
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
  const createdAt = readTime(start.startTime);
  const rest = without(start, ['sessionId', 'startTime', 'cwd']);
  return {
    ...(typeof cwd === 'string' && cwd !== '' && { cwd }),
    ...(createdAt !== undefined && { createdAt }),
    ...(rest && { details: { copilot: rest } }),
  };
}

/** What is left of a torn first event. */
function pieces(beginning: string): JsonObject {
  return headerPieces({ beginning, start: /"session\.start"/, names: ['sessionId', 'startTime', 'cwd'] });
}
