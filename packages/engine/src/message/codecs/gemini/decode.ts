import { isArray, isObject, type Json, type JsonObject, without } from '../../../json.ts';
import type { ContentPart, MediaSource, Message, Part, Role, ToolCallPart, ToolResultPart } from '../../message.ts';
import { originOf } from '../../origin.ts';
import { opaqueItem, opaquePart, textPart } from '../parts.ts';
import { wireOf } from '../wire.ts';
import { createCallNames } from './call-names.ts';
import { camelPart, writtenInSnake } from './spelling.ts';

const dialect = 'gemini';

export function decodeItems(items: readonly Json[]): Message[] {
  const names = createCallNames();
  return items.map((item, index) => {
    names.enter({ item: index, isModel: isObject(item) && item.role === 'model' });
    return decodeItem(item, names);
  });
}

type CallNames = ReturnType<typeof createCallNames>;

function decodeItem(item: Json, names: CallNames): Message {
  if (!isObject(item) || !isArray(item.parts) || !isRole(item.role)) return opaqueItem({ dialect, value: item });
  const role = item.role === 'model' ? 'assistant' : 'user';
  const parts = item.parts.map((part, index) => decodePart({ part, role, names, index }));
  const onlyResults = role === 'user' && parts.length > 0 && parts.every((part) => part.type === 'tool_result');
  const known = item.role === 'function' ? ['parts'] : ['role', 'parts'];
  const form = item.role === undefined ? 'no-role' : undefined;
  return {
    role: onlyResults ? 'tool' : role,
    parts,
    wire: { dialect, ...wireOf({ dialect, fields: without(item, known), form }).wire },
  };
}

export function decodePart(input: {
  readonly part: Json;
  readonly role: Role;
  readonly names: CallNames;
  readonly index: number;
}): Part {
  const { part, role } = input;
  const camel = isObject(part) ? camelPart(part) : undefined;
  const decoded = isObject(part) ? decodeKnown(input, camel ?? part) : undefined;
  if (!decoded) return opaquePart({ dialect, value: part, origin: originOf({ role, text: '' }) });
  return camel ? writtenInSnake(decoded) : decoded;
}

function decodeKnown(
  input: { readonly role: Role; readonly names: CallNames; readonly index: number },
  part: JsonObject,
): Part | undefined {
  return decodeCall(input, part) ?? decodeResult(input, part) ?? decodeWords(part, input.role);
}

function decodeWords(part: JsonObject, role: Role): Part | undefined {
  if (typeof part.text !== 'string') return decodeMedia(part, role);
  const signed = signatureOf(part);
  const known = ['text', ...(signed.signature === undefined ? [] : ['thoughtSignature'])];
  if (part.thought === true) {
    const { wire } = wireOf({ dialect, fields: without(part, [...known, 'thought']) });
    return { type: 'thinking', origin: 'model', text: part.text, ...signed, wire: { dialect, ...wire } };
  }
  return { ...textPart(part.text, role), ...signed, ...wireOf({ dialect, fields: without(part, known) }) };
}

function decodeCall(input: { names: CallNames; index: number }, part: JsonObject): ToolCallPart | undefined {
  const call = part.functionCall;
  if (!isObject(call) || typeof call.name !== 'string') return undefined;
  if (call.id !== undefined && typeof call.id !== 'string') return undefined;
  if (call.args !== undefined && !isObject(call.args)) return undefined;
  const { name, args } = call;
  const id = input.names.call({ id: call.id, name, part: input.index });
  const signed = signatureOf(part);
  const forms = [call.id === undefined ? 'no-id' : '', args === undefined ? 'no-args' : ''].filter(Boolean);
  const nested = without(call, ['id', 'name', 'args']);
  const outer = without(part, ['functionCall', ...(signed.signature === undefined ? [] : ['thoughtSignature'])]);
  const fields = nested ? { ...outer, functionCall: nested } : outer;
  return {
    type: 'tool_call',
    origin: 'model',
    id,
    name,
    arguments: JSON.stringify(args ?? {}),
    ...signed,
    ...wireOf({ dialect, fields, form: forms.join(' ') || undefined }),
  };
}

function decodeResult(input: { names: CallNames; index: number }, part: JsonObject): ToolResultPart | undefined {
  const answer = part.functionResponse;
  if (!isObject(answer) || typeof answer.name !== 'string' || !isObject(answer.response)) return undefined;
  if (answer.id !== undefined && typeof answer.id !== 'string') return undefined;
  const { name, response } = answer;
  const media = isArray(answer.parts) ? answer.parts.map((nested) => decodeMedia(nested, 'tool')) : [];
  const isKnownMedia = media.length > 0 && media.every((nested) => nested !== undefined);
  const { text, form, isError } = readResponse(response);
  const forms = [answer.id === undefined ? 'no-id' : '', form].filter(Boolean);
  const nested = without(answer, ['id', 'name', 'response', isKnownMedia ? 'parts' : '']);
  const outer = without(part, ['functionResponse']);
  const fields = nested ? { ...outer, functionResponse: nested } : outer;
  return {
    type: 'tool_result',
    origin: 'tool',
    callId: input.names.result({ id: answer.id, name, part: input.index }),
    name,
    content: [textPart(text, 'tool'), ...(isKnownMedia ? media : [])],
    ...(isError && { isError }),
    ...wireOf({ dialect, fields, form: forms.join(' ') || undefined }),
  };
}

/** `output` and `error` are the documented names for text; any other response is kept as its JSON text. */
function readResponse(response: JsonObject): { text: string; form: string; isError?: true } {
  const [key, ...others] = Object.keys(response);
  const value = key === undefined ? undefined : response[key];
  if (others.length === 0 && typeof value === 'string') {
    if (key === 'output') return { text: value, form: '' };
    if (key === 'error') return { text: value, form: '', isError: true };
    if (key === 'result') return { text: value, form: 'result' };
  }
  return { text: JSON.stringify(response), form: 'json' };
}

function decodeMedia(part: Json, role: Role): ContentPart | undefined {
  if (!isObject(part)) return undefined;
  const found = readSource(part);
  if (!found) return undefined;
  const origin = originOf({ role, text: '' });
  const { wire } = wireOf({ dialect, fields: without(part, [found.key]) });
  if (found.mediaType.startsWith('image/'))
    return { type: 'image', origin, source: found.source, ...(wire && { wire }) };
  return { type: 'document', origin, source: found.source, ...(wire && { wire }) };
}

/** Audio and video are not documents: like any unknown media type, they stay opaque. */
function readSource(part: JsonObject): { key: string; mediaType: string; source: MediaSource } | undefined {
  const key = isObject(part.inlineData) ? 'inlineData' : 'fileData';
  const data = part[key];
  if (!isObject(data) || typeof data.mimeType !== 'string' || Object.keys(data).length !== 2) return undefined;
  const { mimeType: mediaType } = data;
  if (mediaType.startsWith('audio/') || mediaType.startsWith('video/')) return undefined;
  if (typeof data.data === 'string') return { key, mediaType, source: { kind: 'base64', mediaType, data: data.data } };
  if (typeof data.fileUri === 'string')
    return { key, mediaType, source: { kind: 'url', url: data.fileUri, mediaType } };
  return undefined;
}

function signatureOf(part: JsonObject): { readonly signature?: string } {
  return typeof part.thoughtSignature === 'string' ? { signature: part.thoughtSignature } : {};
}

function isRole(role: Json | undefined): boolean {
  return role === undefined || role === 'user' || role === 'model' || role === 'function';
}
