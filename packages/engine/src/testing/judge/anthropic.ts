import { judgeBlocks, judgeSystemBlocks } from './anthropic-blocks.ts';
import { judgeBetas } from './anthropic-compaction.ts';
import { invalid } from './anthropic-error.ts';
import { judgeThinking } from './anthropic-thinking.ts';
import {
  type AnthropicTurn,
  isDirective,
  judgeEnds,
  judgeSystemTurns,
  type PlacedBlock,
  turnsOf,
} from './anthropic-turns.ts';
import { firstOf, type JudgeFinding, type JudgeOptions } from './findings.ts';
import { isArray, isObject, type JsonRecord, loneSurrogate } from './json.ts';

/** Fields of a system message besides its text: a change of effort, and when it expires. */
const systemFields = new Set(['output_config', 'clear_at']);

/** The Anthropic Messages API: schema first, then the order of turns, then rules across turns. */
export function judgeAnthropic({ body, options }: { body: unknown; options: JudgeOptions }): JudgeFinding {
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

function judgeRequest({ body, options }: { body: JsonRecord; options: JudgeOptions }): JudgeFinding {
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

function judgeMessages({ messages, options }: { messages: unknown; options: JudgeOptions }): JudgeFinding {
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

function judgeMessage({
  message,
  at,
  options,
}: {
  message: JsonRecord;
  at: number;
  options: JudgeOptions;
}): JudgeFinding {
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
  body: JsonRecord;
  messages: readonly JsonRecord[];
  options: JudgeOptions;
}): JudgeFinding {
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

function asMessages(messages: unknown): JsonRecord[] {
  return isArray(messages) ? messages.filter(isObject) : [];
}

/** Fields of the SDK's types, stable and beta, with the sampling parameters that newer SDKs no longer list. */
const known = new Set([
  ...['model', 'max_tokens', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'stream', 'stop_sequences'],
  ...['temperature', 'top_k', 'top_p', 'metadata', 'service_tier', 'cache_control', 'container', 'diagnostics'],
  ...['inference_geo', 'output_config', 'output_format', 'speed', 'user_profile_id', 'workspace_id', 'compaction'],
  ...['context_management', 'fallback_credit_token', 'fallbacks', 'mcp_servers', 'thread', 'betas'],
]);

/**
 * Parameters besides the conversation. "Extra inputs are not permitted", "range: 0..1" and the sentence on thinking are
 * as reported from the real API, from memory; the type errors are those of its other fields.
 */
function judgeParameters(body: JsonRecord): JudgeFinding {
  for (const key of Object.keys(body))
    if (!known.has(key)) return invalid({ path: key, message: `${key}: Extra inputs are not permitted` });
  return judgeRange({ body, path: 'temperature' }) ?? judgeRange({ body, path: 'top_p' }) ?? judgeSampling(body);
}

function judgeRange({ body, path }: { body: JsonRecord; path: 'temperature' | 'top_p' }): JudgeFinding {
  const value = body[path];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number') return invalid({ path, message: `${path}: Input should be a valid number` });
  return value < 0 || value > 1 ? invalid({ path, message: `${path}: range: 0..1` }) : undefined;
}

function judgeSampling({ thinking, temperature }: JsonRecord): JudgeFinding {
  if (!isObject(thinking) || thinking.type !== 'enabled') return undefined;
  if (temperature === undefined || temperature === null || temperature === 1) return undefined;
  return invalid({
    path: 'temperature',
    message:
      '`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-thinking',
  });
}

/** Every `tool_use` is answered exactly once, at the start of the next user turn, and nothing else is answered. */
function judgePairing(turns: readonly AnthropicTurn[]): JudgeFinding {
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

function judgeCallIds({ turn, seen }: { turn: AnthropicTurn; seen: Set<string> }): JudgeFinding {
  for (const placed of ofType(turn, 'tool_use')) {
    const id = String(placed.block.id);
    if (seen.has(id))
      return invalid({ path: pathOf(placed), message: `${nameOf(placed)}: \`tool_use\` ids must be unique` });
    seen.add(id);
  }
  return undefined;
}

function judgeAnswered({ turn, next }: { turn: AnthropicTurn; next: AnthropicTurn | undefined }): JudgeFinding {
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

/** Only results before all other content count: "tool_result blocks must come FIRST" (tool use guide). */
function leadingResults(turn: AnthropicTurn | undefined): PlacedBlock[] {
  if (turn?.role !== 'user') return [];
  const end = turn.blocks.findIndex(({ block }) => block.type !== 'tool_result');
  return end === -1 ? turn.blocks : turn.blocks.slice(0, end);
}

function judgeResults({ turn, previous }: { turn: AnthropicTurn; previous: AnthropicTurn | undefined }): JudgeFinding {
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

function ofType(turn: AnthropicTurn, type: string): PlacedBlock[] {
  return turn.blocks.filter(({ block }) => block.type === type);
}

function pathOf({ message, index }: PlacedBlock): string {
  return `messages[${message}].content[${index}]`;
}

function nameOf({ message, index }: PlacedBlock): string {
  return `messages.${message}.content.${index}`;
}

interface Marker {
  block: JsonRecord;
  control: unknown;
  path: string;
  name: string;
}

/** Cache breakpoints: four at most, none on empty text, one-hour ones before five-minute ones. */
function judgeCacheControl(body: JsonRecord): JudgeFinding {
  const markers = [...markersOf(body)];
  let short = false;
  for (const { block, control, path, name } of markers) {
    if (!isObject(control) || control.type !== 'ephemeral')
      return invalid({
        path,
        message: `${name}.cache_control: Input tag '${isObject(control) ? String(control.type) : ''}' found using 'type' does not match any of the expected tags: 'ephemeral'`,
      });
    if (control.ttl !== undefined && control.ttl !== '5m' && control.ttl !== '1h')
      return invalid({ path, message: `${name}.cache_control.ephemeral.ttl: Input should be '5m' or '1h'` });
    if (block.type === 'text' && block.text === '')
      return invalid({ path, message: `${name}: cache_control cannot be set for empty text blocks` });
    if (control.ttl === '1h' && short)
      return invalid({
        path,
        message: `${name}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
      });
    short ||= control.ttl !== '1h';
  }
  // The top-level marker "automatically applies a cache_control marker to the last cacheable block", so it counts.
  const found = markers.length + (body.cache_control == null ? 0 : 1);
  if (found > 4)
    return invalid({ path: '', message: `A maximum of 4 blocks with cache_control may be provided. Found ${found}.` });
  return undefined;
}

function* markersOf(body: JsonRecord): Generator<Marker> {
  yield* markersIn({ blocks: body.tools, path: 'tools', name: 'tools' });
  yield* markersIn({ blocks: body.system, path: 'system', name: 'system' });
  if (!isArray(body.messages)) return;
  for (const [at, message] of body.messages.entries()) {
    if (!isObject(message)) continue;
    yield* markersIn({ blocks: message.content, path: `messages[${at}].content`, name: `messages.${at}.content` });
  }
}

function* markersIn({ blocks, path, name }: { blocks: unknown; path: string; name: string }): Generator<Marker> {
  if (!isArray(blocks)) return;
  for (const [at, block] of blocks.entries()) {
    if (!isObject(block)) continue;
    const here = { path: `${path}[${at}]`, name: `${name}.${at}` };
    if (block.type === 'tool_result')
      yield* markersIn({ blocks: block.content, path: `${here.path}.content`, name: `${here.name}.content` });
    if (block.cache_control != null) yield { block, control: block.cache_control, ...here };
  }
}

const namePattern = /^[a-zA-Z0-9_-]{1,128}$/;

/** Tool definitions and `tool_choice`. */
function judgeTools(body: JsonRecord): JudgeFinding {
  return judgeDefinitions(body.tools) ?? judgeChoice(body);
}

function judgeDefinitions(tools: unknown): JudgeFinding {
  if (tools === undefined) return undefined;
  if (!isArray(tools)) return invalid({ path: 'tools', message: 'tools: Input should be a valid list' });
  const names = new Set<string>();
  for (const [at, tool] of tools.entries()) {
    const path = `tools[${at}]`;
    if (!isObject(tool)) return invalid({ path, message: `tools.${at}: Input should be a valid dictionary` });
    const finding = judgeDefinition({ tool, path, name: `tools.${at}` });
    if (finding) return finding;
    if (typeof tool.name !== 'string') continue;
    if (names.has(tool.name)) return invalid({ path, message: 'tools: Tool names must be unique.' });
    names.add(tool.name);
  }
  return undefined;
}

function judgeDefinition({ tool, path, name }: { tool: JsonRecord; path: string; name: string }): JudgeFinding {
  // Tools with a dated type ("bash_20250124") are built in and have their own schema.
  if (tool.type !== undefined && tool.type !== null && tool.type !== 'custom')
    return typeof tool.type === 'string'
      ? undefined
      : invalid({ path, message: `${name}.type: Input should be a valid string` });
  const custom = `${name}.custom`;
  if (tool.name === undefined) return invalid({ path, message: `${custom}.name: Field required` });
  if (typeof tool.name !== 'string' || !namePattern.test(tool.name))
    return invalid({ path, message: `${custom}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'` });
  if (tool.input_schema === undefined) return invalid({ path, message: `${custom}.input_schema: Field required` });
  if (!isObject(tool.input_schema))
    return invalid({ path, message: `${custom}.input_schema: Input should be a valid dictionary` });
  if (tool.input_schema.type === undefined)
    return invalid({ path, message: `${custom}.input_schema.type: Field required` });
  if (tool.input_schema.type !== 'object')
    return invalid({ path, message: `${custom}.input_schema.type: Input should be 'object'` });
  return undefined;
}

function judgeChoice(body: JsonRecord): JudgeFinding {
  const { tool_choice: choice, tools } = body;
  if (choice === undefined) return undefined;
  if (!isObject(choice))
    return invalid({ path: 'tool_choice', message: 'tool_choice: Input should be a valid dictionary' });
  if (!['auto', 'any', 'tool', 'none'].includes(String(choice.type)))
    return invalid({
      path: 'tool_choice',
      message: `tool_choice: Input tag '${String(choice.type)}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`,
    });
  const given = isArray(tools) ? tools : [];
  if (given.length === 0 && choice.type !== 'none')
    return invalid({
      path: 'tool_choice',
      message: 'tool_choice: tool_choice may only be specified while providing tools.',
    });
  if (choice.type !== 'tool') return undefined;
  if (typeof choice.name !== 'string')
    return invalid({ path: 'tool_choice', message: 'tool_choice.tool.name: Field required' });
  if (!given.some((tool) => isObject(tool) && tool.name === choice.name))
    return invalid({ path: 'tool_choice', message: `Tool '${choice.name}' not found in provided tools` });
  return undefined;
}
