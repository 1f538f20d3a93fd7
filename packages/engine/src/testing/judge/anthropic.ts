import { judgeBlocks, judgeSystemBlocks } from './anthropic-blocks.ts';
import { judgeCacheControl } from './anthropic-cache.ts';
import { judgeBetas } from './anthropic-compaction.ts';
import { invalid } from './anthropic-error.ts';
import { judgeThinking } from './anthropic-thinking.ts';
import { judgeTools } from './anthropic-tools.ts';
import { isDirective, judgeEnds, judgeSystemTurns, type Placed, type Turn, turnsOf } from './anthropic-turns.ts';
import { isArray, isObject, type Json, loneSurrogate } from './json.ts';
import { type Finding, firstOf, type JudgeOptions } from './verdict.ts';

/** What a system message may have besides its text: a change of effort, and when it stops to count. */
const systemFields = new Set(['output_config', 'clear_at']);

/** The Anthropic Messages API: schema first, then the order of turns, then what holds across them. */
export function judgeAnthropic({ body, options }: { body: unknown; options: JudgeOptions }): Finding {
  // "no low surrogate in string: line 1 column N (char N)" (claude-code #3277 and dozens more); a parsed body has no column.
  const broken = loneSurrogate(body);
  if (broken !== undefined)
    return invalid({ path: broken, message: 'The request body is not valid JSON: no low surrogate in string' });
  if (!isObject(body)) return invalid({ path: '', message: 'Input should be a valid dictionary' });
  return (
    judgeRequest({ body, options }) ??
    judgeMessages({ messages: body.messages, options }) ??
    judgeConversation({ body, messages: asMessages(body.messages), options })
  );
}

function judgeRequest({ body, options }: { body: Json; options: JudgeOptions }): Finding {
  if (body.model === undefined) return invalid({ path: 'model', message: 'model: Field required' });
  if (typeof body.model !== 'string')
    return invalid({ path: 'model', message: 'model: Input should be a valid string' });
  if (options.endpoint !== 'count') {
    if (body.max_tokens === undefined) return invalid({ path: 'max_tokens', message: 'max_tokens: Field required' });
    if (!Number.isInteger(body.max_tokens))
      return invalid({ path: 'max_tokens', message: 'max_tokens: Input should be a valid integer' });
    // "Set to 0 to populate the prompt cache without generating a response" (SDK 1.8).
    if (Number(body.max_tokens) < 0)
      return invalid({ path: 'max_tokens', message: 'max_tokens: Input should be greater than or equal to 0' });
  }
  if (body.messages === undefined) return invalid({ path: 'messages', message: 'messages: Field required' });
  return judgeParameters(body) ?? judgeTools(body) ?? judgeSystemBlocks(body.system);
}

function judgeMessages({ messages, options }: { messages: unknown; options: JudgeOptions }): Finding {
  if (!isArray(messages)) return invalid({ path: 'messages', message: 'messages: Input should be a valid list' });
  if (messages.length === 0)
    return invalid({ path: 'messages', message: 'messages: at least one message is required' });
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    const path = `messages[${at}]`;
    if (!isObject(message)) return invalid({ path, message: `messages.${at}: Input should be a valid dictionary` });
    const finding = judgeMessage({ message, at, options }) ?? judgeBlocks({ message, at });
    if (finding) return finding;
  }
  return undefined;
}

function judgeMessage({ message, at, options }: { message: Json; at: number; options: JudgeOptions }): Finding {
  const path = `messages[${at}]`;
  const { role, content } = message;
  if (role === undefined) return invalid({ path, message: `messages.${at}.role: Field required` });
  if (role === 'system' && options.allowSystemTurns === false)
    return invalid({
      path,
      message:
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    });
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    return invalid({
      path,
      message: `messages: Unexpected role "${String(role)}". Allowed roles are "user" or "assistant"`,
    });
  for (const key of Object.keys(message)) {
    if (key === 'role' || key === 'content' || (role === 'system' && systemFields.has(key))) continue;
    return invalid({ path, message: `messages.${at}.${key}: Extra inputs are not permitted` });
  }
  if (content === undefined) return invalid({ path, message: `messages.${at}.content: Field required` });
  if (typeof content !== 'string' && !isArray(content))
    return invalid({ path, message: `messages.${at}.content: Input should be a valid list` });
  return undefined;
}

function judgeConversation({
  body,
  messages,
  options,
}: {
  body: Json;
  messages: readonly Json[];
  options: JudgeOptions;
}): Finding {
  const turns = turnsOf(
    messages.map((message, at) => ({ message, at })).filter(({ message }) => !isDirective(message)),
  );
  return firstOf([
    () => judgeSystemTurns(turns),
    () => judgeEnds({ turns, options }),
    () => judgePairing(turns),
    () => judgeThinking({ body, turns, options }),
    () => judgeCacheControl(body),
    () => judgeBetas({ body, options }),
  ]);
}

