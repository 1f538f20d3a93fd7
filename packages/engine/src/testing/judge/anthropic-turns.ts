import { invalid } from './anthropic-error.ts';
import type { JudgeFinding, JudgeOptions } from './findings.ts';
import { isArray, isObject, type JsonRecord } from './json.ts';

type AnthropicRole = 'user' | 'assistant' | 'system';

/** One content block and its position in the request. */
export interface PlacedBlock {
  block: JsonRecord;
  message: number;
  index: number;
}

export interface AnthropicTurn {
  role: AnthropicRole;
  /** Index of the first message of the turn. */
  at: number;
  blocks: PlacedBlock[];
  /** Index of a message without content: each message is checked before turns are combined. */
  hollow?: number;
}

const directiveHint = 'the directive-only form (content: [] with output_config) is accepted at any position';

/** "The directive-only form (content: [] with output_config) is accepted at any position": it is not a turn. */
export function isDirective(message: JsonRecord): boolean {
  return (
    message.role === 'system' && isArray(message.content) && message.content.length === 0 && !!message.output_config
  );
}

/** "Consecutive `user` or `assistant` turns in your request will be combined into a single turn" (SDK doc). */
export function turnsOf(messages: readonly { message: JsonRecord; at: number }[]): AnthropicTurn[] {
  const turns: AnthropicTurn[] = [];
  for (const { message, at } of messages) {
    const role = message.role as AnthropicRole;
    const last = turns.at(-1);
    // System messages are never combined: two in a row are an error of their own.
    const turn = last && last.role === role && role !== 'system' ? last : { role, at, blocks: [] };
    if (turn !== last) turns.push(turn);
    const before = turn.blocks.length;
    addBlocks({ turn, content: message.content, message: at });
    if (turn.blocks.length === before) turn.hollow ??= at;
  }
  return turns;
}

function addBlocks({ turn, content, message }: { turn: AnthropicTurn; content: unknown; message: number }): void {
  if (typeof content === 'string') {
    // String content is one text block, and "" is no block.
    if (content !== '') turn.blocks.push({ block: { type: 'text', text: content }, message, index: 0 });
    return;
  }
  if (!isArray(content)) return;
  content.forEach((block, index) => {
    if (isObject(block)) turn.blocks.push({ block, message, index });
  });
}

/** Valid positions of a `role: "system"` message; the wording is that of Opus 4.8 to 5.5, as reported in 2026. */
export function judgeSystemTurns(turns: readonly AnthropicTurn[]): JudgeFinding {
  for (const [at, turn] of turns.entries()) {
    if (turn.role !== 'system') continue;
    const name = `messages.${turn.at}`;
    const path = `messages[${turn.at}]`;
    const before = turns[at - 1];
    const after = turns[at + 1];
    if (!before)
      return invalid({
        path,
        message: `${name}: use the top-level 'system' parameter for the initial system prompt; ${directiveHint}`,
      });
    if (before.role !== 'user' && !endsInServerTool(before))
      return invalid({
        path,
        message: `${name}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result; ${directiveHint}`,
      });
    if (after && after.role !== 'assistant')
      return invalid({
        path,
        message: `${name}: role 'system' must precede an 'assistant' message or end the array; ${directiveHint}`,
      });
  }
  return undefined;
}

function endsInServerTool(turn: AnthropicTurn): boolean {
  const type = turn.blocks.at(-1)?.block.type;
  return turn.role === 'assistant' && typeof type === 'string' && /_tool_(use|result)$/.test(type);
}

/** How a conversation may start and end. */
export function judgeEnds({
  turns,
  options,
}: {
  turns: readonly AnthropicTurn[];
  options: JudgeOptions;
}): JudgeFinding {
  if (turns[0]?.role !== 'user')
    return invalid({ path: 'messages[0]', message: 'messages: first message must use the "user" role' });
  const empty = turns.find(
    (turn, at) => turn.hollow !== undefined && !(turn.role === 'assistant' && at === turns.length - 1),
  );
  // Newer deployments accept an empty assistant message anywhere (experiential #804); older ones never did.
  if (empty)
    return invalid({
      path: `messages[${empty.hollow}]`,
      message: `messages.${empty.hollow}: all messages must have non-empty content except for the optional final assistant message`,
    });
  const last = turns.at(-1);
  if (last?.role !== 'assistant') return undefined;
  return judgePrefill({ last, options });
}

function judgePrefill({ last, options }: { last: AnthropicTurn; options: JudgeOptions }): JudgeFinding {
  const { block, message } = last.blocks.at(-1) ?? { block: {} as JsonRecord, message: last.at };
  // An unanswered call is reported by the pairing rules; a paused server tool may be sent back unchanged.
  if (block.type === 'tool_use' || endsInServerTool(last)) return undefined;
  const path = `messages[${message}]`;
  if (!options.allowPrefill)
    return invalid({
      path,
      message: 'This model does not support assistant message prefill. The conversation must end with a user message.',
    });
  if (typeof block.text === 'string' && block.text !== block.text.trimEnd())
    return invalid({ path, message: 'messages: final assistant content cannot end with trailing whitespace' });
  return undefined;
}
