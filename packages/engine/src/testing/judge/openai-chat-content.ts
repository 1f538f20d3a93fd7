import { isArray, isObject, type Json } from './json.ts';
import { emptyArray, missing, refuse, unsupported, wrongType } from './openai-error.ts';
import type { Finding } from './verdict.ts';

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

/** `content` of one message: a string, or parts that its role may have. */
export function judgeChatContent({ message, path }: { message: Json; path: string }): Finding {
  const { content, role } = message;
  const at = `${path}.content`;
  if (content === undefined || content === null) {
    // "Required unless `tool_calls` or `function_call` is specified" (SDK doc); refusals and audio stand for it too.
    const stands = message.tool_calls ?? message.function_call ?? message.refusal ?? message.audio;
    if (role === 'assistant' && stands !== undefined && stands !== null) return undefined;
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
}): Finding {
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
