import { isObject, type JsonObject, safeString, without } from '../../json.ts';
import { type Draft, type Entry, type EntryId, type MessageEntry, nodeTypes } from '../../session/index.ts';
import type { LinesFormat } from '../format.ts';
import { createChain, digestOf } from '../ids.ts';
import { afterFirst } from '../lines/async-iterable.ts';
import { sessionPieces } from '../lines/header-pieces.ts';
import type { FileRecord } from '../lines/read-records.ts';
import { createLogBuilder, type LogBuilder } from '../log-builder.ts';
import type { ParsedSession } from '../parsed-session.ts';
import { readTime } from '../time.ts';
import type { WarningList } from '../warnings.ts';
import { readReplacement } from './edit.ts';
import { createImpliedEpochs } from './implied-epoch.ts';
import { detailsOf, readCustomMessage, readMessage, usageOf } from './message.ts';
import { epochMark, readOwnKind } from './own-kinds.ts';

const kinds: ReadonlySet<unknown> = new Set([
  'session',
  'message',
  'thinking_level_change',
  'model_change',
  'compaction',
  'branch_summary',
  'custom',
  'custom_message',
  'label',
  'session_info',
  'usage',
  'context_edit',
  'ttsr_injection',
]);

/** Whether a record is a header of pi. */
function isPiHeader(value: JsonObject): boolean {
  return value.type === 'session' && value.format === undefined;
}

/** Whether a record may belong to a pi session; unknown kinds are recognized by the id and time of all entries. */
function isPiRecord(value: JsonObject): boolean {
  const isEntry = typeof value.type === 'string' && typeof value.timestamp === 'string';
  if (!isEntry || kinds.has(value.type)) return isEntry;
  // The kinds of Copilot's events have a dot; else they look the same.
  return typeof value.id === 'string' && value.parentId !== undefined && !safeString(value.type).includes('.');
}

/**
 * A session of pi. If the header is damaged or missing, its readable pieces and the entries are used instead.
 *
 * @example
 * const reading = readPi({ header: first.value, records, first: undefined, warnings });
 */
function readPi({
  header,
  records,
  first,
  warnings,
}: {
  /** `undefined` where there is none to be read; then `records` begins with the first entry. */
  readonly header: JsonObject | undefined;
  readonly records: AsyncIterable<FileRecord>;
  /** The first entry, which names a session that has lost its header. */
  readonly first: FileRecord | undefined;
  readonly warnings: WarningList;
}): ParsedSession {
  const { id, cwd, timestamp } = header ?? {};
  if (typeof id !== 'string') {
    warnings.add({
      code: 'half-a-header',
      message: 'The header is damaged; the session was taken from its entries.',
      line: 1,
    });
  }
  const time = readTime(timestamp);
  const key = typeof id === 'string' ? id : `entries:${first ? digestOf(first.value) : 'none'}`;
  const rest = header && without(header, ['type', 'id', 'cwd', 'timestamp', 'title']);
  return {
    format: 'pi',
    key,
    header: {
      ...(typeof cwd === 'string' && cwd !== '' && { cwd }),
      ...(typeof header?.title === 'string' && { name: header.title }),
      ...(time !== undefined && { createdAt: time }),
      ...(rest && { details: { pi: rest } }),
    },
    entries: ({ createdAt }) => {
      const builder = createLogBuilder({ idOf: createChain({ seed: `pi\n${key}` }) });
      return readPiEntries({ records, builder, warnings, startedAt: createdAt });
    },
  };
}

