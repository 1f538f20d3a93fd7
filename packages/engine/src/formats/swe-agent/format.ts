import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import type { DocumentFormat } from '../format.ts';
import { readSweAgent } from './read.ts';

/** A trajectory of SWE-agent (`.traj`): one attempt, or those of an agent that retries. */
export const sweAgent: DocumentFormat = {
  kind: 'document',
  name: 'swe-agent',
  isDocument: (value) => attemptsOf(value).length > 0,
  read: ({ value, warnings }) => readSweAgent({ attempts: attemptsOf(value), warnings }),
};

/** Beside its attempts, a file repeats the best of them at its top. */
function attemptsOf(value: Json): readonly JsonObject[] {
  if (!isObject(value)) return [];
  const listed = isArray(value.attempts) ? value.attempts.filter(isAttempt) : [];
  return listed.length > 0 ? listed : [value].filter(isAttempt);
}

function isAttempt(value: Json): value is JsonObject {
  return isObject(value) && isArray(value.history) && isArray(value.trajectory);
}
