import { isArray, isObject, type Json } from './json.ts';
import { emptyArray, missing, unsupported, wrongType } from './openai-error.ts';
import type { Finding } from './verdict.ts';

const roles = ['assistant', 'system', 'developer', 'user'];
const inputParts = ['input_text', 'input_image', 'input_file', 'input_audio'];
const outputParts = ['output_text', 'refusal'];
const payload: Record<string, string> = { input_text: 'text', output_text: 'text', refusal: 'refusal' };

/** A message's role decides its parts: `input_*` is said to the model, `output_text` and `refusal` came from it. */
export function judgeMessageContent({ item, path }: { item: Json; path: string }): Finding {
  const { role, content } = item;
  if (role === undefined) return missing(`${path}.role`);
  if (!roles.includes(String(role))) return unsupported({ path: `${path}.role`, value: role, values: roles });
  const at = `${path}.content`;
  if (content === undefined) return missing(at);
  if (typeof content === 'string') return undefined;
  if (!isArray(content))
    return wrongType({ path: at, expected: 'one of an array of objects or string', value: content });
  if (content.length === 0) return emptyArray(at);
  const values = role === 'assistant' ? outputParts : inputParts;
  for (const [index, part] of content.entries()) {
    const here = `${at}[${index}]`;
    if (!isObject(part)) return wrongType({ path: here, expected: 'an object', value: part });
    const type = String(part.type);
    if (!values.includes(type)) return unsupported({ path: here, value: type, values });
    const field = payload[type];
    if (field !== undefined && typeof part[field] !== 'string') return missing(`${here}.${field}`);
  }
  return undefined;
}
