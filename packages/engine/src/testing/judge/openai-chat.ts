import { isArray, isObject, type Json, loneSurrogate } from './json.ts';
import { judgeChatContent } from './openai-chat-content.ts';
import { judgeChatPairing } from './openai-chat-pairing.ts';
import { judgeChatParameters } from './openai-chat-parameters.ts';
import { emptyArray, missing, refuse, tooLong, unparsable, unsupported, wrongType } from './openai-error.ts';
import { judgeFunctionName, judgeTools } from './openai-tools.ts';
import { type Finding, firstOf, type JudgeOptions } from './verdict.ts';

const roles = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

/** The OpenAI Chat Completions API. */
export function judgeOpenAIChat({ body }: { body: unknown; options: JudgeOptions }): Finding {
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

function judgeRequest(body: Json): Finding {
  if (typeof body.model !== 'string' || body.model === '')
    return refuse({ path: 'model', param: '', message: 'you must provide a model parameter' });
  if (body.messages === undefined) return missing('messages');
  if (!isArray(body.messages))
    return wrongType({ path: 'messages', expected: 'an array of objects', value: body.messages });
  return body.messages.length === 0 ? emptyArray('messages') : undefined;
}

function judgeMessages(messages: unknown): Finding {
  if (!isArray(messages)) return undefined;
  for (const [at, message] of messages.entries()) {
    const path = `messages[${at}]`;
    if (!isObject(message)) return wrongType({ path, expected: 'an object', value: message });
    const finding = judgeMessage({ message, path });
    if (finding) return finding;
  }
  return undefined;
}

function judgeMessage({ message, path }: { message: Json; path: string }): Finding {
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
    // Real deployments differ; only an assistant message is documented to have the field.
    return refuse({
      path: `${path}.tool_calls`,
      message: `Invalid parameter: only messages with role 'assistant' can have a function call.`,
    });
  return judgeChatContent({ message, path });
}

function judgeToolCalls({ calls, path }: { calls: unknown; path: string }): Finding {
  if (calls === undefined) return undefined;
  if (!isArray(calls)) return wrongType({ path, expected: 'an array of objects', value: calls });
  if (calls.length === 0) return emptyArray(path);
  for (const [at, call] of calls.entries()) {
    const finding = judgeToolCall({ call, path: `${path}[${at}]` });
    if (finding) return finding;
  }
  return undefined;
}

function judgeToolCall({ call, path }: { call: unknown; path: string }): Finding {
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
