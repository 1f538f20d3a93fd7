import { judgeCompactionBlock } from './anthropic-compaction.ts';
import { invalid } from './anthropic-error.ts';
import type { JudgeFinding } from './findings.ts';
import { isArray, isObject, type JsonRecord } from './json.ts';

const text = ['type', 'text', 'cache_control', 'citations'];
/** Fields of the block types that history consists of; others change with betas and are not listed here. */
const fields: Record<string, readonly string[]> = {
  text,
  image: ['type', 'source', 'cache_control', 'transformations'],
  thinking: ['type', 'thinking', 'signature'],
  redacted_thinking: ['type', 'data'],
  tool_use: ['type', 'id', 'name', 'input', 'cache_control', 'caller', 'toolset_name'],
  tool_result: ['type', 'tool_use_id', 'content', 'is_error', 'cache_control', 'toolset_name'],
  compaction: ['type', 'content', 'encrypted_content', 'signature', 'tool_changes', 'cache_control'],
};
const assistantOnly = new Set([
  ...['tool_use', 'thinking', 'redacted_thinking', 'server_tool_use', 'mcp_tool_use', 'compaction'],
]);
const userOnly = new Set(['tool_result', 'image', 'document', 'search_result']);
const others = ['server_tool_use', 'mcp_tool_use', 'container_upload', 'document', 'search_result'];
const idPattern = /^[a-zA-Z0-9_-]+$/;
const namePattern = /^[a-zA-Z0-9_-]{1,128}$/;

/** The shape of each content block of a message, and in which turn it may occur. */
export function judgeBlocks({ message, at }: { message: JsonRecord; at: number }): JudgeFinding {
  const { content, role } = message;
  if (typeof content === 'string')
    return judgeText({ value: content, path: `messages[${at}].content`, allowEmpty: true });
  if (!isArray(content)) return undefined;
  for (let index = 0; index < content.length; index++) {
    const block = content[index];
    const path = `messages[${at}].content[${index}]`;
    const name = `messages.${at}.content.${index}`;
    if (!isObject(block)) return invalid({ path, message: `${name}: Input should be a valid dictionary` });
    const finding = judgeBlock({ block, path, name }) ?? judgePlace({ block, role, at, path });
    if (finding) return finding;
  }
  return undefined;
}

function judgePlace({
  block,
  role,
  at,
  path,
}: {
  block: JsonRecord;
  role: unknown;
  at: number;
  path: string;
}): JudgeFinding {
  const type = String(block.type);
  if (role === 'system' && type !== 'text')
    return invalid({ path, message: `messages.${at}: \`${type}\` blocks are not supported in \`system\` messages` });
  if (role !== 'assistant' && assistantOnly.has(type))
    return invalid({ path, message: `messages.${at}: \`${type}\` blocks can only be in \`assistant\` messages` });
  if (role !== 'user' && userOnly.has(type))
    return invalid({ path, message: `messages.${at}: \`${type}\` blocks can only be in \`user\` messages` });
  return undefined;
}

function judgeBlock({ block, path, name }: { block: JsonRecord; path: string; name: string }): JudgeFinding {
  const { type } = block;
  if (type === undefined) return invalid({ path, message: `${name}.type: Field required` });
  if (typeof type !== 'string' || !isKnown(type))
    return invalid({
      path,
      message: `${name}: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: ${[...Object.keys(fields), ...others].map((tag) => `'${tag}'`).join(', ')}`,
    });
  const allowed = fields[type];
  const extra = allowed && Object.keys(block).find((key) => !allowed.includes(key));
  // Among them `cache_control` on a thinking block.
  if (extra) return invalid({ path, message: `${name}.${type}.${extra}: Extra inputs are not permitted` });
  if (type === 'text') return judgeText({ value: block.text, path, field: `${name}.text.text` });
  if (type === 'tool_use') return judgeToolUse({ block, path, name: `${name}.tool_use` });
  if (type === 'tool_result') return judgeToolResult({ block, path, name: `${name}.tool_result` });
  if (type === 'image') return judgeImage({ block, path, name: `${name}.image` });
  if (type === 'compaction') return judgeCompactionBlock({ block, path, name: `${name}.compaction` });
  return undefined;
}

function isKnown(type: string): boolean {
  return type in fields || others.includes(type) || type.endsWith('_tool_result');
}

function judgeText({
  value,
  path,
  field = path,
  where = 'messages',
  allowEmpty = false,
}: {
  value: unknown;
  path: string;
  field?: string;
  where?: string;
  allowEmpty?: boolean;
}): JudgeFinding {
  if (value === undefined) return invalid({ path, message: `${field}: Field required` });
  if (typeof value !== 'string') return invalid({ path, message: `${field}: Input should be a valid string` });
  if (value === '')
    return allowEmpty ? undefined : invalid({ path, message: `${where}: text content blocks must be non-empty` });
  // One report (experiential #804) has whitespace next to other blocks accepted and alone rejected; others have it
  // rejected.
  if (value.trim() === '')
    return invalid({ path, message: `${where}: text content blocks must contain non-whitespace text` });
  return undefined;
}

