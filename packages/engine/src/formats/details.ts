import { type JsonObject, without } from '../json.ts';
import type { ImportFormat } from './parsed-session.ts';

/** What is kept of a source: under its name, so that nobody takes it for ours. Nothing where there is nothing. */
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
