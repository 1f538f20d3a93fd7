import { isObject, type JsonObject } from '../../json.ts';

/** The format under whose name an imported entry keeps what its event said beyond it. */
export const ownFormat = 'copilot';

/** What the event of an imported entry said beyond the entry; it is written again. */
export function eventRest(details: unknown): JsonObject {
  return isObject(details) && isObject(details[ownFormat]) ? details[ownFormat] : {};
}
