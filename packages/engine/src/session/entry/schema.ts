import { z } from 'zod';
import { isObject, type Json, type JsonObject, put } from '../../json.ts';
import { dialects } from '../../message/index.ts';
import type { Entry, EntryType, UnknownEntry } from './entry.ts';

// Objects are loose: a member that a newer version added is kept. Members that hold any JSON are not looked into.
const text = z.string();
const id = z.string().min(1);
const count = z.number().nonnegative();
const json = z.unknown();
const model = z.looseObject({ provider: text, name: text });
const wire = z.looseObject({
  dialect: z.enum(dialects),
  fields: z.record(z.string(), json).exactOptional(),
  form: text.exactOptional(),
  metadata: z.record(z.string(), json).exactOptional(),
  // The name of `metadata` in logs of older versions.
  beside: z.record(z.string(), json).exactOptional(),
});

const partBase = {
  origin: z.enum(['human', 'model', 'tool', 'engine', 'data']),
  cache: z.looseObject({ ttl: text.exactOptional() }).exactOptional(),
  wire: wire.exactOptional(),
};
const source = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('base64'), mediaType: text, data: text }),
  z.looseObject({ kind: z.literal('url'), url: text, mediaType: text.exactOptional() }),
  z.looseObject({ kind: z.literal('file'), id: text }),
  z.looseObject({ kind: z.literal('text'), text }),
]);
const textPart = z.looseObject({ ...partBase, type: z.literal('text'), text, signature: text.exactOptional() });
const image = z.looseObject({ ...partBase, type: z.literal('image'), source, detail: text.exactOptional() });
const document = z.looseObject({ ...partBase, type: z.literal('document'), source, name: text.exactOptional() });
const opaque = z.looseObject({
  ...partBase,
  type: z.literal('opaque'),
  dialect: z.enum(dialects),
  kind: text,
  value: json,
});
const thinking = z.looseObject({
  ...partBase,
  type: z.literal('thinking'),
  text,
  signature: text.exactOptional(),
  encrypted: text.exactOptional(),
});
const toolCall = z.looseObject({
  ...partBase,
  type: z.literal('tool_call'),
  id: text,
  name: text,
  arguments: text,
  freeform: z.literal(true).exactOptional(),
  signature: text.exactOptional(),
});
const toolResult = z.looseObject({
  ...partBase,
  type: z.literal('tool_result'),
  callId: text,
  name: text.exactOptional(),
  content: z.array(z.discriminatedUnion('type', [textPart, image, document, opaque])),
  isError: z.literal(true).exactOptional(),
  exit: z.int().exactOptional(),
});
const parts = z.array(
  z.discriminatedUnion('type', [textPart, image, document, thinking, toolCall, toolResult, opaque]),
);
const message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  parts,
  wire: wire.exactOptional(),
});

const base = {
  v: z.literal(1),
  id,
  parentId: id.nullable(),
  handle: z.int().positive(),
  at: z.number(),
  epoch: id.nullable(),
};
const place = z.looseObject({ entry: id, part: z.int().positive().exactOptional() });
const item = z.union([z.looseObject({ entry: id }), z.looseObject({ made: message, for: id.exactOptional() })]);

const fileState = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('absent') }),
  z.looseObject({
    kind: z.literal('file'),
    size: count,
    mode: z.int(),
    hash: text.exactOptional(),
    unkept: text.exactOptional(),
  }),
  z.looseObject({ kind: z.literal('link'), target: text }),
  z.looseObject({ kind: z.literal('folder'), mode: z.int(), unkept: text.exactOptional() }),
  z.looseObject({ kind: z.literal('other') }),
]);

/** The members of each kind beyond those that every entry has. */
const members = {
  message: { message, sent: message.exactOptional(), key: text.exactOptional(), by: model.exactOptional() },
  custom_message: { customType: text, parts, display: z.boolean(), details: json.optional() },
  branch_summary: { fromId: id.nullable(), summary: text, details: json.optional() },
  compaction: {
    summary: text,
    shortSummary: text.exactOptional(),
    firstKeptId: id.nullable(),
    tokensBefore: count,
    trigger: text,
    details: json.optional(),
  },
  epoch: {
    reason: text,
    items: z.union([
      z.looseObject({ list: z.array(item) }),
      z.looseObject({ restore: z.looseObject({ node: id.nullable(), after: id }) }),
    ]),
    price: z.looseObject({ tokens: count, dollars: count.exactOptional() }).exactOptional(),
    model: model.exactOptional(),
    codec: z.int(),
  },
  prune: {
    targets: z.array(z.looseObject({ entry: id, part: z.int().positive().exactOptional(), notice: text })),
  },
  pin: {
    text: text.exactOptional(),
    from: place.exactOptional(),
    removes: id.exactOptional(),
    by: z.literal('hook').exactOptional(),
  },
  context_edit: { target: id, replacement: parts.nullable() },
  model_change: { model },
  thinking_change: { level: text },
  checkpoint: { number: z.int(), title: text, details: json.optional() },
  label: { target: id, label: text.nullable() },
  leaf: {
    target: id.nullable(),
    reason: z.enum(['move', 'rewind', 'undo', 'redo']),
    reverses: id.exactOptional(),
  },
  usage: {
    usage: z.looseObject({
      input: count,
      output: count,
      cacheRead: count,
      cacheWrite: count,
      reasoning: count.exactOptional(),
    }),
    model: model.exactOptional(),
    purpose: text.exactOptional(),
    target: id.exactOptional(),
  },
  session_info: { info: z.looseObject({ name: text.exactOptional() }) },
  working_state: { state: z.record(z.string(), json) },
  head_prompt: { key: text },
  tools_change: { hash: text, tools: z.array(z.looseObject({ name: text })).exactOptional() },
  window_limit: { model: text, window: z.number().positive() },
  summary_job: {
    job: z.int().exactOptional(),
    narrative: z.record(z.string(), json).exactOptional(),
    cut: z
      .looseObject({ replacedTo: z.int().nullable(), keptFrom: z.int().nullable().exactOptional() })
      .exactOptional(),
    attempts: z.array(z.record(z.string(), json)).exactOptional(),
  },
  queued_prompt: { key: text, how: z.enum(['prompt', 'steered', 'queued']), message },
  withdrawn_prompt: { key: text },
  partial_answer: { reason: text, why: text, message },
  provider_compaction: { kind: text, name: text, tokens: count.exactOptional(), value: json.optional() },
  tool_started: { call: text },
  file_snapshot: {
    cause: z.union([
      z.looseObject({ call: text, tool: text }),
      z.looseObject({
        rewind: z.looseObject({ to: count, reverses: id.exactOptional(), leaf: id.exactOptional() }),
      }),
    ]),
    files: z.array(z.looseObject({ path: text, state: fileState, next: fileState.exactOptional() })),
    untracked: text.exactOptional(),
  },
  file_change: { snapshot: id, files: z.array(z.looseObject({ path: text, state: fileState })) },
  custom: { customType: text, data: json.optional() },
  unknown: { kind: text, value: z.record(z.string(), json) },
} as const satisfies Record<EntryType, z.core.$ZodLooseShape>;

