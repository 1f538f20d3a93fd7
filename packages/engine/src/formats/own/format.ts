import type { LinesFormat } from '../format.ts';
import { afterFirst } from '../lines/after-first.ts';
import { sessionPieces } from '../lines/header-pieces.ts';
import { isOwnHeader, isOwnRecord, readOwn } from './read.ts';

/** Our own log, as `writeOwn` wrote it. */
export const own: LinesFormat = {
  kind: 'lines',
  name: 'longhaul',
  isRecord: isOwnRecord,
  startsLike: /^\{\s*"type"\s*:\s*"session"\s*,\s*"format"\s*:\s*"longhaul"/,
  read: ({ first, records, beginning, warnings }) =>
    isOwnHeader(first.value)
      ? readOwn({ header: first.value, records: afterFirst(records), warnings })
      : readOwn({ header: sessionPieces(beginning), records, warnings }),
};
