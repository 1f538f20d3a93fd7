import { isObject, type JsonObject, sameJson, without } from '../../json.ts';
import {
  type Draft,
  type Entry,
  type EntryId,
  type EpochEntry,
  type MessageEntry,
  nodeTypes,
  type SessionHeader,
  type UsageEntry,
} from '../../session/index.ts';
import { createLogBuilder } from '../log-builder.ts';
import { isoTime } from '../time.ts';
import type { WarningList } from '../warnings.ts';
import { writeReplacement } from './edit.ts';
import { createImpliedEpochs } from './implied-epoch.ts';
import { piOf, writeCustomMessage, writeMessage, writeUsage } from './message.ts';
import { epochMark, mapReferences, ownPrefix } from './own-kinds.ts';

/**
 * A session as a file of pi, version 3: pi opens it at the same place and sends the same conversation. What pi has no
 * word for travels along in entries and members that it keeps and ignores, so that reading the file gives the log again.
 *
 * @example
 * for await (const line of writePi({ header, entries, warnings })) stream.write(`${JSON.stringify(line)}\n`);
 */
export async function* writePi({
  header,
  entries,
  warnings,
}: {
  readonly header: SessionHeader;
  readonly entries: AsyncIterable<Entry>;
  readonly warnings: WarningList;
}): AsyncGenerator<JsonObject> {
  const ids = createShortIds();
  let nextId: EntryId = '';
  /** Follows the log, to know which epochs pi makes of its own entries by itself. */
  const builder = createLogBuilder({ idOf: () => nextId });
  const { implied, shapeOf } = createImpliedEpochs({ builder });
  /** The entry before, where pi makes an epoch of it by itself. */
  let before: { readonly id: EntryId; readonly epoch: Draft<EpochEntry> } | undefined;
  let waiting: Entry | undefined;

  yield writeHeader(header);
  for await (const next of entries) {
    const isInside =
      waiting?.type === 'message' && next.type === 'usage' && isUsageOf({ usage: next, message: waiting });
    if (waiting) yield* write(waiting, next);
    if (isInside) follow(next);
    waiting = isInside ? undefined : next;
  }
  if (waiting) yield* write(waiting, undefined);

  function* write(entry: Entry, next: Entry | undefined): Generator<JsonObject> {
    const maker = isMadeByPi(entry) ? before?.id : undefined;
    follow(entry);
    if (maker !== undefined) {
      ids.share({ from: maker, to: entry.id });
      return;
    }
    // The leaf of pi is its last line, so a move is written as an entry at the target.
    const parent = entry.type === 'leaf' ? entry.target : entry.parentId;
    let parentId = parent === null ? null : ids.of(parent);
    for (const { type, id = ids.of(entry.id), ...fields } of linesOf(entry, next)) {
      yield { type, id, parentId, timestamp: isoTime(entry.at), ...fields };
      parentId = id;
    }
  }

  /** Whether an entry is the epoch that pi makes of the entry before. */
  function isMadeByPi(entry: Entry | undefined): boolean {
    return entry?.type === 'epoch' && before !== undefined && sameJson(bare(entry), bare(before.epoch));
  }

  function follow(entry: Entry): void {
    nextId = entry.id;
    if (nodeTypes.has(entry.type) || entry.type === 'leaf')
      builder.append({ draft: entry, at: entry.at, parent: entry.parentId });
    const epoch = implied(entry);
    before = epoch && { id: entry.id, epoch };
  }

  function linesOf(entry: Entry, next: Entry | undefined): (JsonObject & { type: string; id?: string })[] {
    // A compaction or an edit without the epoch that pi would make of it has no effect by itself, which pi cannot know.
    const inert: { longhaul?: JsonObject } = isMadeByPi(next) ? {} : { longhaul: { inert: true } };
    switch (entry.type) {
      case 'message': {
        const draft = draftOf(entry);
        // pi stores usage inside the answer.
        const usage = next?.type === 'usage' && isUsageOf({ usage: next, message: entry }) ? next : undefined;
        const { messages, whole } = writeMessage({ draft, at: entry.at, usage });
        const own = whole ? {} : { longhaul: { draft: draft as unknown as JsonObject } };
        return messages.map((message, index) =>
          index === messages.length - 1
            ? { type: 'message', message, ...own }
            : { type: 'message', id: ids.extra(), message, longhaul: { part: true } },
        );
      }
      case 'custom_message':
        return [{ type: 'custom_message', ...writeCustomMessage(entry) }];
      case 'branch_summary': {
        const fromId = entry.fromId === null ? 'root' : ids.of(entry.fromId);
        return [{ type: 'branch_summary', fromId, summary: entry.summary, ...detailsOf(entry.details) }];
      }
      case 'compaction': {
        const { summary, shortSummary, firstKeptId, tokensBefore, details } = entry;
        const first = firstKeptId === null ? {} : { firstKeptEntryId: ids.of(firstKeptId) };
        const short = shortSummary === undefined ? {} : { shortSummary };
        return [{ type: 'compaction', summary, ...short, ...first, tokensBefore, ...detailsOf(details), ...inert }];
      }
      case 'model_change':
        return [{ type: 'model_change', provider: entry.model.provider, modelId: entry.model.name }];
      case 'thinking_change':
        return [{ type: 'thinking_level_change', thinkingLevel: entry.level }];
      case 'label':
        return [{ type: 'label', targetId: ids.of(entry.target), ...(entry.label !== null && { label: entry.label }) }];
      case 'context_edit': {
        const { replacement, longhaul } = writeReplacement({ parts: entry.replacement, shape: shapeOf(entry.target) });
        const own = longhaul || inert.longhaul ? { longhaul: { ...longhaul, ...inert.longhaul } } : {};
        return [{ type: 'context_edit', targetId: ids.of(entry.target), replacement, ...own }];
      }
      case 'custom':
        return [
          { type: 'custom', customType: entry.customType, ...(entry.data !== undefined && { data: entry.data }) },
        ];
      case 'usage':
        return [usageLine(entry)];
      case 'session_info':
        if (Object.keys(entry.info).some((key) => key !== 'name')) return [ownKind(entry)];
        return [{ type: 'session_info', name: entry.info.name ?? '' }];
      case 'unknown':
        if (entry.kind.startsWith('pi:'))
          return [{ type: entry.kind.slice(3), ...without(entry.value, ['id', 'type']) }];
        return [ownKind(entry)];
      default:
        return [ownKind(entry)];
    }
  }

  function usageLine(entry: UsageEntry): JsonObject & { type: string } {
    if (entry.target !== undefined) return ownKind(entry);
    const { usage, ...rest } = piOf(entry.details);
    const model = entry.model ? { provider: entry.model.provider, model: entry.model.name } : {};
    const counted = writeUsage({ ...entry, details: { pi: isObject(usage) ? usage : {} } });
    return { type: 'usage', kind: entry.purpose ?? 'answer', ...model, usage: counted, ...rest };
  }

  function ownKind(entry: Entry): JsonObject & { type: string } {
    if (entry.type === 'epoch') {
      const message = `pi does not know the ${entry.reason} at @${entry.handle}; it will send what was sent before it.`;
      warnings.add({ code: 'epoch-not-shown', message });
    }
    const { type: _, ...value } = draftOf(entry) as unknown as JsonObject;
    const data = mapReferences({ value, map: ids.reference }) ?? value;
    return { type: 'custom', customType: `${ownPrefix}${entry.type}`, data };
  }
}