/** Schemas by type, made on first use: a session has few of the types, and making all of them is slow. */
function schemasWith(common: z.core.$ZodLooseShape): (type: string) => z.ZodType | undefined {
  const made = new Map<string, z.ZodType>();
  return (type) => {
    if (!Object.hasOwn(members, type)) return undefined;
    const known = made.get(type);
    if (known) return known;
    const schema = z.looseObject({ ...common, type: z.literal(type), ...members[type as EntryType] });
    made.set(type, schema);
    return schema;
  };
}

const schemaOf = schemasWith(base);
const draftSchemaOf = schemasWith({});
const unknownKind = z.looseObject({ ...base, v: z.int(), type: text });

/** What came of reading an entry: the entry, or why it is none. */
export type EntryReading =
  | { readonly entry: Entry; readonly problems: readonly [] }
  | { readonly entry: undefined; readonly problems: readonly string[] };

/**
 * Reads an entry from JSON. Nothing is thrown: problems are returned, one sentence each. A kind or schema version
 * that this version does not know becomes an `unknown` entry that holds all of it; `writeEntry` gives it back. Members
 * that are not known are kept, and the order of members too, so that the bytes stay the same.
 *
 * @example
 * const { entry, problems } = readEntry({ value: JSON.parse(line) });
 * if (!entry) console.warn(problems.join(' '));
 */
export function readEntry({ value }: { readonly value: unknown }): EntryReading {
  if (!isObject(value)) return failed(['It is not an object.']);
  const schema = value.v === 1 && typeof value.type === 'string' ? schemaOf(value.type) : undefined;
  const problems = problemsOf(schema ?? unknownKind, value);
  if (problems.length > 0) return failed(problems);
  return { entry: schema ? (value as unknown as Entry) : wrapUnknown(value), problems: [] };
}

/** What is wrong with a draft, one sentence a problem; none when it can be appended. */
export function draftProblems(draft: { readonly type: string }): string[] {
  const schema = draftSchemaOf(draft.type);
  return schema ? problemsOf(schema, draft) : [`There is no kind of entry called "${draft.type}".`];
}

/**
 * The JSON of an entry, as it is written to files: the entry itself, or what an `unknown` entry was made from.
 *
 * @example
 * const line = JSON.stringify(writeEntry(entry));
 */
export function writeEntry(entry: Entry): JsonObject {
  if (entry.type !== 'unknown') return entry as unknown as JsonObject;
  const { kind, value, type: _, ...known } = entry;
  const written: Record<string, Json | undefined> = { ...known, type: kind };
  for (const key of Object.keys(value)) put(written, key, value[key]);
  return written;
}

const baseKeys = new Set(['id', 'parentId', 'handle', 'at', 'epoch', 'type']);

function wrapUnknown(from: JsonObject): UnknownEntry {
  const value: Record<string, Json | undefined> = {};
  for (const key of Object.keys(from)) {
    // The version is kept too where it is not ours.
    if (!baseKeys.has(key) && !(key === 'v' && from.v === 1)) put(value, key, from[key]);
  }
  const { id: entryId, parentId, handle, at, epoch, type } = from as unknown as UnknownEntry;
  return { v: 1, id: entryId, parentId, handle, at, epoch, type: 'unknown', kind: type, value };
}

function failed(problems: readonly string[]): EntryReading {
  return { entry: undefined, problems };
}

/** Validations of a process before validators are compiled: that takes longer than validating a few entries. */
const fewValidations = 100;
let validations = 0;

function problemsOf(schema: z.ZodType, value: unknown): string[] {
  validations += 1;
  const result = schema.safeParse(value, { jitless: validations <= fewValidations });
  if (result.success) return [];
  return result.error.issues.map(({ path, message: what }) => {
    const place = path.map(String).join('.');
    return place === '' ? `${what}.` : `${place}: ${what}.`;
  });
}