function judgeToolUse({ block, path, name }: { block: JsonRecord; path: string; name: string }): JudgeFinding {
  if (block.id === undefined) return invalid({ path, message: `${name}.id: Field required` });
  if (typeof block.id !== 'string' || !idPattern.test(block.id))
    return invalid({ path, message: `${name}.id: String should match pattern '^[a-zA-Z0-9_-]+$'` });
  if (block.name === undefined) return invalid({ path, message: `${name}.name: Field required` });
  if (block.name === '') return invalid({ path, message: `${name}.name: String should have at least 1 character` });
  if (typeof block.name === 'string' && block.name.length > 200)
    return invalid({ path, message: `${name}.name: String should have at most 200 characters` });
  if (typeof block.name !== 'string' || !namePattern.test(block.name))
    return invalid({ path, message: `${name}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'` });
  if (block.input === undefined) return invalid({ path, message: `${name}.input: Field required` });
  if (!isObject(block.input)) return invalid({ path, message: `${name}.input: Input should be a valid dictionary` });
  return undefined;
}

function judgeToolResult({ block, path, name }: { block: JsonRecord; path: string; name: string }): JudgeFinding {
  if (block.tool_use_id === undefined) return invalid({ path, message: `${name}.tool_use_id: Field required` });
  if (typeof block.tool_use_id !== 'string' || !idPattern.test(block.tool_use_id))
    return invalid({ path, message: `${name}.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'` });
  if (block.is_error !== undefined && typeof block.is_error !== 'boolean')
    return invalid({ path, message: `${name}.is_error: Input should be a valid boolean` });
  const { content } = block;
  if (block.is_error === true && isHollow(content)) {
    return invalid({ path, message: `${name}: content cannot be empty if \`is_error\` is true` });
  }
  if (content === undefined || typeof content === 'string') return undefined;
  if (!isArray(content)) return invalid({ path, message: `${name}.content: Input should be a valid list` });
  for (const [index, part] of content.entries()) {
    const finding = judgeResultPart({ part, path: `${path}.content[${index}]`, name: `${name}.content.${index}` });
    if (finding) return finding;
  }
  return undefined;
}

/** Without readable content (oh-my-pi #2250, markform #153, trae-agent #230). */
function isHollow(content: unknown): boolean {
  if (content === undefined || content === null) return true;
  if (typeof content === 'string') return content.trim() === '';
  const isBlank = (part: unknown) => isObject(part) && part.type === 'text' && String(part.text).trim() === '';
  return isArray(content) && content.every(isBlank);
}

const resultParts = new Set(['text', 'image', 'search_result', 'document', 'tool_reference', 'browser_state']);

/** Inside a result even an empty text is accepted (experiential #804, all four forms answered 200). */
function judgeResultPart({ part, path, name }: { part: unknown; path: string; name: string }): JudgeFinding {
  if (!isObject(part)) return invalid({ path, message: `${name}: Input should be a valid dictionary` });
  if (!resultParts.has(String(part.type)))
    return invalid({
      path,
      message: `${name}: Input tag '${String(part.type)}' found using 'type' does not match any of the expected tags: ${[...resultParts].map((tag) => `'${tag}'`).join(', ')}`,
    });
  if (part.type === 'image') return judgeImage({ block: part, path, name: `${name}.image` });
  if (part.type === 'text' && typeof part.text !== 'string')
    return invalid({ path, message: `${name}.text.text: Input should be a valid string` });
  return undefined;
}

/** The top-level `system`: a string (also an empty one) or text blocks. */
export function judgeSystemBlocks(system: unknown): JudgeFinding {
  if (system === undefined) return undefined;
  if (typeof system === 'string')
    return judgeText({ value: system, path: 'system', where: 'system', allowEmpty: true });
  if (!isArray(system)) return invalid({ path: 'system', message: 'system: Input should be a valid list' });
  for (const [at, block] of system.entries()) {
    const path = `system[${at}]`;
    if (!isObject(block)) return invalid({ path, message: `system.${at}: Input should be a valid dictionary` });
    if (block.type !== 'text') return invalid({ path, message: `system.${at}.type: Input should be 'text'` });
    const extra = Object.keys(block).find((key) => !text.includes(key));
    if (extra) return invalid({ path, message: `system.${at}.${extra}: Extra inputs are not permitted` });
    const finding = judgeText({ value: block.text, path, field: `system.${at}.text`, where: 'system' });
    if (finding) return finding;
  }
  return undefined;
}

const mediaTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Image sources: base64 of four media types, a URL, or an uploaded file. */
function judgeImage({ block, path, name }: { block: JsonRecord; path: string; name: string }): JudgeFinding {
  const { source } = block;
  if (source === undefined) return invalid({ path, message: `${name}.source: Field required` });
  if (!isObject(source)) return invalid({ path, message: `${name}.source: Input should be a valid dictionary` });
  const at = `${name}.source.${String(source.type)}`;
  switch (source.type) {
    case 'url':
      return requireString({ value: source.url, path, name: `${at}.url` });
    case 'file':
      return requireString({ value: source.file_id, path, name: `${at}.file_id` });
    case 'base64':
      if (!mediaTypes.includes(String(source.media_type)))
        return invalid({
          path,
          message: `${at}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
        });
      if (typeof source.data !== 'string') return requireString({ value: source.data, path, name: `${at}.data` });
      if (source.data === '' || !base64.test(source.data))
        return invalid({ path, message: `${at}: invalid base64 data` });
      return undefined;
    default:
      return invalid({
        path,
        message: `${name}.source: Input tag '${String(source.type)}' found using 'type' does not match any of the expected tags: 'base64', 'file', 'url'`,
      });
  }
}

function requireString({ value, path, name }: { value: unknown; path: string; name: string }): JudgeFinding {
  if (value === undefined) return invalid({ path, message: `${name}: Field required` });
  return typeof value === 'string' ? undefined : invalid({ path, message: `${name}: Input should be a valid string` });
}
