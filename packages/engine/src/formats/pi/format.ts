import type { LinesFormat } from '../format.ts';
import { afterFirst } from '../lines/after-first.ts';
import { sessionPieces } from '../lines/header-pieces.ts';
import { isPiHeader, isPiRecord, readPi } from './header.ts';

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
