import { isObject, type Json, type JsonObject, put } from '../../json.ts';
import { dialects } from '../../message/index.ts';
import type { Entry, EntryType, UnknownEntry } from './entry.ts';

/**
 * Finds what is wrong with a value. These checks are written out instead of using a library of schemas, because making
 * the schemas took a third of the time before the first request, and each append waits for its check.
 */
type Check = (value: unknown, found: Found) => void;

/** Collects problems, one sentence each. */
interface Found {
  readonly place: string;
  readonly problems: string[];
}

type Members = Readonly<Record<string, Check>>;

function must(what: string, isValid: (value: unknown) => boolean): Check {
  return (value, { place, problems }) => {
    if (!isValid(value)) problems.push(place === '' ? `It must be ${what}.` : `${place} must be ${what}.`);
  };
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = must('text', (value) => typeof value === 'string');
const id = must('text that is not empty', (value) => typeof value === 'string' && value !== '');
const flag = must('true or false', (value) => typeof value === 'boolean');
const number = must('a number', isNumber);
const count = must('a number that is not negative', (value) => isNumber(value) && value >= 0);
const integer = must('an integer', Number.isSafeInteger);
const ordinal = must('a positive integer', (value) => Number.isSafeInteger(value) && Number(value) > 0);
const object = must('an object', isRecord);

function oneOf(values: readonly unknown[]): Check {
  return must(values.map((value) => JSON.stringify(value)).join(' or '), (value) => values.includes(value));
}

function orNull(check: Check): Check {
  return (value, found) => (value === null ? undefined : check(value, found));
}

function list(check: Check): Check {
  return (value, found) => {
    if (!Array.isArray(value)) return must('a list', Array.isArray)(value, found);
    for (const [index, each] of value.entries()) check(each, below(found, index));
  };
}

/** An object with at least these members. It is loose: a member that a newer version added is kept. */
function shape(required: Members, optional: Members = {}): Check {
  return (value, found) => {
    if (!isRecord(value)) return object(value, found);
    for (const name of Object.keys(required)) required[name]?.(value[name], below(found, name));
    for (const name of Object.keys(optional))
      if (Object.hasOwn(value, name)) optional[name]?.(value[name], below(found, name));
  };
}

/** An object whose shape depends on one of its members. */
function byMember(name: string, shapes: Readonly<Record<string, Check>>): Check {
  const kind = shape({ [name]: oneOf(Object.keys(shapes)) });
  return (value, found) => {
    const named = isRecord(value) ? value[name] : undefined;
    const own = typeof named === 'string' && Object.hasOwn(shapes, named) ? shapes[named] : undefined;
    (own ?? kind)(value, found);
  };
}

function either(...checks: readonly Check[]): Check {
  return (value, found) => {
    const tried = checks.map((check) => {
      const problems: string[] = [];
      check(value, { ...found, problems });
      return problems;
    });
    if (tried.every(({ length }) => length > 0)) found.problems.push(...(tried[0] ?? []));
  };
}

function below({ place, problems }: Found, key: string | number): Found {
  return { place: place === '' ? String(key) : `${place}.${key}`, problems };
}

// Members that hold any JSON are not looked into.
const model = shape({ provider: text, name: text });
const wire = shape(
  { dialect: oneOf(dialects) },
  // `beside` is the name of `metadata` in logs of older versions.
  { fields: object, form: text, metadata: object, beside: object },
);

const origin = oneOf(['human', 'model', 'tool', 'engine', 'data']);
const ofParts = { cache: shape({}, { ttl: text }), wire };
const source = byMember('kind', {
  base64: shape({ mediaType: text, data: text }),
  url: shape({ url: text }, { mediaType: text }),
  file: shape({ id: text }),
  text: shape({ text }),
});
const contents = {
  text: shape({ origin, text }, { ...ofParts, signature: text }),
  image: shape({ origin, source }, { ...ofParts, detail: text }),
  document: shape({ origin, source }, { ...ofParts, name: text }),
  opaque: shape({ origin, dialect: oneOf(dialects), kind: text }, ofParts),
};
const parts = list(
  byMember('type', {
    ...contents,
    thinking: shape({ origin, text }, { ...ofParts, signature: text, encrypted: text }),
    tool_call: shape(
      { origin, id: text, name: text, arguments: text },
      { ...ofParts, freeform: oneOf([true]), signature: text },
    ),
    tool_result: shape(
      { origin, callId: text, content: list(byMember('type', contents)) },
      { ...ofParts, name: text, isError: oneOf([true]), exit: integer },
    ),
  }),
);
const message = shape({ role: oneOf(['system', 'user', 'assistant', 'tool']), parts }, { wire });

const place = shape({ entry: id }, { part: ordinal });
const item = either(shape({ entry: id }), shape({ made: message }, { for: id }));

const fileState = byMember('kind', {
  absent: shape({}),
  file: shape({ size: count, mode: integer }, { hash: text, unkept: text }),
  link: shape({ target: text }),
  folder: shape({ mode: integer }, { unkept: text }),
  other: shape({}),
});

/** The members of each kind beyond those that every entry has. */
const kinds: Readonly<Record<EntryType, Check>> = {
  message: shape({ message }, { sent: message, key: text, by: model }),
  custom_message: shape({ customType: text, parts, display: flag }),
  branch_summary: shape({ fromId: orNull(id), summary: text }),
  compaction: shape(
    { summary: text, firstKeptId: orNull(id), tokensBefore: count, trigger: text },
    { shortSummary: text },
  ),
  epoch: shape(
    {
      reason: text,
      items: either(shape({ list: list(item) }), shape({ restore: shape({ node: orNull(id), after: id }) })),
      codec: integer,
    },
    { price: shape({ tokens: count }, { dollars: count }), model },
  ),
  prune: shape({ targets: list(shape({ entry: id, notice: text }, { part: ordinal })) }),
  pin: shape({}, { text, from: place, removes: id, by: oneOf(['hook']) }),
  context_edit: shape({ target: id, replacement: orNull(parts) }),
  model_change: shape({ model }),
  thinking_change: shape({ level: text }),
  checkpoint: shape({ number: integer, title: text }),
  label: shape({ target: id, label: orNull(text) }),
  leaf: shape({ target: orNull(id), reason: oneOf(['move', 'rewind', 'undo', 'redo']) }, { reverses: id }),
  usage: shape(
    { usage: shape({ input: count, output: count, cacheRead: count, cacheWrite: count }, { reasoning: count }) },
    { model, purpose: text, target: id },
  ),
  session_info: shape({ info: shape({}, { name: text }) }),
  working_state: shape({ state: object }),
  head_prompt: shape({ key: text }),
  tools_change: shape({ hash: text }, { tools: list(shape({ name: text })) }),
  window_limit: shape({
    model: text,
    window: must('a positive number', (value) => isNumber(value) && value > 0),
  }),
  summary_job: shape(
    {},
    {
      job: integer,
      narrative: object,
      cut: shape({ replacedTo: orNull(integer) }, { keptFrom: orNull(integer) }),
      attempts: list(object),
    },
  ),
  queued_prompt: shape({ key: text, how: oneOf(['prompt', 'steered', 'queued']), message }),
  withdrawn_prompt: shape({ key: text }),
  partial_answer: shape({ reason: text, why: text, message }),
  provider_compaction: shape({ kind: text, name: text }, { tokens: count }),
  tool_started: shape({ call: text }),
  file_snapshot: shape(
    {
      cause: either(
        shape({ call: text, tool: text }),
        shape({ rewind: shape({ to: count }, { reverses: id, leaf: id }) }),
      ),
      files: list(shape({ path: text, state: fileState }, { next: fileState })),
    },
    { untracked: text },
  ),
  file_change: shape({ snapshot: id, files: list(shape({ path: text, state: fileState })) }),
  custom: shape({ customType: text }),
  unknown: shape({ kind: text, value: object }),
};

const base = {
  id,
  parentId: orNull(id),
  handle: ordinal,
  at: number,
  epoch: orNull(id),
};
const everyEntry = shape({ ...base, v: oneOf([1]) });
const unknownKind = shape({ ...base, v: integer, type: text });

function kindOf(type: unknown): Check | undefined {
  return typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type as EntryType] : undefined;
}

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
  const kind = value.v === 1 ? kindOf(value.type) : undefined;
  const problems = problemsOf(kind ? [everyEntry, kind] : [unknownKind], value);
  if (problems.length > 0) return failed(problems);
  return { entry: kind ? (value as unknown as Entry) : wrapUnknown(value), problems: [] };
}

/** What is wrong with a draft, one sentence a problem; none when it can be appended. */
export function draftProblems(draft: { readonly type: string }): string[] {
  const kind = kindOf(draft.type);
  return kind ? problemsOf([kind], draft) : [`There is no kind of entry called "${draft.type}".`];
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

function problemsOf(checks: readonly Check[], value: unknown): string[] {
  const problems: string[] = [];
  for (const check of checks) check(value, { place: '', problems });
  return problems;
}
