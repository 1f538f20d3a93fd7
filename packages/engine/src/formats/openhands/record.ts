import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';

/** Whether a record is a run: what an evaluation or the resolver writes when it is through with an instance. */
export function isRun(value: Json): value is JsonObject {
  if (!isObject(value) || !isArray(value.history) || value.trajectory !== undefined) return false;
  if (value.instance_id === undefined && !isObject(value.issue)) return false;
  return eventsOf(value)
    .slice(0, 3)
    .every((event) => eventName(event) !== undefined);
}

/** Whether a record is an event by itself, as conversations are kept on disk. */
export function isEvent(value: Json): value is JsonObject {
  if (!isObject(value) || value.type !== undefined || typeof value.timestamp !== 'string') return false;
  const isNamed = typeof value.id === 'string' || typeof value.id === 'number';
  return isNamed && typeof value.source === 'string' && eventName(value) !== undefined;
}

/** The events of a run. The first evaluations wrote them in pairs of action and observation. */
export function eventsOf(run: JsonObject): readonly JsonObject[] {
  return isArray(run.history) ? run.history.flat().filter((event) => isObject(event)) : [];
}

/** The class of an event, told by newer versions in `kind` and by older ones in what it is. */
function eventName({ kind, action, observation }: JsonObject): string | undefined {
  return [kind, action, observation].find((name) => typeof name === 'string');
}
