import { invalid } from './anthropic-error.ts';
import type { AnthropicTurn, PlacedBlock } from './anthropic-turns.ts';
import { firstOf, type JudgeFinding, type JudgeOptions } from './findings.ts';
import { isObject, type JsonRecord } from './json.ts';

interface ThinkingInput {
  body: JsonRecord;
  turns: readonly AnthropicTurn[];
  options: JudgeOptions;
}

/** Thinking blocks: signed, never last, and first if the request enables manual thinking. */
export function judgeThinking({ body, turns, options }: ThinkingInput): JudgeFinding {
  return firstOf([
    () => judgeConfig(body),
    () => judgeSeals({ body, turns, options }),
    () => judgeOrder({ body, turns }),
    () => judgeLastChain({ body, turns }),
  ]);
}

function judgeConfig(body: JsonRecord): JudgeFinding {
  const { thinking } = body;
  if (!isObject(thinking)) return undefined;
  if (!['enabled', 'disabled', 'adaptive', 'between_tools'].includes(String(thinking.type)))
    return invalid({
      path: 'thinking',
      message: `thinking: Input tag '${String(thinking.type)}' found using 'type' does not match any of the expected tags: 'adaptive', 'between_tools', 'disabled', 'enabled'`,
    });
  if (thinking.type !== 'enabled') return undefined;
  if (!Number.isInteger(thinking.budget_tokens))
    return invalid({ path: 'thinking', message: 'thinking.enabled.budget_tokens: Field required' });
  if (Number(thinking.budget_tokens) < 1024)
    return invalid({
      path: 'thinking',
      message: 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
    });
  if (body.max_tokens !== undefined && Number(body.max_tokens) <= Number(thinking.budget_tokens))
    return invalid({ path: 'thinking', message: '`max_tokens` must be greater than `thinking.budget_tokens`.' });
  if (isObject(body.tool_choice) && (body.tool_choice.type === 'any' || body.tool_choice.type === 'tool'))
    return invalid({ path: 'tool_choice', message: 'Thinking may not be enabled when tool_choice forces tool use.' });
  return undefined;
}

function judgeSeals({ body, turns, options }: ThinkingInput): JudgeFinding {
  const verify = options.verify ?? (({ signature }) => signature !== '');
  for (const turn of turns) {
    if (turn.role !== 'assistant') continue;
    for (const placed of turn.blocks.filter(isThinking)) {
      const finding = judgeSeal({ placed, verify, bound: mayDrop(body) ? undefined : options.bound });
      if (finding) return finding;
    }
  }
  return undefined;
}

function judgeSeal({
  placed,
  verify,
  bound,
}: {
  placed: PlacedBlock;
  verify: NonNullable<JudgeOptions['verify']>;
  bound: JudgeOptions['bound'];
}): JudgeFinding {
  const { block, message, index } = placed;
  const path = `messages[${message}].content[${index}]`;
  const name = `messages.${message}.content.${index}`;
  const redacted = block.type === 'redacted_thinking';
  const signature = redacted ? block.data : block.signature;
  const field = redacted ? 'redacted_thinking.data' : 'thinking.signature';
  if (!redacted && typeof block.thinking !== 'string')
    return invalid({ path, message: `${name}.thinking.thinking: Field required` });
  if (signature === undefined) return invalid({ path, message: `${name}.${field}: Field required` });
  if (typeof signature !== 'string')
    return invalid({ path, message: `${name}.${field}: Input should be a valid string` });
  const seal = { signature, text: redacted ? '' : String(block.thinking), path };
  if (!verify(seal))
    return invalid({
      path,
      message: redacted
        ? `${name}: Invalid \`data\` in \`redacted_thinking\` block`
        : `${name}: Invalid \`signature\` in \`thinking\` block`,
    });
  if (bound && !bound(seal))
    return invalid({
      path,
      message: `${name}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
    });
  return undefined;
}

/** `drop_block` lets the server remove blocks whose conversation changed, instead of rejecting the request. */
function mayDrop(body: JsonRecord): boolean {
  const binding = isObject(body.thinking) ? body.thinking.block_binding : undefined;
  return isObject(binding) && binding.prefix_mismatch_behavior === 'drop_block';
}

function judgeOrder({ body, turns }: Omit<ThinkingInput, 'options'>): JudgeFinding {
  const mode = modeOf(body);
  for (const [at, turn] of turns.entries()) {
    if (turn.role !== 'assistant') continue;
    const first = firstSaid(turn);
    const last = turn.blocks.at(-1);
    if (!first || !last) continue;
    if (isThinking(last))
      return invalid({
        path: `messages[${last.message}]`,
        message: `messages.${last.message}: The final block in an assistant message cannot be \`thinking\`.`,
      });
    const thought = turn.blocks.find(isThinking);
    if (!thought) continue;
    // Adaptive thinking may start after text; the rule was reported for manual thinking (claude-code #20705).
    if (!isThinking(first) && mode !== 'adaptive' && mode !== 'between_tools')
      return invalid({
        path: `messages[${first.message}].content[${first.index}]`,
        message: `messages.${first.message}.content.${first.index}: If an assistant message contains any thinking blocks, the first block must be \`thinking\` or \`redacted_thinking\`. Found \`${String(first.block.type)}\`.`,
      });
    if (at === turns.length - 1 && (mode === undefined || mode === 'disabled'))
      return invalid({
        path: `messages[${thought.message}].content[${thought.index}]`,
        message: `messages.${thought.message}.content.${thought.index}: When thinking is disabled, an \`assistant\` message in the final position cannot contain \`thinking\`. To use thinking blocks, enable \`thinking\` in your request.`,
      });
  }
  return undefined;
}

/**
 * With manual thinking the last run of calls and results must start with thinking; adaptive thinking has no such rule
 * ("previous assistant turns don't need to start with thinking blocks").
 */
function judgeLastChain({ body, turns }: Omit<ThinkingInput, 'options'>): JudgeFinding {
  if (modeOf(body) !== 'enabled') return undefined;
  const start = startOfLastChain(turns);
  const first = start && firstSaid(start);
  if (!first || isThinking(first)) return undefined;
  return invalid({
    path: `messages[${first.message}].content[${first.index}]`,
    message: `messages.${first.message}.content.${first.index}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first.block.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking`,
  });
}

function startOfLastChain(turns: readonly AnthropicTurn[]): AnthropicTurn | undefined {
  const spoken = turns.filter((turn) => turn.role !== 'system');
  const end = spoken.length - (spoken.at(-1)?.role === 'user' ? 1 : 0);
  const last = spoken[end];
  // A conversation that ends in an assistant turn (prefill) is judged by that turn itself.
  if (!last) return spoken.at(-1);
  if (!last.blocks.some(({ block }) => block.type === 'tool_result')) return undefined;
  let at = end - 1;
  while (at >= 2 && spoken[at - 1]?.blocks.every(({ block }) => block.type === 'tool_result')) at -= 2;
  return spoken[at];
}

/** A compaction block precedes the other content. */
function firstSaid({ blocks }: AnthropicTurn): PlacedBlock | undefined {
  return blocks.find(({ block }) => block.type !== 'compaction');
}

function modeOf(body: JsonRecord): unknown {
  return isObject(body.thinking) ? body.thinking.type : undefined;
}

function isThinking({ block }: PlacedBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}
