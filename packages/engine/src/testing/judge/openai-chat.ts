import { firstOf, type JudgeFinding, type JudgeOptions } from './findings.ts';
import { isArray, isObject, type JsonRecord, loneSurrogate } from './json.ts';
import { emptyArray, missing, refuse, tooLong, unparsable, unsupported, wrongType } from './openai-error.ts';
import { judgeLength, judgeNumber, judgeStreamOptions } from './openai-range.ts';
import { judgeFunctionName, judgeTools } from './openai-tools.ts';

const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

/** The OpenAI Chat Completions API. */
export function judgeOpenAIChat({ body }: { body: unknown; options: JudgeOptions }): JudgeFinding {
  const broken = loneSurrogate(body);
  if (broken !== undefined || !isObject(body)) return unparsable(broken ?? '');
  return firstOf([
    () => judgeRequest(body),
    () => judgeChatParameters(body),
    () => judgeTools({ body, nested: true }),
    () => judgeMessages(body.messages),
    () => judgeChatPairing(isArray(body.messages) ? body.messages.filter(isObject) : []),
  ]);
}

function judgeRequest(body: JsonRecord): JudgeFinding {
  if (typeof body.model !== 'string' || body.model === '')
    return refuse({ path: 'model', param: '', message: 'you must provide a model parameter' });
  if (body.messages === undefined) return missing('messages');
  if (!isArray(body.messages))
    return wrongType({ path: 'messages', expected: 'an array of objects', value: body.messages });
  return body.messages.length === 0 ? emptyArray('messages') : undefined;
}

function judgeMessages(messages: unknown): JudgeFinding {
  if (!isArray(messages)) return undefined;
  for (const [at, message] of messages.entries()) {
    const path = `messages[${at}]`;
    if (!isObject(message)) return wrongType({ path, expected: 'an object', value: message });
    const finding = judgeMessage({ message, path });
    if (finding) return finding;
  }
  return undefined;
}

function judgeMessage({ message, path }: { message: JsonRecord; path: string }): JudgeFinding {
  const { role } = message;
  if (role === undefined) return missing(`${path}.role`);
  if (!roles.includes(String(role))) return unsupported({ path: `${path}.role`, value: role, values: roles });
  if (role === 'tool' && message.tool_call_id === undefined) return missing(`${path}.tool_call_id`);
  if (role === 'tool' && typeof message.tool_call_id !== 'string')
    return wrongType({ path: `${path}.tool_call_id`, expected: 'a string', value: message.tool_call_id });
  if (role === 'assistant') {
    const finding = judgeToolCalls({ calls: message.tool_calls, path: `${path}.tool_calls` });
    if (finding) return finding;
  } else if (message.tool_calls !== undefined)
    // Real deployments differ; the field is documented for assistant messages only.
    return refuse({
      path: `${path}.tool_calls`,
      message: `Invalid parameter: only messages with role 'assistant' can have a function call.`,
    });
  return judgeChatContent({ message, path });
}

function judgeToolCalls({ calls, path }: { calls: unknown; path: string }): JudgeFinding {
  if (calls === undefined) return undefined;
  if (!isArray(calls)) return wrongType({ path, expected: 'an array of objects', value: calls });
  if (calls.length === 0) return emptyArray(path);
  for (const [at, call] of calls.entries()) {
    const finding = judgeToolCall({ call, path: `${path}[${at}]` });
    if (finding) return finding;
  }
  return undefined;
}

function judgeToolCall({ call, path }: { call: unknown; path: string }): JudgeFinding {
  if (!isObject(call)) return wrongType({ path, expected: 'an object', value: call });
  if (call.id === undefined) return missing(`${path}.id`);
  if (typeof call.id !== 'string') return wrongType({ path: `${path}.id`, expected: 'a string', value: call.id });
  if (call.id.length > 40) return tooLong({ path: `${path}.id`, limit: 40, length: call.id.length });
  if (call.type === undefined) return missing(`${path}.type`);
  if (call.type !== 'function' && call.type !== 'custom')
    return unsupported({ path: `${path}.type`, value: call.type, values: ['function', 'custom'] });
  const kind = call.type;
  const made = call[kind];
  if (!isObject(made)) return missing(`${path}.${kind}`);
  const input = kind === 'function' ? 'arguments' : 'input';
  if (made[input] === undefined) return missing(`${path}.${kind}.${input}`);
  if (typeof made[input] !== 'string')
    return wrongType({ path: `${path}.${kind}.${input}`, expected: 'a string', value: made[input] });
  return judgeFunctionName({ value: made.name, path: `${path}.${kind}.name` });
}

