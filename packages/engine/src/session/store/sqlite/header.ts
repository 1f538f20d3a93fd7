import type { DatabaseSync } from 'node:sqlite';
import { isObject, parseJson } from '../../../json.ts';
import type { SessionHeader } from '../store.ts';
import { headerSum } from './sums.ts';

/** The header in a log; `undefined` when it is not what was written. */
export function headerIn(db: DatabaseSync): SessionHeader | undefined {
  const { header, sum } = db.prepare('SELECT header, sum FROM meta').get() ?? {};
  const value = typeof header === 'string' ? parseJson(header) : undefined;
  return isObject(value) && headerSum(String(header)) === sum ? (value as unknown as SessionHeader) : undefined;
}