function asMessages(messages: unknown): Json[] {
  return isArray(messages) ? messages.filter(isObject) : [];
}

/** Members of the SDK's types, stable and beta, with the sampling parameters that newer SDKs no longer name. */
const known = new Set([
  ...['model', 'max_tokens', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'stream', 'stop_sequences'],
  ...['temperature', 'top_k', 'top_p', 'metadata', 'service_tier', 'cache_control', 'container', 'diagnostics'],
  ...['inference_geo', 'output_config', 'output_format', 'speed', 'user_profile_id', 'workspace_id', 'compaction'],
  ...['context_management', 'fallback_credit_token', 'fallbacks', 'mcp_servers', 'thread', 'betas'],
]);

/**
 * What stands beside the conversation. "Extra inputs are not permitted", "range: 0..1" and the sentence on thinking are
 * as reported from the real API, from memory; the type errors are those of its other fields.
 */
function judgeParameters(body: Json): Finding {
  for (const key of Object.keys(body))
    if (!known.has(key)) return invalid({ path: key, message: `${key}: Extra inputs are not permitted` });
  return judgeRange({ body, path: 'temperature' }) ?? judgeRange({ body, path: 'top_p' }) ?? judgeSampling(body);
}

function judgeRange({ body, path }: { body: Json; path: 'temperature' | 'top_p' }): Finding {
  const value = body[path];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number') return invalid({ path, message: `${path}: Input should be a valid number` });
  return value < 0 || value > 1 ? invalid({ path, message: `${path}: range: 0..1` }) : undefined;
}

function judgeSampling({ thinking, temperature }: Json): Finding {
  if (!isObject(thinking) || thinking.type !== 'enabled') return undefined;
  if (temperature === undefined || temperature === null || temperature === 1) return undefined;
  return invalid({
    path: 'temperature',
    message:
      '`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-thinking',
  });
}

/** Every `tool_use` is answered once, at the beginning of the next user turn, and nothing else is answered. */
function judgePairing(turns: readonly Turn[]): Finding {
  const seen = new Set<string>();
  for (const [at, turn] of turns.entries()) {
    const finding =
      turn.role === 'assistant'
        ? (judgeCallIds({ turn, seen }) ?? judgeAnswered({ turn, next: turns[at + 1] }))
        : judgeResults({ turn, previous: turns[at - 1] });
    if (finding) return finding;
  }
  return undefined;
}

function judgeCallIds({ turn, seen }: { turn: Turn; seen: Set<string> }): Finding {
  for (const placed of ofType(turn, 'tool_use')) {
    const id = String(placed.block.id);
    if (seen.has(id))
      return invalid({ path: pathOf(placed), message: `${nameOf(placed)}: \`tool_use\` ids must be unique` });
    seen.add(id);
  }
  return undefined;
}

function judgeAnswered({ turn, next }: { turn: Turn; next: Turn | undefined }): Finding {
  const calls = ofType(turn, 'tool_use');
  if (calls.length === 0) return undefined;
  const answered = new Set(leadingResults(next).map(({ block }) => block.tool_use_id));
  const open = calls.filter(({ block }) => !answered.has(block.id));
  const first = open[0];
  if (!first) return undefined;
  return invalid({
    path: `messages[${first.message}]`,
    message: `messages.${first.message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open
      .map(({ block }) => String(block.id))
      .join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  });
}

/** Only results that stand before all other content count: "tool_result blocks must come FIRST" (tool use guide). */
function leadingResults(turn: Turn | undefined): Placed[] {
  if (turn?.role !== 'user') return [];
  const end = turn.blocks.findIndex(({ block }) => block.type !== 'tool_result');
  return end === -1 ? turn.blocks : turn.blocks.slice(0, end);
}

function judgeResults({ turn, previous }: { turn: Turn; previous: Turn | undefined }): Finding {
  const results = ofType(turn, 'tool_result');
  if (results.length === 0) return undefined;
  const calls = previous?.role === 'assistant' ? ofType(previous, 'tool_use') : [];
  const ids = new Set(calls.map(({ block }) => block.id));
  const seen = new Set<unknown>();
  for (const placed of results) {
    const id = placed.block.tool_use_id;
    if (!ids.has(id))
      return invalid({
        path: pathOf(placed),
        message: `${nameOf(placed)}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      });
    if (seen.has(id))
      return invalid({
        path: pathOf(placed),
        message: `${nameOf(placed)}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${String(id)}`,
      });
    seen.add(id);
  }
  return undefined;
}

function ofType(turn: Turn, type: string): Placed[] {
  return turn.blocks.filter(({ block }) => block.type === type);
}

function pathOf({ message, index }: Placed): string {
  return `messages[${message}].content[${index}]`;
}

function nameOf({ message, index }: Placed): string {
  return `messages.${message}.content.${index}`;
}