function writeHeader(header: SessionHeader): JsonObject {
  const { id, createdAt, cwd, source, details } = header;
  const timestamp = isoTime(createdAt);
  const { version: _, ...rest } = piOf(details);
  const own = source?.format === 'pi' && !source.key.startsWith('entries:') ? source.key.split('\n')[0] : id;
  return { type: 'session', version: 3, id: own, timestamp, cwd: cwd ?? '', ...rest };
}

function detailsOf(details: unknown): JsonObject {
  if (details === undefined) return {};
  return isObject(details) && isObject(details.pi) ? details.pi : { details: details as JsonObject };
}

function isUsageOf({ usage, message }: { readonly usage: UsageEntry; readonly message: MessageEntry }): boolean {
  return message.message.role === 'assistant' && usage.target === message.id && usage.purpose === undefined;
}

/** The content of an epoch without its metadata. */
function bare(epoch: Draft<EpochEntry> | EpochEntry): JsonObject {
  return draftOf(epoch as EpochEntry) as unknown as JsonObject;
}

function draftOf<E extends Entry>(entry: E): Draft<E> {
  const { v: _, id: __, parentId: ___, handle: ____, at: _____, epoch: ______, ...draft } = entry;
  return draft as unknown as Draft<E>;
}

/** pi's ids are eight hexadecimal digits; the end of our ids is chance, so it is nearly always free. */
function createShortIds(): {
  readonly of: (id: EntryId) => string;
  /** For our own references, which tell an entry from the epoch that shares its id. */
  readonly reference: (id: EntryId) => string;
  readonly share: (of: { readonly from: EntryId; readonly to: EntryId }) => void;
  readonly extra: () => string;
} {
  const given = new Map<EntryId, string>();
  const shared = new Set<EntryId>();
  const used = new Set<string>();
  const free = (wanted: string): string => {
    let id = wanted;
    for (let next = 1; used.has(id); next += 1) id = (Number.parseInt(wanted, 16) + next).toString(16).padStart(8, '0');
    used.add(id);
    return id;
  };
  const of = (id: EntryId): string => {
    const known = given.get(id) ?? free(shortest(id));
    given.set(id, known);
    return known;
  };
  return {
    of,
    reference: (id) => (shared.has(id) ? `${of(id)}${epochMark}` : of(id)),
    share({ from, to }) {
      given.set(to, of(from));
      shared.add(to);
    },
    extra: () => free((used.size + 1).toString(16).padStart(8, '0')),
  };
}

function shortest(id: EntryId): string {
  const digits = id.replace(/[^0-9a-f]/g, '').slice(-8);
  return digits.length === 8 ? digits : '00000000';
}
