import { isObject, type JsonObject } from '../../json.ts';
import type { LinesFormat } from '../format.ts';
import { stateKinds } from './notes.ts';
import { readClaudeCode } from './read.ts';

/** A session of Claude Code, or one of its sub-agents, as lines of `~/.claude/projects/FOLDER/SESSION.jsonl`. */
export const claudeCode: LinesFormat = {
  kind: 'lines',
  name: 'claude-code',
  isRecord,
  startsLike: /^\{\s*"parentUuid"\s*:/,
  read: readClaudeCode,
};

const conversation: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);

function isRecord(value: JsonObject): boolean {
  const { type, sessionId, uuid, parentUuid, message } = value;
  // Two kinds, older than the rest, do not say whose they are.
  if (type === 'summary') return typeof value.summary === 'string' && typeof value.leafUuid === 'string';
  if (type === 'file-history-snapshot') return isObject(value.snapshot);
  if (typeof sessionId !== 'string') return false;
  if (!conversation.has(type)) return typeof type === 'string' && stateKinds.has(type);
  // Qwen Code has taken the envelope over, with the messages of Gemini inside.
  const isQwen = isObject(message) && message.content === undefined && message.parts !== undefined;
  return (typeof uuid === 'string' || parentUuid !== undefined || isObject(message)) && !isQwen;
}
