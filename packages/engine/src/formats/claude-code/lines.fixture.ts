import type { Json, JsonObject } from '../../json.ts';

export const sessionId = '11111111-2222-4333-8444-555555555555';

/** The uuid of the line with this number. */
export const uuid = (number: number): string => `aaaaaaaa-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** The `n`th second of the session. */
export const stamp = (n: number): string => new Date(Date.UTC(2026, 0, 2, 3, 4, n)).toISOString();

/** Around every line of a conversation. */
export interface Envelope {
  readonly sessionId?: string;
  readonly agentId?: string;
  readonly isSidechain?: boolean;
}

/**
 * Writes lines as Claude Code does: each the child of the one before, unless another parent is named. Every line is
 * numbered from 1, and `uuid(n)` is the uuid of the `n`th.
 *
 * @example
 * const file = claudeFile();
 * file.user('Fix the build.');
 * file.answer('msg_1', text('Done.'));
 * await bringIn({ text: file.text() });
 */
export function claudeFile(envelope: Envelope = {}) {
  const lines: JsonObject[] = [];
  let last: string | null = null;
  const file = {
    lines,
    text: () => lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    /** A line without a uuid, as those of state are. */
    state(fields: JsonObject) {
      lines.push(fields);
    },
    line(fields: JsonObject) {
      const number = lines.length + 1;
      const about = { isSidechain: false, userType: 'external', cwd: '/repo', sessionId, version: '2.1.33' };
      const base = { parentUuid: last, ...about, gitBranch: 'main', uuid: uuid(number), timestamp: stamp(number) };
      lines.push({ ...base, ...envelope, ...fields });
      last = String(lines.at(-1)?.uuid);
    },
    user(content: Json, more: JsonObject = {}) {
      file.line({ type: 'user', message: { role: 'user', content }, ...more });
    },
    /** A line of an answer; `about` are further members of its message. */
    answer(id: string, block: JsonObject, { about = {}, ...more }: JsonObject & { readonly about?: JsonObject } = {}) {
      const usage = { input_tokens: 3, output_tokens: 5, cache_read_input_tokens: 20, cache_creation_input_tokens: 7 };
      const said = { id, type: 'message', role: 'assistant', model: 'claude-opus-4-6', content: [block] };
      const message = { ...said, stop_reason: null, usage, ...about };
      file.line({ type: 'assistant', message, requestId: `req_${id}`, ...more });
    },
    result(id: string, content: Json, more: JsonObject = {}) {
      const copy = { stdout: `${JSON.stringify(content)} for the screen` };
      file.user([{ type: 'tool_result', tool_use_id: id, content }], { toolUseResult: copy, ...more });
    },
    system(subtype: string, more: JsonObject = {}) {
      file.line({ type: 'system', subtype, ...more });
    },
    /** The mark of a compaction; `about` are further members of its metadata. */
    boundary(about: JsonObject = {}) {
      const compactMetadata = { trigger: 'auto', preTokens: 155_000, ...about };
      file.system('compact_boundary', { parentUuid: null, logicalParentUuid: last, compactMetadata });
    },
    summary(content: string, more: JsonObject = {}) {
      file.user(content, { isCompactSummary: true, isVisibleInTranscriptOnly: true, ...more });
    },
    attachment(attachment: JsonObject, more: JsonObject = {}) {
      file.line({ type: 'attachment', attachment, ...more });
    },
  };
  return file;
}

export const text = (words: string): JsonObject => ({ type: 'text', text: words });

export const call = (id: string, input: JsonObject = {}, name = 'Read'): JsonObject => ({
  type: 'tool_use',
  id,
  name,
  input,
});

export const thinking = (words: string, signature = 'c2lnbmVk'): JsonObject => ({
  type: 'thinking',
  thinking: words,
  signature,
});