/** A session of pi or oh-my-pi, versions 1 to 3. */
export const pi: LinesFormat = {
  kind: 'lines',
  name: 'pi',
  isRecord: (value) => isPiHeader(value) || isPiRecord(value),
  startsLike: /^\{\s*"type"\s*:\s*"session"/,
  read: ({ first, records, beginning, warnings }) =>
    isPiHeader(first.value)
      ? readPi({ header: first.value, records: afterFirst(records), first: undefined, warnings })
      : readPi({ header: sessionPieces(beginning), records, first, warnings }),
};

/** Where an entry of pi is in our log: the entry made from it, and the node that its children stand on. */
interface PiPosition {
  readonly entry: EntryId | null;
  readonly node: EntryId | null;
}

/**
 * The entries of a pi session (versions 1 to 3) as entries of ours, in the order of the file. pi's labels, names and
 * other metadata are nodes of its tree and become its leaf; here they are notes, so that a rename by a stale client does
 * not hide the transcript (pi #9930).
 *
 * @example
 * for await (const entry of readPiEntries({ records, weaver, warnings, startedAt: 0 })) { … }
 */
async function* readPiEntries({
  records,
  builder,
  warnings,
  startedAt,
}: {
  /** What follows the header. */
  readonly records: AsyncIterable<FileRecord>;
  readonly builder: LogBuilder;
  readonly warnings: WarningList;
  /** The time of entries that have none before any that has. */
  readonly startedAt: number;
}): AsyncGenerator<Entry> {
  const places = new Map<string, PiPosition>();
  /** Version 1 counts entries by their place in the file, the header being 0. */
  const positions: PiPosition[] = [];
  const { implied, shapeOf } = createImpliedEpochs({ builder });
  let at = startedAt;
  let line = 0;

  for await (const { line: number, value: raw } of records) {
    line = number;
    at = timeOf(raw) ?? at;
    if (raw.type === 'session') {
      // pi #1672: forks of some versions repeat the header.
      warn('second-header', 'A second header was left out.');
      positions.push({ entry: null, node: builder.leaf });
      continue;
    }
    yield* read(raw);
  }

  function* read(raw: JsonObject): Generator<Entry> {
    const parent = parentOf(raw);
    const drafts = draftsOf(raw);
    let first: Entry | undefined;
    for (const draft of drafts) {
      // An entry derived from another (the usage of an answer) belongs to it.
      const aimed = draft.type === 'usage' && first ? { ...draft, target: first.id } : draft;
      const entries = builder.append({ draft: aimed, at, ...(first ? {} : { parent }) });
      first ??= entries.at(-1);
      yield* entries;
    }
    const isInert = isObject(raw.longhaul) && raw.longhaul.inert === true;
    const epoch = first && implied(first);
    if (epoch && !isInert) yield* builder.append({ draft: epoch, at });
    // What follows a compaction in pi's tree follows its epoch in ours.
    const isNode = first !== undefined && nodeTypes.has(first.type);
    const place: PiPosition = { entry: first?.id ?? null, node: isNode ? builder.leaf : parent };
    if (typeof raw.id === 'string') places.set(raw.id, place);
    positions.push(place);
  }

  function parentOf(raw: JsonObject): EntryId | null {
    if (raw.parentId === null) return null;
    if (typeof raw.parentId !== 'string') return builder.leaf;
    const place = places.get(raw.parentId);
    // A file of ours may say that the session stood on a compaction itself, before its epoch.
    if (place) return place.entry === builder.leaf ? place.entry : place.node;
    // Covers entries that never occur in pi: an entry that is its own parent, or part of a cycle.
    warn('missing-parent', `The parent ${raw.parentId} is not before it; it was put after the entry before.`);
    return builder.leaf;
  }

  function draftsOf(raw: JsonObject): Draft[] {
    const draft = knownDrafts(raw);
    if (draft) return draft;
    if (raw.type === 'message') warn('unknown-kind', 'A message of an unknown role was kept as it is.');
    return [{ type: 'unknown', kind: `pi:${safeString(raw.type)}`, value: without(raw, base) ?? {} }];
  }

  function knownDrafts(raw: JsonObject): Draft[] | undefined {
    switch (raw.type) {
      case 'message':
        return isObject(raw.message) ? messageDrafts(raw, raw.message) : undefined;
      case 'thinking_level_change':
        return typeof raw.thinkingLevel === 'string'
          ? [{ type: 'thinking_change', level: raw.thinkingLevel }]
          : undefined;
      case 'model_change':
        return modelChange(raw);
      case 'compaction':
        return typeof raw.summary === 'string' ? [compaction(raw, raw.summary)] : undefined;
      case 'branch_summary': {
        if (typeof raw.summary !== 'string') return undefined;
        const fromId = (typeof raw.fromId === 'string' ? places.get(raw.fromId)?.node : undefined) ?? null;
        const rest = without(raw, [...base, 'summary', ...(fromId === null ? [] : ['fromId'])]) ?? {};
        return [{ type: 'branch_summary', fromId, summary: raw.summary, ...detailsOf(rest) }];
      }
      case 'custom_message':
        return [readCustomMessage({ raw, known: base })];
      case 'custom':
        return custom(raw);
      case 'label': {
        const target = typeof raw.targetId === 'string' ? places.get(raw.targetId)?.entry : undefined;
        if (!target) return undefined;
        return [{ type: 'label', target, label: typeof raw.label === 'string' && raw.label !== '' ? raw.label : null }];
      }
      case 'session_info':
        return [{ type: 'session_info', info: { name: typeof raw.name === 'string' ? oneLine(raw.name) : '' } }];
      case 'usage':
        return usage(raw);
      case 'context_edit':
        return contextEdit(raw);
      default:
        return undefined;
    }
  }

  function messageDrafts(raw: JsonObject, message: JsonObject): Draft[] | undefined {
    const own = isObject(raw.longhaul) ? ownMessage(raw.longhaul) : undefined;
    if (own === 'part') return [];
    const read = readMessage(message);
    if (!read) return undefined;
    const draft = own && read.draft.type === 'message' ? own : read.draft;
    return 'usage' in read && read.usage ? [draft, read.usage] : [draft];
  }

  function modelChange(raw: JsonObject): Draft[] | undefined {
    // oh-my-pi writes provider and name in one word.
    const [first, ...rest] = typeof raw.model === 'string' ? raw.model.split('/') : [];
    const provider = typeof raw.provider === 'string' ? raw.provider : first;
    const name = typeof raw.modelId === 'string' ? raw.modelId : rest.join('/');
    return provider === undefined || name === '' ? undefined : [{ type: 'model_change', model: { provider, name } }];
  }

  function compaction(raw: JsonObject, summary: string): Draft {
    const { shortSummary, tokensBefore: tokens } = raw;
    const known = ['summary', 'firstKeptEntryId', 'firstKeptEntryIndex', 'tokensBefore', 'longhaul'];
    const short = typeof shortSummary === 'string' ? { shortSummary } : {};
    return {
      type: 'compaction',
      summary,
      ...short,
      firstKeptId: firstKept(raw),
      tokensBefore: typeof tokens === 'number' && tokens >= 0 ? tokens : 0,
      trigger: 'import',
      ...detailsOf(without(raw, [...base, ...known, ...Object.keys(short)]) ?? {}),
    };
  }

  function firstKept(raw: JsonObject): EntryId | null {
    const { firstKeptEntryId: id, firstKeptEntryIndex: index } = raw;
    const place =
      typeof index === 'number' ? positions[index - 1] : typeof id === 'string' ? places.get(id) : undefined;
    if (!place) return null;
    // pi #8990: where the first kept entry is a label, what is kept begins right after it.
    return isNode(place) ? place.entry : builder.after(place.node);
  }

  function custom(raw: JsonObject): Draft[] {
    const customType = typeof raw.customType === 'string' ? raw.customType : 'unknown';
    const map = (id: string) => {
      const place = places.get(id.endsWith(epochMark) ? id.slice(0, -epochMark.length) : id);
      return (id.endsWith(epochMark) ? place?.node : place?.entry) ?? undefined;
    };
    const own = readOwnKind({ customType, data: raw.data, map });
    if (own) return [own];
    return [{ type: 'custom', customType, ...(raw.data !== undefined && { data: raw.data }) }];
  }

  function usage(raw: JsonObject): Draft[] | undefined {
    const counted = usageOf(raw.usage);
    if (!counted) return undefined;
    const { provider, model: name, kind } = raw;
    const model = typeof provider === 'string' && typeof name === 'string' ? { model: { provider, name } } : {};
    const rest = without(raw, [...base, 'usage', 'provider', 'model', 'kind']) ?? {};
    const { details, ...plain } = counted;
    const kept = { ...(isObject(details) && isObject(details.pi) && { usage: details.pi }), ...rest };
    return [{ ...plain, ...model, ...(typeof kind === 'string' && { purpose: kind }), ...detailsOf(kept) }];
  }

  function contextEdit(raw: JsonObject): Draft[] | undefined {
    const target = typeof raw.targetId === 'string' ? places.get(raw.targetId)?.node : undefined;
    if (!target) return undefined;
    const replacement = readReplacement({ raw, shape: shapeOf(target) });
    return [{ type: 'context_edit', target, replacement }];
  }

  function warn(code: string, message: string): void {
    warnings.add({ code, message, line });
  }
}

/**
 * Whether an entry of pi is a node of our tree. The children of a note stand on something older than it; those of a
 * compaction stand on its epoch, which is newer.
 */
function isNode({ entry, node }: PiPosition): boolean {
  return entry !== null && node !== null && entry <= node;
}

const base = ['type', 'id', 'parentId', 'timestamp'];

/** A message that was stored whole because pi cannot say all of it; `part` for the further pieces of such a one. */
function ownMessage(own: JsonObject): Draft<MessageEntry> | 'part' | undefined {
  if (own.part === true) return 'part';
  return isObject(own.draft) ? (own.draft as unknown as Draft<MessageEntry>) : undefined;
}

function timeOf(raw: JsonObject): number | undefined {
  return readTime(raw.timestamp) ?? readTime(isObject(raw.message) ? raw.message.timestamp : undefined);
}

function oneLine(name: string): string {
  return name.replace(/\s+/g, (blanks) => (/[\r\n]/.test(blanks) ? ' ' : blanks)).trim();
}