/** Members of the SDK's ChatCompletionCreateParams. */
const known = new Set([
  ...['messages', 'model', 'audio', 'frequency_penalty', 'function_call', 'functions', 'logit_bias', 'logprobs'],
  ...['max_completion_tokens', 'max_tokens', 'metadata', 'modalities', 'moderation', 'n', 'parallel_tool_calls'],
  ...['prediction', 'presence_penalty', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'],
  ...['reasoning_effort', 'response_format', 'safety_identifier', 'seed', 'service_tier', 'stop', 'store', 'stream'],
  ...['stream_options', 'temperature', 'tool_choice', 'tools', 'top_logprobs', 'top_p', 'user', 'verbosity'],
  'web_search_options',
]);

/** Parameters besides the messages; the wording is that of real errors, from memory. */
function judgeChatParameters(body: JsonRecord): JudgeFinding {
  return firstOf([
    () => judgeNames(body),
    () => judgeNumber({ body, path: 'temperature', min: 0, max: 2 }),
    () => judgeNumber({ body, path: 'top_p', min: 0, max: 1 }),
    () => judgeNumber({ body, path: 'n', min: 1, kind: 'integer' }),
    () => judgeLength({ body, path: 'stop', limit: 4 }),
    () => judgeLength({ body, path: 'tools', limit: 128 }),
    () => judgeStreamOptions(body),
    () => judgeTogether(body),
  ]);
}

function judgeNames(body: JsonRecord): JudgeFinding {
  const path = Object.keys(body).find((key) => !known.has(key));
  if (path === undefined) return undefined;
  return refuse({ path, param: '', message: `Unrecognized request argument supplied: ${path}` });
}

function judgeTogether(body: JsonRecord): JudgeFinding {
  if (body.max_tokens != null && body.max_completion_tokens != null)
    return refuse({
      path: 'max_tokens',
      message: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    });
  if (body.parallel_tool_calls != null && body.tools == null)
    return refuse({
      path: 'parallel_tool_calls',
      message:
        "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
    });
  return undefined;
}

const every = ['text', 'image_url', 'input_audio', 'refusal', 'audio', 'file'];
const byRole: Record<string, readonly string[]> = {
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
};
/** The field that holds a part's payload. */
const payload: Record<string, string> = {
  text: 'text',
  image_url: 'image_url',
  input_audio: 'input_audio',
  refusal: 'refusal',
  file: 'file',
};

/** `content` of one message: a string, or parts that its role allows. */
function judgeChatContent({ message, path }: { message: JsonRecord; path: string }): JudgeFinding {
  const { content, role } = message;
  const at = `${path}.content`;
  if (content === undefined || content === null) {
    // "Required unless `tool_calls` or `function_call` is specified" (SDK doc); refusals and audio replace it too.
    const replacement = message.tool_calls ?? message.function_call ?? message.refusal ?? message.audio;
    if (role === 'assistant' && replacement !== undefined && replacement !== null) return undefined;
    if (content === undefined) return missing(at);
    return refuse({
      path: at,
      param: at.replace('[', '.['),
      message: "Invalid value for 'content': expected a string, got null.",
    });
  }
  if (typeof content === 'string') return undefined;
  if (!isArray(content))
    return wrongType({ path: at, expected: 'one of a string or array of objects', value: content });
  if (content.length === 0) return emptyArray(at);
  for (const [index, part] of content.entries()) {
    const finding = judgePart({ part, role: String(role), path: `${at}[${index}]`, message: path });
    if (finding) return finding;
  }
  return undefined;
}

function judgePart({
  part,
  role,
  path,
  message,
}: {
  part: unknown;
  role: string;
  path: string;
  message: string;
}): JudgeFinding {
  if (!isObject(part)) return wrongType({ path, expected: 'an object', value: part });
  if (part.type === undefined) return missing(`${path}.type`);
  const type = String(part.type);
  if (!every.includes(type)) return unsupported({ path: `${path}.type`, value: type, values: every });
  const allowed = byRole[role] ?? ['text'];
  if (type === 'image_url' && !allowed.includes(type))
    return refuse({
      path: message,
      message: `Invalid '${message}'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
      code: 'invalid_value',
    });
  if (!allowed.includes(type)) return unsupported({ path: `${path}.type`, value: type, values: allowed });
  const field = payload[type];
  return field !== undefined && part[field] === undefined ? missing(`${path}.${field}`) : undefined;
}

/** The calls waiting for tool messages. */
interface Batch {
  /** Index of the assistant message that made them. */
  at: number;
  ids: Set<string>;
  open: Set<string>;
}

/**
 * Tool messages directly follow the assistant message whose calls they answer, one per call, in any order. Ids need
 * only be unique within one such batch: compatible servers restart their numbering in every answer.
 */
function judgeChatPairing(messages: readonly JsonRecord[]): JudgeFinding {
  let batch: Batch | undefined;
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') {
      const finding = answer({ message, at, batch });
      if (finding) return finding;
      continue;
    }
    if (batch && batch.open.size > 0) return unanswered(batch);
    batch = undefined;
    if (message.role !== 'assistant' || !isArray(message.tool_calls)) continue;
    const ids = message.tool_calls.map((call) => (isObject(call) ? String(call.id) : ''));
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) return duplicate({ id: twice, at });
    batch = { at, ids: new Set(ids), open: new Set(ids) };
  }
  return batch && batch.open.size > 0 ? unanswered(batch) : undefined;
}

function answer({ message, at, batch }: { message: JsonRecord; at: number; batch: Batch | undefined }): JudgeFinding {
  const id = String(message.tool_call_id);
  if (!batch)
    return refuse({
      path: `messages[${at}]`,
      param: `messages.[${at}].role`,
      // The misspelling is theirs.
      message:
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    });
  if (!batch.ids.has(id))
    return refuse({
      path: `messages[${at}]`,
      param: `messages.[${at}].tool_call_id`,
      message: `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
    });
  return batch.open.delete(id) ? undefined : duplicate({ id, at });
}

/** Reported from OpenAI and several compatible servers with the same wording. */
function duplicate({ id, at }: { id: string; at: number }): JudgeFinding {
  return refuse({
    path: `messages[${at}]`,
    param: `messages.[${at}].tool_call_id`,
    message: `Duplicate value for 'tool_call_id' of ${id} in message[${at}]`,
  });
}

function unanswered({ at, open }: Batch): JudgeFinding {
  return refuse({
    path: `messages[${at}]`,
    param: `messages.[${at}].role`,
    message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
  });
}
