import { isObject, type Json, type JsonObject, without } from '../../json.ts';
import type { Origin } from '../../message/index.ts';
import { detailsUnder } from '../details.ts';
import { readTime } from '../time.ts';

/** A line of the file, with the time that counts for it. */
export interface TranscriptLine {
  readonly raw: JsonObject;
  /** Its number in the file, from 1. */
  readonly number: number;
  readonly bytes: number;
  readonly at: number;
}

/** Whose conversation it is: a person's with the model, or the model's with an agent that it called. */
export type Whose = 'person' | 'model';

export function uuidOf(raw: JsonObject): string | undefined {
  return typeof raw.uuid === 'string' ? raw.uuid : undefined;
}

/** Milliseconds since 1970, where the line has a time. */
export function timeOf(raw: JsonObject): number | undefined {
  return readTime(raw.timestamp);
}

/** Who speaks in a `user` line or a queued prompt, where no tag says otherwise. */
export function speakerOf({ raw, whose }: { readonly raw: JsonObject; readonly whose: Whose }): Origin {
  const kind = isObject(raw.origin) ? raw.origin.kind : undefined;
  const isClient =
    raw.isMeta === true || raw.promptSource === 'system' || (typeof kind === 'string' && kind !== 'human');
  if (isClient) return 'engine';
  return whose === 'person' ? 'human' : 'model';
}

export const detailsOf = detailsUnder('claude-code');

/** Members that the log says in its own way, or that are copies for the screen. */
const structuralFields = [
  'type',
  'subtype',
  'message',
  'attachment',
  'timestamp',
  'parentUuid',
  'isSidechain',
  'isMeta',
  'userType',
  'toolUseResult',
  'sourceToolAssistantUUID',
  'isCompactSummary',
  'isVisibleInTranscriptOnly',
  'rendered',
  'renderedInHumanTurn',
];

/** Members that say the same on line after line. */
const standing = ['sessionId', 'agentId', 'cwd', 'gitBranch', 'version', 'slug', 'entrypoint', 'session_id'];

/** What a line says beyond its content; of what is always the same, only changes. */
export type Rest = (raw: JsonObject) => JsonObject;

/**
 * Remembers what was said last of the folder, the branch and the version, so that it is kept once.
 *
 * @example
 * const restOf = createRest();
 * restOf({ type: 'user', uuid: 'a', cwd: '/repo' }); // { uuid: 'a', cwd: '/repo' }
 * restOf({ type: 'user', uuid: 'b', cwd: '/repo' }); // { uuid: 'b' }
 */
export function createRest(): Rest {
  const last = new Map<string, Json | undefined>();
  return (raw) => {
    const same = standing.filter((key) => last.get(key) === raw[key]);
    for (const key of standing) if (raw[key] !== undefined) last.set(key, raw[key]);
    return without(raw, [...structuralFields, ...same]) ?? {};
  };
}
