import type { JudgeFinding, JudgeOptions } from './findings.ts';
import { isArray, isObject, type JsonRecord } from './json.ts';
import { emptyArray, missing, refuse, tooLong, unsupported, wrongType } from './openai-error.ts';
import { judgeFunctionName } from './openai-tools.ts';

/** Item type -> the prefix its id must have; `undefined` where the API states none. */
const prefixes: Record<string, string | undefined> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fc',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctc',
  compaction: 'cmp',
};
const types = [
  ...Object.keys(prefixes),
  ...['item_reference', 'compaction_trigger', 'file_search_call', 'web_search_call', 'computer_call'],
  ...['computer_call_output', 'image_generation_call', 'code_interpreter_call', 'local_shell_call'],
  ...['local_shell_call_output', 'shell_call', 'shell_call_output', 'apply_patch_call', 'apply_patch_call_output'],
  ...['mcp_list_tools', 'mcp_approval_request', 'mcp_approval_response', 'mcp_call', 'tool_search_call'],
  ...['tool_search_output', 'additional_tools', 'configuration_update', 'program', 'program_output'],
];

/** The shape of each input item. */
export function judgeItems({
  input,
  stored,
  options,
}: {
  input: readonly unknown[];
  stored: boolean;
  options: JudgeOptions;
}): JudgeFinding {
  const ids = new Set<string>();
  for (const [at, item] of input.entries()) {
    const path = `input[${at}]`;
    if (!isObject(item)) return wrongType({ path, expected: 'an object', value: item });
    const type = typeOf(item);
    if (!types.includes(type)) return unsupported({ path: `${path}.type`, value: type, values: types });
    const finding = judgeId({ item, type, path, ids }) ?? judgeItem({ item, type, path });
    if (finding) return finding;
    if (type === 'item_reference' && !resolves({ id: String(item.id), stored, options }))
      return notFound({ id: String(item.id), stored, path });
    if (type === 'compaction_trigger' && at !== input.length - 1)
      // "Must be the final input item" (SDK doc).
      return refuse({ path, message: `Invalid '${path}': 'compaction_trigger' must be the final input item.` });
  }
  return undefined;
}

/** An item without a type is a message if it has a role, and a reference if it has only an id. */
export function typeOf(item: JsonRecord): string {
  if (item.type !== undefined && item.type !== null) return String(item.type);
  return item.role === undefined && item.id !== undefined ? 'item_reference' : 'message';
}

export function resolves({ id, stored, options }: { id: string; stored: boolean; options: JudgeOptions }): boolean {
  return options.knownItems ? options.knownItems.has(id) : stored;
}

export function notFound({ id, stored, path }: { id: string; stored: boolean; path: string }): JudgeFinding {
  const advice = stored
    ? ''
    : ' Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.';
  // Reported as a 404 of type invalid_request_error (pi #3369, vercel/ai #7543).
  return refuse({ path, param: 'input', status: 404, message: `Item with id '${id}' not found.${advice}` });
}

function judgeId({
  item,
  type,
  path,
  ids,
}: {
  item: JsonRecord;
  type: string;
  path: string;
  ids: Set<string>;
}): JudgeFinding {
  const { id } = item;
  if (id === undefined || id === null) return type === 'item_reference' ? missing(`${path}.id`) : undefined;
  if (typeof id !== 'string') return wrongType({ path: `${path}.id`, expected: 'a string', value: id });
  if (id.length > 64) return tooLong({ path: `${path}.id`, limit: 64, length: id.length });
  if (!/^[a-zA-Z0-9_-]+$/.test(id))
    return refuse({
      path: `${path}.id`,
      message: `Invalid '${path}.id': '${id}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`,
      code: 'invalid_value',
    });
  const prefix = prefixes[type];
  if (prefix !== undefined && !id.startsWith(prefix))
    return refuse({
      path: `${path}.id`,
      message: `Invalid '${path}.id': '${id}'. Expected an ID that begins with '${prefix}'.`,
      code: 'invalid_value',
    });
  if (ids.has(id))
    return refuse({
      path,
      param: 'input',
      message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
    });
  ids.add(id);
  return undefined;
}

function judgeItem({ item, type, path }: { item: JsonRecord; type: string; path: string }): JudgeFinding {
  switch (type) {
    case 'message':
      return judgeMessageContent({ item, path });
    case 'function_call':
      return (
        judgeCallId({ item, path }) ??
        judgeFunctionName({ value: item.name, path: `${path}.name` }) ??
        judgeString({ value: item.arguments, path: `${path}.arguments` })
      );
    case 'custom_tool_call':
      return (
        judgeCallId({ item, path }) ??
        judgeFunctionName({ value: item.name, path: `${path}.name` }) ??
        judgeString({ value: item.input, path: `${path}.input` })
      );
    case 'function_call_output':
    case 'custom_tool_call_output':
      return judgeCallId({ item, path }) ?? judgeOutput({ value: item.output, path: `${path}.output` });
    case 'reasoning':
      return isArray(item.summary) ? undefined : missing(`${path}.summary`);
    case 'compaction':
      return judgeString({ value: item.encrypted_content, path: `${path}.encrypted_content` });
    default:
      return undefined;
  }
}

function judgeCallId({ item, path }: { item: JsonRecord; path: string }): JudgeFinding {
  const at = `${path}.call_id`;
  const finding = judgeString({ value: item.call_id, path: at });
  if (finding || typeof item.call_id !== 'string') return finding;
  if (item.call_id === '')
    return refuse({
      path: at,
      message: `Invalid '${at}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
      code: 'empty_string',
    });
  return item.call_id.length > 64 ? tooLong({ path: at, limit: 64, length: item.call_id.length }) : undefined;
}

function judgeOutput({ value, path }: { value: unknown; path: string }): JudgeFinding {
  if (value === undefined) return missing(path);
  if (typeof value === 'string') return undefined;
  if (!isArray(value)) return wrongType({ path, expected: 'one of a string or array of objects', value });
  const values = ['input_text', 'input_image', 'input_file'];
  const at = value.findIndex((part) => !isObject(part) || !values.includes(String(part.type)));
  if (at === -1) return undefined;
  const part = value[at];
  return unsupported({ path: `${path}[${at}]`, value: isObject(part) ? part.type : part, values });
}

function judgeString({ value, path }: { value: unknown; path: string }): JudgeFinding {
  if (value === undefined) return missing(path);
  return typeof value === 'string' ? undefined : wrongType({ path, expected: 'a string', value });
}

const roles = ['assistant', 'system', 'developer', 'user'];
const inputParts = ['input_text', 'input_image', 'input_file', 'input_audio'];
const outputParts = ['output_text', 'refusal'];
const payload: Record<string, string> = { input_text: 'text', output_text: 'text', refusal: 'refusal' };

/**
 * The role of a message determines its parts: `input_*` is input of the model, `output_text` and `refusal` are its
 * output.
 */
function judgeMessageContent({ item, path }: { item: JsonRecord; path: string }): JudgeFinding {
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
