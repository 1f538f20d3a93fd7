import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import {
  type ContentPart,
  codecs,
  type Origin,
  type Part,
  type TextPart,
  type ThinkingPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../message/index.ts';
import { isRedacted } from '../sanitize-text.ts';

/** Content as Gemini CLI stores it, a text, a part of the API or a list of both, as a list of parts. */
export function partsOf(content: Json | undefined): JsonObject[] {
  const list = isArray(content) ? content : content === undefined || content === null ? [] : [content];
  return list.map((part) => (isObject(part) ? part : { text: typeof part === 'string' ? part : JSON.stringify(part) }));
}

/** Between these the client puts the files that a person named with `@`. In old versions all of it is one text. */
const filesBegin = /\n?--- Content from referenced files ---/;
const filesEnd = '--- End of content ---';

/** How texts begin that the client says in the person's name, beyond those that every codec knows. */
const clientOpenings = [
  '<hook_context>',
  'System: Please continue.',
  'This is the Gemini CLI. We are setting up the context for our chat.',
  "Here is the user's editor context",
];

/**
 * The parts of a user message with their origins. If `shown` is given, it is what the person typed, and `content` is
 * what the client made of it.
 */
export function readUser({
  content,
  shown,
}: {
  readonly content: readonly JsonObject[];
  readonly shown?: Json | undefined;
}): ContentPart[] {
  const typed = shown === undefined ? undefined : textOf(partsOf(shown));
  let isFile = false;
  return decode({ role: 'user', parts: content }).flatMap((part): ContentPart[] => {
    if (!isContent(part)) return [];
    if (part.type !== 'text') return [isFile ? { ...part, origin: 'engine' } : part];
    const { text } = part;
    const isEnd = text.trim() === filesEnd;
    const wasFile = isFile;
    const begin = filesBegin.exec(text)?.index;
    isFile = !isEnd && (wasFile || begin !== undefined);
    if (wasFile || isEnd || clientOpenings.some((opening) => text.startsWith(opening)))
      return [{ ...part, origin: 'engine' }];
    if (typed === undefined) return cut({ text, at: begin ?? text.length, origin: part.origin });
    return cut({ text, at: typed !== '' && text.startsWith(typed) ? typed.length : 0, origin: part.origin });
  });
}

/** A text that is one writer's up to a place, and the client's from there on. */
function cut({ text, at, origin }: { readonly text: string; readonly at: number; readonly origin: Origin }) {
  const parts: ContentPart[] = [
    { type: 'text', origin, text: text.slice(0, at) },
    { type: 'text', origin: 'engine', text: text.slice(at) },
  ];
  return parts.filter((part) => part.type === 'text' && part.text !== '');
}

/** What the client lets the model say: nothing that a model wrote. */
const acknowledgements: ReadonlySet<string> = new Set([
  'Got it. Thanks for the additional context!',
  'Got it. Thanks for the context!',
  'Binary content received. Proceeding with analysis.',
]);

/** The parts of an answer. The API rejects thoughts without a signature, so those are left out where they are marked. */
export function readModel({
  content,
  hasThoughts,
}: {
  readonly content: readonly JsonObject[];
  readonly hasThoughts: boolean;
}): Part[] {
  return decode({ role: 'model', parts: content }).flatMap((part): Part[] => {
    if (part.type === 'tool_call') return [proven(part)];
    if (part.type !== 'text' && part.type !== 'thinking') return [part];
    const said = proven(part);
    if (said.signature !== undefined) return [said];
    if (said.text === '' || (said.type === 'thinking' && hasThoughts)) return [];
    const origin = acknowledgements.has(said.text) ? 'engine' : said.origin;
    return said.type === 'text' ? [{ ...said, origin }] : [{ type: 'thinking', origin, text: said.text }];
  });
}

/** A part without a signature that proves nothing. */
function proven<P extends TextPart | ThinkingPart | ToolCallPart>(part: P): P {
  const { signature, ...rest } = part;
  return signature === undefined || isIntact(signature) ? part : (rest as P);
}

/** The client signs what no model wrote with a stand-in, and a filter of secrets may have cut a real one. */
function isIntact(signature: string): boolean {
  return !isRedacted(signature) && signature !== 'skip_thought_signature_validator';
}

/** A tool result. The list may also contain the results of other calls; `callId` selects one. */
export function readResult({
  callId,
  name,
  result,
  isError,
}: {
  readonly callId: string;
  readonly name: string | undefined;
  readonly result: readonly JsonObject[];
  readonly isError: boolean;
}): ToolResultPart {
  const [answer, ...others] = ownPieces({ callId, result });
  const response = isObject(answer?.functionResponse) ? answer.functionResponse : undefined;
  const named = name ?? (typeof response?.name === 'string' ? response.name : 'unknown');
  const patched = response && { ...answer, functionResponse: { ...response, id: callId, name: named } };
  const [decoded] = patched ? decode({ role: 'user', parts: [patched] }) : [];
  const extra = contentOf(response ? others : answer ? [answer, ...others] : []);
  const base = { type: 'tool_result', origin: 'tool', callId, name: named } as const;
  const failed = isError && ({ isError: true } as const);
  if (decoded?.type !== 'tool_result') {
    const text = response && JSON.stringify(response.response ?? null);
    return { ...base, content: [...(text === undefined ? [] : [toolText(text)]), ...extra], ...failed };
  }
  const { wire, ...rest } = decoded;
  const content = [...rest.content, ...extra];
  // What the wire remembers is of the answer alone.
  return { ...rest, content, ...failed, ...(wire && extra.length === 0 && { wire }) };
}

/** The response to a call and the parts after it, up to the next response. */
function ownPieces({ callId, result }: { readonly callId: string; readonly result: readonly JsonObject[] }) {
  let isOwn = false;
  const own = result.filter(({ functionResponse: answer }) => {
    if (isObject(answer)) isOwn = answer.id === callId;
    return isOwn;
  });
  // Older versions gave answers no ids, and kept each with its call.
  return own.length > 0 ? own : result;
}

function contentOf(parts: readonly JsonObject[]): ContentPart[] {
  return decode({ role: 'user', parts }).flatMap((part) => (isContent(part) ? [{ ...part, origin: 'tool' }] : []));
}

function toolText(text: string): ContentPart {
  return { type: 'text', origin: 'tool', text };
}

function isContent(part: Part): part is ContentPart {
  return part.type === 'text' || part.type === 'image' || part.type === 'document' || part.type === 'opaque';
}

/** The texts of parts, one after the other. */
export function textOf(parts: readonly JsonObject[]): string {
  return parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('');
}

function decode({ role, parts }: { readonly role: 'user' | 'model'; readonly parts: readonly JsonObject[] }): Part[] {
  const [message] = codecs.gemini.decode([{ role, parts }]);
  return [...(message?.parts ?? [])];
}
