import { isObject, type JsonObject, safeString, without } from '../../json.ts';
import type { Draft } from '../../session/index.ts';
import type { SkipCounter } from '../skip-counter.ts';
import { messageOf, textOfContent } from './content.ts';
import type { Rest } from './line.ts';

/** Copies of files that a rewind would put back: large, repeated on every turn, and nothing that was said. */
const fileHistory = ['file-history-snapshot', 'file-history-delta', 'attribution-snapshot'];

/** Line types that describe session state (modes, names, links). They become notes, not messages. */
export const stateKinds: ReadonlySet<string> = new Set([
  ...fileHistory,
  'summary',
  'custom-title',
  'ai-title',
  'agent-name',
  'agent-setting',
  'agent-color',
  'tag',
  'mode',
  'permission-mode',
  'last-prompt',
  'queue-operation',
  'pr-link',
  'worktree-state',
  'relocated',
  'cost-state',
  'bridge-session',
  'continued-in',
  'fork-context-ref',
  'content-replacement',
]);

/**
 * Makes notes of the lines that are no part of the conversation.
 *
 * @example
 * const noteOf = createNotes({ tally, restOf, isHere: (uuid) => places.has(uuid) });
 * noteOf({ type: 'custom-title', customTitle: 'Fix the build', sessionId: '…' });
 */
export function createNotes({
  skips,
  restOf,
  isHere,
}: {
  readonly skips: SkipCounter;
  readonly restOf: Rest;
  /** Whether a line is in this file. */
  readonly isHere: (uuid: string) => boolean;
}): (raw: JsonObject) => Draft[] {
  const last = new Map<string, string>();
  let isNamedByPerson = false;
  return (raw) => {
    const leftOut = leftOutAs(raw);
    if (leftOut === undefined) return [noteOf(raw)];
    skips.skip(leftOut);
    return [];
  };

  function leftOutAs(raw: JsonObject): string | undefined {
    const type = safeString(raw.type);
    if (type === 'progress') return 'lines of progress';
    if (fileHistory.includes(type)) return 'lines of file history';
    if (!stateKinds.has(type)) return undefined;
    // Claude Code writes what holds for a session again and again, so that it is found at the end of the file.
    const text = JSON.stringify(raw);
    const isRepeated = last.get(type) === text;
    last.set(type, text);
    return isRepeated ? 'repeated lines of state' : undefined;
  }

  function noteOf(raw: JsonObject): Draft {
    const { type } = raw;
    const name = nameOf(raw);
    if (name !== undefined) return { type: 'session_info', info: { name } };
    if (type === 'attachment' && isObject(raw.attachment)) {
      const { type: kind, ...data } = raw.attachment;
      return { type: 'custom', customType: `claude-code:attachment:${String(kind)}`, data };
    }
    if (raw.isApiErrorMessage === true || raw.isVisibleInTranscriptOnly === true) {
      const kind = raw.isApiErrorMessage === true ? 'api_error' : 'transcript_only';
      const text = textOfContent(messageOf(raw).content);
      return { type: 'custom', customType: `claude-code:${kind}`, data: { ...restOf(raw), text } };
    }
    if (type === 'system') {
      return { type: 'custom', customType: `claude-code:system:${safeString(raw.subtype)}`, data: restOf(raw) };
    }
    if (typeof type === 'string' && stateKinds.has(type)) {
      return { type: 'custom', customType: `claude-code:${type}`, data: without(raw, ['type', 'sessionId']) ?? {} };
    }
    return { type: 'unknown', kind: `claude-code:${safeString(type)}`, value: raw };
  }

  /** A person's name for the session stays, whatever a model calls it later. */
  function nameOf({ type, customTitle, aiTitle, summary, leafUuid }: JsonObject): string | undefined {
    if (type === 'custom-title' && typeof customTitle === 'string') {
      isNamedByPerson = customTitle !== '';
      return customTitle;
    }
    if (isNamedByPerson) return undefined;
    if (type === 'ai-title' && typeof aiTitle === 'string') return aiTitle;
    // Old versions write the names of other sessions of the folder into this one.
    const isOwn = type === 'summary' && typeof leafUuid === 'string' && isHere(leafUuid);
    return isOwn && typeof summary === 'string' ? summary : undefined;
  }
}
