import { isObject, type JsonObject } from '../../json.ts';
import { readTime } from '../time.ts';

/** A line of a rollout, in the words of today whatever version wrote it. */
export interface RolloutLine {
  /** `session_meta`, `response_item`, `event_msg`, … */
  readonly kind: string;
  readonly payload: JsonObject;
  /** Milliseconds; lines of the first versions have no time. */
  readonly at: number | undefined;
  /** Written by a version that logged items alone, without the events that tell what a person typed. */
  readonly isBare: boolean;
  /** Copied from the session that this one was forked from or started by. */
  readonly isInherited: boolean;
}

/** Whether a record is a line of a rollout, and of nothing else. */
export function isRolloutLine(value: JsonObject): boolean {
  const isWrapped = typeof value.type === 'string' && isObject(value.payload) && value.id === undefined;
  return (isWrapped && typeof value.timestamp === 'string') || isBareHeader(value) || isStateRecord(value);
}

/** Versions before 0.32 began a file with the members of the header as they are. */
function isBareHeader(value: JsonObject): boolean {
  const isTimed = typeof value.id === 'string' && typeof value.timestamp === 'string';
  return isTimed && value.type === undefined && (value.instructions !== undefined || isObject(value.git));
}

/** Those versions wrote such a line after every turn; it says nothing. */
function isStateRecord(value: JsonObject): boolean {
  return value.record_type === 'state';
}

/** What a line says, or `undefined` where it is nothing that Codex writes. */
export function readLine(value: JsonObject): RolloutLine | undefined {
  const at = readTime(value.timestamp);
  const isInherited = isObject(value.metadata) && value.metadata.inherited_user_message === true;
  const bare = { at, isBare: true, isInherited };
  if (isBareHeader(value)) return { kind: 'session_meta', payload: value, ...bare };
  if (isStateRecord(value)) return { kind: 'state', payload: value, ...bare };
  if (typeof value.type !== 'string') return undefined;
  if (isObject(value.payload)) return { kind: value.type, payload: value.payload, at, isBare: false, isInherited };
  return { kind: 'response_item', payload: value, ...bare };
}
