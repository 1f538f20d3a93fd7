import { type JsonObject, without } from '../json.ts';
import type { ImportFormat } from './parsed-session.ts';

/** Fields of the source format, kept under its name so that they are not mistaken for ours. Empty if there are none. */
export type DetailsOf = (rest: JsonObject) => { readonly details?: JsonObject };

/**
 * @example
 * const detailsOf = detailsUnder('pi');
 * detailsOf({ stopReason: 'stop' }); // { details: { pi: { stopReason: 'stop' } } }
 */
export function detailsUnder(format: ImportFormat): DetailsOf {
  return (rest) => {
    const kept = without(rest, []);
    return kept ? { details: { [format]: kept } } : {};
  };
}
