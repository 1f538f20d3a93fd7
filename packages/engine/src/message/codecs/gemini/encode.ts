import { isObject, type Json, type JsonObject, parseJson } from '../../../json.ts';
import type { ContentPart, MediaSource, Message, Part, ToolCallPart, ToolResultPart, Wire } from '../../message.ts';
import { argumentsOf, reminderText, writeOpaque } from '../parts.ts';
import { assemble, isForeign, native } from '../wire.ts';
import { snakePart } from './spelling.ts';

const dialect = 'gemini';

/** Google's documented stand-in for the signature of a call that its model did not make. */
const unsigned = 'skip_thought_signature_validator';

/**
 * Gemini counts: as many responses in one turn as there were calls in the turn before. So runs of foreign tool messages,
 * and of foreign assistant messages, become one content each; contents that came from Gemini keep their own borders.
 */
export function encodeItems(messages: readonly Message[]): Json[] {
  const items: Json[] = [];
  const names = new Map<string, string>();
  let run: { readonly role: string; readonly parts: Json[]; hasCall: boolean } | undefined;
  for (const message of messages) {
    const wire = native(message, dialect);
    if (wire?.form === 'item') {
      run = undefined;
      items.push(...message.parts.flatMap((part) => writeOpaque(part, dialect)));
      continue;
    }
    for (const part of message.parts) if (part.type === 'tool_call') names.set(part.id, part.name);
    const joined = run?.role === message.role && !wire ? run : undefined;
    const parts = encodeParts({ message, names, mayLackSignature: joined?.hasCall ?? false });
    if (parts.length === 0 && !wire) continue;
    const hasCall = message.parts.some((part) => part.type === 'tool_call');
    if (joined) {
      for (const part of parts) joined.parts.push(part);
      joined.hasCall ||= hasCall;
      continue;
    }
    const mayJoin = !wire && (message.role === 'tool' || message.role === 'assistant');
    run = mayJoin ? { role: message.role, parts, hasCall } : undefined;
    const role = message.role === 'assistant' ? 'model' : 'user';
    items.push(assemble({ role: wire?.form === 'no-role' ? undefined : role, parts }, wire));
  }
  return items;
}

export function encodeParts(input: {
  readonly message: Message;
  readonly names: ReadonlyMap<string, string>;
  /** The turn has a call that carries the signature already. */
  readonly mayLackSignature: boolean;
}): Json[] {
  const { message, names } = input;
  const isNative = native(message, dialect) !== undefined;
  // Only the first call of a turn carries a signature; a call of another provider's model gets the stand-in.
  let needsSignature = !isNative && !input.mayLackSignature;
  return message.parts.flatMap((part): Json[] => {
    const written = encodePart(part);
    return hasForm(native(part, dialect), 'snake') ? written.map(snakePart) : written;
  });

  function encodePart(part: Part): Json[] {
    switch (part.type) {
      case 'tool_call': {
        const signature = isForeign(part, dialect) ? undefined : part.signature;
        const written = encodeCall(part, signature ?? (needsSignature ? unsigned : undefined));
        needsSignature = false;
        return [written];
      }
      case 'tool_result':
        return [encodeResult(part, names)];
      case 'thinking':
        if (!native(part, dialect)) return [];
        return [assemble({ text: part.text, thought: true, thoughtSignature: part.signature }, native(part, dialect))];
      case 'text':
        return [encodeText(part, message.role === 'system' && !isNative)];
      default:
        return encodeMedia(part);
    }
  }
}

function encodeText(part: Part & { type: 'text' }, isReminder: boolean): Json {
  const thoughtSignature = isForeign(part, dialect) ? undefined : part.signature;
  return assemble({ text: isReminder ? reminderText(part.text) : part.text, thoughtSignature }, native(part, dialect));
}

function encodeCall(part: ToolCallPart, thoughtSignature: string | undefined): Json {
  const wire = native(part, dialect);
  const { functionCall: nested, ...outer } = wire?.fields ?? {};
  const functionCall = assemble(
    {
      id: hasForm(wire, 'no-id') ? undefined : part.id,
      name: part.name,
      args: hasForm(wire, 'no-args') ? undefined : argumentsOf(part),
    },
    inner(nested),
  );
  return assemble({ functionCall, thoughtSignature }, { dialect, fields: outer });
}

function encodeResult(part: ToolResultPart, names: ReadonlyMap<string, string>): Json {
  const wire = native(part, dialect);
  const { functionResponse: nested, ...outer } = wire?.fields ?? {};
  const media = part.content.flatMap((content) => (wordsOf(content) === undefined ? encodeMedia(content) : []));
  const functionResponse = assemble(
    {
      id: hasForm(wire, 'no-id') ? undefined : part.callId,
      name: part.name ?? names.get(part.callId) ?? 'unknown',
      response: writeResponse(part, wire),
      parts: media.length > 0 ? media : undefined,
    },
    inner(nested),
  );
  return assemble({ functionResponse }, { dialect, fields: outer });
}

function writeResponse(part: ToolResultPart, wire: Wire | undefined): JsonObject {
  const text = part.content.flatMap((content) => wordsOf(content) ?? []).join('\n');
  if (hasForm(wire, 'json')) {
    const value = parseJson(text);
    if (isObject(value)) return value;
  }
  if (hasForm(wire, 'result')) return { result: text };
  return part.isError ? { error: text } : { output: text };
}

/** A function response has one text and any number of files: a text document is appended to the text. */
function wordsOf(part: ContentPart): string | undefined {
  if (part.type === 'text') return part.text;
  return part.type === 'document' && part.source.kind === 'text' ? part.source.text : undefined;
}

function encodeMedia(part: ContentPart): Json[] {
  if (part.type !== 'image' && part.type !== 'document') return writeOpaque(part, dialect);
  const written = encodeSource(part.source, part.type);
  return written ? [assemble(written, native(part, dialect))] : [];
}

function encodeSource(source: MediaSource, kind: 'image' | 'document'): JsonObject | undefined {
  const guess = kind === 'image' ? 'image/png' : 'application/pdf';
  switch (source.kind) {
    case 'base64':
      return { inlineData: { mimeType: source.mediaType, data: source.data } };
    case 'url':
      return { fileData: { mimeType: source.mediaType ?? guess, fileUri: source.url } };
    case 'text':
      return { text: source.text };
    case 'file':
      return undefined;
  }
}

function inner(nested: Json | undefined): Wire | undefined {
  return isObject(nested) ? { dialect, fields: nested } : undefined;
}

function hasForm(wire: Wire | undefined, form: string): boolean {
  return wire?.form?.split(' ').includes(form) ?? false;
}
