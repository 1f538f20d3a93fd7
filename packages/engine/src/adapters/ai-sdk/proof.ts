import { isObject, type JsonObject, parseJson } from '../../json.ts';
import type { Dialect, OpaquePart, Part } from '../../message/index.ts';

/** What providers say beside a text, by their names. */
export type Metadata = Readonly<Record<string, JsonObject>>;

/** A part of an answer while it grows, with what the provider said of it beside the text. */
export type Piece =
  | { readonly type: 'text' | 'thinking' | 'custom'; readonly text: string; readonly metadata: Metadata }
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly name: string;
      readonly text: string;
      readonly metadata: Metadata;
    };

interface Names {
  /** The providers' names in AI SDK's options. */
  readonly providers: readonly string[];
  readonly signature?: string;
  readonly encrypted?: string;
}

/** Where AI SDK keeps what a provider proves of its words. */
const names: Record<Dialect, Names> = {
  anthropic: { providers: ['anthropic'], signature: 'signature', encrypted: 'redactedData' },
  'openai-responses': { providers: ['openai', 'azure'], encrypted: 'reasoningEncryptedContent' },
  gemini: { providers: ['google', 'vertex', 'googleVertex'], signature: 'thoughtSignature' },
  'openai-chat': { providers: [] },
};

/** A provider's own compaction, which is no text of the answer (Anthropic's comes as one). */
export function isCompaction({ metadata }: Pick<Piece, 'metadata'>): boolean {
  return flat(metadata).type === 'compaction';
}

/** What was said of a piece before, and what is said now. */
export function mergeMetadata(
  before: Metadata = {},
  { providerMetadata = {} }: { readonly providerMetadata?: object },
): Metadata {
  const result: Record<string, JsonObject> = { ...before };
  for (const [name, members] of Object.entries(providerMetadata)) result[name] = { ...result[name], ...members };
  return result;
}

/** A known provider has one name at a time (`openai` or `azure`), so its members do not meet. */
function flat(metadata: Metadata): JsonObject {
  return Object.assign({}, ...Object.values(metadata));
}

/** A piece as a part in the words of the dialect; nothing where it says nothing. */
export function partOf({ dialect, piece }: { readonly dialect: Dialect; readonly piece: Piece }): Part[] {
  const { text } = piece;
  const metadata = flat(piece.metadata);
  if (isCompaction(piece)) return [compactionOf({ dialect, text, metadata })];
  if (piece.type === 'custom') return [];
  const proof = proofOf({ dialect, metadata: piece.metadata });
  if (piece.type === 'tool_call') {
    const call = { type: 'tool_call', origin: 'model', id: piece.id, name: piece.name, arguments: text } as const;
    return [{ ...call, ...(proof.signature !== undefined && { signature: proof.signature }) }];
  }
  if (piece.type === 'text') {
    // Anthropic signs thoughts only.
    const signed = dialect === 'anthropic' ? undefined : proof.signature;
    return text === '' && signed === undefined
      ? []
      : [{ type: 'text', origin: 'model', text, ...(signed && { signature: signed }) }];
  }
  const id = typeof metadata.itemId === 'string' ? { fields: { id: metadata.itemId } } : {};
  const form = dialect === 'openai-chat' ? { form: 'reasoning_content' } : {};
  return [{ type: 'thinking', origin: 'model', text, ...proof, wire: { dialect, ...id, ...form } }];
}

function proofOf({ dialect, metadata }: { readonly dialect: Dialect; readonly metadata: Metadata }): {
  readonly signature?: string;
  readonly encrypted?: string;
} {
  // What an unknown provider says of its words is kept whole, as a signature nobody else reads.
  if (dialect === 'openai-chat') return Object.keys(metadata).length > 0 ? { signature: JSON.stringify(metadata) } : {};
  const { signature = '', encrypted = '' } = names[dialect];
  const { [signature]: signed, [encrypted]: sealed } = flat(metadata);
  return {
    ...(typeof signed === 'string' && { signature: signed }),
    ...(typeof sealed === 'string' && { encrypted: sealed }),
  };
}

function compactionOf({
  dialect,
  text,
  metadata,
}: {
  readonly dialect: Dialect;
  readonly text: string;
  readonly metadata: JsonObject;
}): OpaquePart {
  const { itemId: id, encryptedContent: encrypted_content, signature } = metadata;
  const value =
    dialect === 'anthropic'
      ? { type: 'compaction', content: text, ...(signature !== undefined && { signature }) }
      : { type: 'compaction', id, encrypted_content };
  return { type: 'opaque', origin: 'model', dialect, kind: 'compaction', value };
}

/** What goes back beside a part, under the provider's names. */
export function optionsOf({ dialect, part }: { readonly dialect: Dialect; readonly part: Part }): Options {
  if (dialect === 'openai-chat') {
    const kept = 'signature' in part && part.signature !== undefined ? parseJson(part.signature) : undefined;
    return isObject(kept) ? { providerOptions: kept as Record<string, JsonObject> } : {};
  }
  return named({ dialect, members: { ...proofMembers({ dialect, part }), ...cacheMember(part) } });
}

export type Options = { readonly providerOptions?: Record<string, JsonObject> };

export function cacheMember({ cache }: Pick<Part, 'cache'>): JsonObject {
  return cache ? { cacheControl: { type: 'ephemeral', ...cache } } : {};
}

export function named({ dialect, members }: { readonly dialect: Dialect; readonly members: JsonObject }): Options {
  if (Object.keys(members).length === 0) return {};
  return { providerOptions: Object.fromEntries(names[dialect].providers.map((name) => [name, members])) };
}

function proofMembers({ dialect, part }: { readonly dialect: Dialect; readonly part: Part }): JsonObject {
  const { signature, encrypted } = names[dialect];
  const id = part.wire?.fields?.id;
  const signed = 'signature' in part ? part.signature : undefined;
  if (part.type === 'opaque' && isObject(part.value)) {
    const { id: itemId, encrypted_content: encryptedContent, signature: sealed } = part.value;
    return dialect === 'anthropic'
      ? { type: 'compaction', ...(sealed !== undefined && { signature: sealed }) }
      : { type: 'compaction', itemId, encryptedContent };
  }
  return {
    ...(signature !== undefined && signed !== undefined && { [signature]: signed }),
    ...(part.type === 'thinking' && encrypted !== undefined && part.encrypted && { [encrypted]: part.encrypted }),
    ...(part.type === 'thinking' && dialect === 'openai-responses' && id !== undefined && { itemId: id }),
  };
}
