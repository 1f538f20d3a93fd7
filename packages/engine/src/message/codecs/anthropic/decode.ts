import { isArray, isObject, type Json, type JsonObject, without } from '../../../json.ts';
import type { ContentPart, MediaSource, Message, Origin, Part, Role } from '../../message.ts';
import { originOf } from '../../origin.ts';
import { opaqueItem, opaquePart, restOf, textPart } from '../parts.ts';
import { wireOf } from '../wire.ts';

const dialect = 'anthropic';

export function decodeItem(item: Json): Message {
  if (!isObject(item) || !isRole(item.role) || !(typeof item.content === 'string' || isArray(item.content))) {
    return opaqueItem({ dialect, value: item });
  }
  const { role, content } = item;
  const parts = typeof content === 'string' ? [textPart(content, role)] : content.map((b) => decodeBlock(b, role));
  const onlyResults = role === 'user' && parts.length > 0 && parts.every((part) => part.type === 'tool_result');
  return {
    role: onlyResults ? 'tool' : role,
    parts,
    wire: {
      dialect,
      ...wireOf({
        dialect,
        fields: without(item, ['role', 'content']),
        form: typeof content === 'string' ? 'string' : undefined,
      }).wire,
    },
  };
}

export function decodeBlock(block: Json, role: Role): Part {
  if (!isObject(block)) return opaque(block, role);
  switch (block.type) {
    case 'thinking':
    case 'redacted_thinking':
      return decodeThinking(block) ?? opaque(block, role);
    case 'tool_use': {
      const { id, name, input } = block;
      if (typeof id !== 'string' || typeof name !== 'string' || input === undefined) break;
      const call = { type: 'tool_call', origin: 'model', id, name, arguments: JSON.stringify(input) } as const;
      return { ...call, ...rest(block, ['id', 'name', 'input'], isObject(input) ? undefined : 'value') };
    }
    case 'tool_result':
      return decodeResult(block) ?? opaque(block, role);
    default:
      return decodeContent(block, role);
  }
  return opaque(block, role);
}

function decodeContent(block: Json, role: Role): ContentPart {
  const origin = roleOrigin(role);
  if (!isObject(block)) return opaque(block, role);
  if (block.type === 'text' && typeof block.text === 'string') {
    return { ...textPart(block.text, role), ...rest(block, ['text']) };
  }
  if (block.type === 'image' || block.type === 'document') {
    const source = decodeSource(block.source);
    if (source && block.type === 'image') return { type: 'image', origin, source, ...rest(block, ['source']) };
    if (source) {
      const name = typeof block.title === 'string' ? block.title : undefined;
      const known = name === undefined ? ['source'] : ['source', 'title'];
      const form = source.kind === 'base64' && source.mediaType.startsWith('text/') ? 'bytes' : undefined;
      return { type: 'document', origin, source, ...(name !== undefined && { name }), ...rest(block, known, form) };
    }
  }
  return opaque(block, role);
}

function decodeThinking(block: JsonObject): Part | undefined {
  const bound = { type: 'thinking', origin: 'model', wire: { dialect } } as const;
  if (block.type === 'redacted_thinking') {
    if (typeof block.data !== 'string') return undefined;
    return { ...bound, text: '', encrypted: block.data, ...rest(block, ['data']) };
  }
  const { thinking, signature } = block;
  if (typeof thinking !== 'string') return undefined;
  if (typeof signature !== 'string') return { ...bound, text: thinking, ...rest(block, ['thinking']) };
  return { ...bound, text: thinking, signature, ...rest(block, ['thinking', 'signature']) };
}

function decodeResult(block: JsonObject): Part | undefined {
  const { tool_use_id: callId, content, is_error: isError } = block;
  if (typeof callId !== 'string') return undefined;
  if (content !== undefined && content !== null && typeof content !== 'string' && !isArray(content)) return undefined;
  const known = ['tool_use_id', 'content', ...(isError === true ? ['is_error'] : [])];
  const form = resultForm(content);
  return {
    type: 'tool_result',
    origin: 'tool',
    callId,
    content:
      typeof content === 'string'
        ? [textPart(content, 'tool')]
        : (content ?? []).map((nested) => decodeContent(nested, 'tool')),
    ...(isError === true && { isError }),
    ...rest(block, known, form),
  };
}

/** The original form of content that the parts do not show: the encoder omits blank texts and empty lists. */
function resultForm(content: Json | undefined): string | undefined {
  if (content === null) return 'null';
  if (typeof content === 'string') return 'string';
  if (!isArray(content)) return undefined;
  if (content.length === 0) return 'empty';
  const isBlank = (block: Json) => isObject(block) && typeof block.text === 'string' && block.text.trim() === '';
  return content.some(isBlank) ? 'blocks' : undefined;
}

function decodeSource(source: Json | undefined): MediaSource | undefined {
  if (!isObject(source)) return undefined;
  const { type, media_type: mediaType, data, url, file_id: id, ...unknown } = source;
  if (Object.keys(unknown).length > 0) return undefined;
  const members = Object.keys(source).length;
  if (type === 'base64' && members === 3 && typeof mediaType === 'string' && typeof data === 'string') {
    return { kind: 'base64', mediaType, data };
  }
  if (type === 'text' && members === 3 && mediaType === 'text/plain' && typeof data === 'string') {
    return { kind: 'text', text: data };
  }
  if (type === 'url' && members === 2 && typeof url === 'string') return { kind: 'url', url };
  if (type === 'file' && members === 2 && typeof id === 'string') return { kind: 'file', id };
  return undefined;
}

function rest(block: JsonObject, known: readonly string[], form?: string): Pick<Part, 'cache' | 'wire'> {
  return restOf({ dialect, block, known: ['type', ...known], form });
}

function opaque(value: Json, role: Role): ContentPart {
  return opaquePart({ dialect, value, origin: roleOrigin(role) });
}

function roleOrigin(role: Role): Origin {
  return originOf({ role, text: '' });
}

function isRole(role: Json | undefined): role is 'user' | 'assistant' | 'system' {
  return role === 'user' || role === 'assistant' || role === 'system';
}
