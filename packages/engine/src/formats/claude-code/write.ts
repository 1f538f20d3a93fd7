import { isObject, type Json, type JsonObject } from '../../json.ts';
import { codecs, type Message } from '../../message/index.ts';
import { type Resumable, type ResumableMessage, resumableOf } from '../export/resumable.ts';
import type { ExportSource } from '../export/source.ts';
import { isoTime } from '../time.ts';

/** Claude Code reads files of other versions; the version tells it which members to expect. */
const version = '2.1.200';

/**
 * A session as a file of Claude Code: `claude --resume ID` opens it and sends the summary and what follows it. Messages
 * before the boundary stay in the file, as after a compaction of its own.
 *
 * @example
 * for await (const line of writeClaudeCode(source)) stream.write(`${JSON.stringify(line)}\n`);
 */
export async function* writeClaudeCode(source: ExportSource): AsyncGenerator<JsonObject> {
  const session = await resumableOf({ source, agent: 'claude-code', dialect: 'anthropic' });
  const { name, compaction } = session;
  const line = createLines(session);
  if (name !== '') yield { type: 'custom-title', customTitle: name, sessionId: session.id };
  for await (const message of session.earlier) yield* messageLines({ message, line });
  if (compaction) {
    const { id, summaryId, at, summary, tokensBefore } = compaction;
    yield line({
      id,
      at,
      isBoundary: true,
      fields: {
        type: 'system',
        subtype: 'compact_boundary',
        content: 'Conversation compacted',
        isMeta: false,
        level: 'info',
        compactMetadata: { trigger: 'manual', preTokens: tokensBefore },
      },
    });
    if (summary !== '') {
      const message = { role: 'user', content: summary };
      const marks = { isVisibleInTranscriptOnly: true, isCompactSummary: true };
      yield line({ id: summaryId, at, fields: { type: 'user', message, ...marks } });
    }
  }
  for (const message of session.current) yield* messageLines({ message, line });
}

type WriteLine = (of: {
  readonly id: string;
  readonly at: number;
  readonly fields: JsonObject;
  /** A boundary has no parent, only a logical one: what is before it is not sent. */
  readonly isBoundary?: true;
}) => JsonObject;

function createLines({ id: sessionId, cwd }: Resumable): WriteLine {
  let before: string | null = null;
  return ({ id, at, fields, isBoundary }) => {
    const parents: JsonObject = isBoundary ? { parentUuid: null, logicalParentUuid: before } : { parentUuid: before };
    before = id;
    const envelope = { isSidechain: false, userType: 'external', cwd, sessionId, version, gitBranch: '' };
    return { ...parents, ...envelope, ...fields, uuid: id, timestamp: isoTime(at) };
  };
}

function* messageLines({
  message: { id, message, at, by },
  line,
}: {
  readonly message: ResumableMessage;
  readonly line: WriteLine;
}): Generator<JsonObject> {
  for (const item of codecs.anthropic.encode([message])) {
    if (!isObject(item)) continue;
    if (item.role === 'assistant') {
      const usage = { input_tokens: 0, output_tokens: 0 };
      const content = blocksOf(item.content);
      const answer = { model: by?.name ?? '<synthetic>', id: `msg_${id.replaceAll('-', '').slice(0, 24)}` };
      const ended = { stop_reason: content.some(isCall) ? 'tool_use' : 'end_turn', stop_sequence: null, usage };
      const written = { ...answer, type: 'message', role: 'assistant', content, ...ended };
      yield line({ id, at, fields: { type: 'assistant', message: written } });
    } else {
      const written = { role: 'user', content: item.content ?? '' };
      yield line({
        id,
        at,
        fields: { type: 'user', message: written, ...(isClientText(message) && { isMeta: true }) },
      });
    }
  }
}

function blocksOf(content: Json | undefined): readonly Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content : [];
}

function isCall(block: Json): boolean {
  return isObject(block) && block.type === 'tool_use';
}

/** Text in the user's role that no person wrote. Claude Code sends it, and does not show it as a prompt. */
function isClientText({ role, parts }: Message): boolean {
  return role === 'user' && parts.length > 0 && parts.every(({ origin }) => origin === 'engine');
}
