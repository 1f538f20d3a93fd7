import type { JsonObject } from '../../json.ts';
import { type Message, type Part, user } from '../../message/index.ts';
import type { CustomMessageEntry, Draft, Entry, EntryId, EpochItem, MessageEntry } from '../../session/index.ts';
import { codecVersion } from '../../session/internal.ts';
import { liteLlmName } from '../litellm-name.ts';
import type { LogBuilder } from '../log-builder.ts';
import { readTime } from '../time.ts';
import { idOf, usageOf } from './content.ts';
import {
  type Acted,
  type Condensed,
  createClassicReader,
  type Observed,
  type OpenhandsEvent,
  type ReadContext,
  readSdkEvent,
} from './event.ts';

/** Weaves the events of one conversation into a log. */
export interface EventReader {
  take(input: { readonly event: JsonObject; readonly line?: number }): Generator<Entry>;
  /** `mayGrow`: whether the file may go on, so that the last answer may still get calls. */
  end(input: { readonly mayGrow: boolean }): Generator<Entry>;
}

/** Data about a conversation outside of its events. */
export interface EventReaderInput extends ReadContext {
  readonly builder: LogBuilder;
  /** The time of events that have none before any that has. */
  readonly startedAt: number;
  /** What the model's responses consumed, by their ids. */
  readonly usages?: ReadonlyMap<string, JsonObject>;
  readonly model?: string | undefined;
}

/** An answer to which the next events may add calls: those of one response are one answer. */
interface PendingAnswer {
  readonly first: Acted;
  readonly parts: Part[];
  readonly parent: EntryId | null;
  /** The events it is made of, and those that came after it and added nothing. */
  readonly events: string[];
  readonly passed: string[];
}

/** The parent of events that newer versions put at the root. */
const root = '__root__';

/**
 * Weaves the events of one conversation into a log, those of all versions of OpenHands.
 *
 * @example
 * const thread = createThread({ weaver, startedAt, warnings, tally });
 * for (const event of history) yield* thread.take({ event });
 * yield* thread.end({ mayGrow: false });
 */
export function createEventReader({
  builder,
  startedAt,
  usages,
  model,
  warnings,
  skips,
}: EventReaderInput): EventReader {
  const readClassic = createClassicReader();
  const view = createView();
  /** The node that the children of an event stand on. */
  const places = new Map<string, EntryId | null>();
  /** The call that an event was, and the answer that a response became. */
  const calls = new Map<string, string>();
  const answers = new Map<string, EntryId>();
  const seen = new Set<string>();
  let at = startedAt;
  let open: PendingAnswer | undefined;
  let lastCall: string | undefined;
  return { take, end: ({ mayGrow }) => settle({ isUnfinished: mayGrow }) };

  function* take({ event, line }: { readonly event: JsonObject; readonly line?: number }): Generator<Entry> {
    const id = idOf(event.id) ?? `number ${seen.size}`;
    const where = line === undefined ? {} : { line };
    if (seen.has(id)) {
      warnings.add({ code: 'repeated-event', message: `Event ${id} is there twice; it was read once.`, ...where });
      return;
    }
    seen.add(id);
    at = readTime(event.timestamp) ?? at;
    const parsed = typeof event.kind === 'string' ? readSdkEvent(event) : readClassic(event);
    if (parsed.kind === 'acted') calls.set(id, parsed.call);
    if (isJoining(parsed)) {
      open?.parts.push(...parsed.parts);
      open?.events.push(id);
      return;
    }
    if (parsed.kind === 'left-out' || parsed.kind === 'noted' || parsed.kind === 'unknown') {
      yield* sideEntry({ parsed, event, id });
      if (open) open.passed.push(id);
      else places.set(id, parentOf({ event, where }));
      return;
    }
    yield* settle();
    yield* onPath({ parsed, id, parent: parentOf({ event, where }) });
  }

  function isJoining(parsed: OpenhandsEvent): parsed is Acted {
    if (parsed.kind !== 'acted' || parsed.isWhole || parsed.response === undefined) return false;
    return open?.first.response === parsed.response;
  }

  /** What adds nothing to the path. */
  function* sideEntry(of: {
    readonly parsed: Extract<OpenhandsEvent, { kind: 'left-out' | 'noted' | 'unknown' }>;
    readonly event: JsonObject;
    readonly id: string;
  }): Generator<Entry> {
    const { parsed, event, id } = of;
    if ('isInView' in parsed && builder.leaf !== null) view.add({ event: id, entry: builder.leaf });
    if (parsed.kind === 'left-out') {
      skips.skip(parsed.what);
    } else {
      const name = `openhands:${parsed.name}`;
      const draft: Draft =
        parsed.kind === 'noted'
          ? { type: 'custom', customType: name, data: parsed.data }
          : { type: 'unknown', kind: name, value: event };
      yield* builder.append({ draft, at });
    }
  }

  function parentOf(of: { readonly event: JsonObject; readonly where: { readonly line?: number } }): EntryId | null {
    const parent = of.event.parent_id;
    if (parent === root) return null;
    if (typeof parent !== 'string') return builder.leaf;
    const place = places.get(parent);
    if (place !== undefined) return place;
    const message = `The parent ${parent} is not before it; it was put after the event before.`;
    warnings.add({ code: 'missing-parent', message, ...of.where });
    return builder.leaf;
  }

  function* onPath(of: {
    readonly parsed: Exclude<OpenhandsEvent, { kind: 'left-out' | 'noted' | 'unknown' }>;
    readonly id: string;
    readonly parent: EntryId | null;
  }): Generator<Entry> {
    const { parsed, id, parent } = of;
    switch (parsed.kind) {
      case 'message': {
        const { message, response } = parsed;
        yield* put({
          draft: { type: 'message', message, ...byOf({ role: message.role, response }) },
          events: [id],
          parent,
        });
        yield* consumed({ response });
        return;
      }
      case 'injected':
        yield* put({ draft: parsed.draft, events: [id], parent });
        return;
      case 'observed':
        if (parsed.leftOut !== undefined) skips.skip(parsed.leftOut);
        yield* put({ draft: { type: 'message', message: resultOf(parsed) }, events: [id], parent });
        return;
      case 'condensed':
        yield* condense({ condensed: parsed, id, parent });
        return;
      case 'acted':
        yield* answer({ acted: parsed, id, parent });
        return;
    }
  }

  function* put(of: {
    readonly draft: Draft<MessageEntry> | Draft<CustomMessageEntry>;
    readonly events: readonly string[];
    readonly parent: EntryId | null;
  }): Generator<Entry> {
    yield* builder.append({ draft: of.draft, at, parent: of.parent });
    const entry = builder.leaf;
    for (const event of of.events) {
      places.set(event, entry);
      if (entry !== null) view.add({ event, entry });
    }
  }

  function* answer(of: { readonly acted: Acted; readonly id: string; parent: EntryId | null }): Generator<Entry> {
    const { acted, id, parent } = of;
    const known = acted.response === undefined ? undefined : answers.get(acted.response);
    if (known !== undefined) {
      // The answer is there, with all its calls: older versions come back to it for each.
      view.add({ event: id, entry: known });
      places.set(id, builder.leaf);
      return;
    }
    open = { first: acted, parts: [...acted.parts], parent, events: [id], passed: [] };
    if (acted.isWhole) yield* settle();
  }

  /** Nothing that follows belongs to the answer any more. */
  function* settle({ isUnfinished = false } = {}): Generator<Entry> {
    if (!open) return;
    const { first, parts, parent, events, passed } = open;
    open = undefined;
    const message: Message = { role: 'assistant', parts };
    const by = byOf({ role: 'assistant', response: first.response, reported: first.model });
    const unfinished = isUnfinished ? { details: { unfinished: true } } : {};
    yield* put({ draft: { type: 'message', message, ...by, ...unfinished }, events, parent });
    for (const event of passed) places.set(event, builder.leaf);
    lastCall = first.call;
    if (first.isWhole && first.response !== undefined && builder.leaf !== null)
      answers.set(first.response, builder.leaf);
    yield* consumed({ response: first.response, reported: first.usage });
  }

  function byOf(of: {
    readonly role: Message['role'];
    readonly response?: string | undefined;
    reported?: string | undefined;
  }) {
    const recorded = of.response === undefined ? undefined : usages?.get(of.response)?.model;
    const by = of.role === 'assistant' ? liteLlmName(model ?? recorded ?? of.reported) : undefined;
    return by ? { by } : {};
  }

  /** A note of what the newest answer cost. */
  function* consumed(of: {
    readonly response: string | undefined;
    readonly reported?: Acted['usage'];
  }): Generator<Entry> {
    const recorded = of.response === undefined ? undefined : usages?.get(of.response);
    const usage = usageOf(of.reported) ?? usageOf(recorded);
    if (usage && builder.leaf !== null) yield* builder.append({ draft: { ...usage, target: builder.leaf }, at });
  }

  function resultOf({ call, cause, name, content, isError }: Observed): Message {
    // The oldest events name neither: an observation follows its action.
    const callId = call ?? (cause === undefined ? lastCall : calls.get(cause));
    if (call === undefined && cause === undefined) lastCall = undefined;
    if (callId === undefined) return { role: 'user', parts: content };
    const reported = { ...(name !== undefined && { name }), content, ...(isError && { isError }) };
    return { role: 'tool', parts: [{ type: 'tool_result', origin: 'tool', callId, ...reported }] };
  }

  function* condense(of: {
    readonly condensed: Condensed;
    readonly id: string;
    readonly parent: EntryId | null;
  }): Generator<Entry> {
    const { condensed, id, parent } = of;
    const { summary = '', details } = condensed;
    // A condensation drops from what was sent at its position.
    if (parent !== builder.leaf) yield* builder.append({ draft: { type: 'leaf', target: parent, reason: 'move' }, at });
    const { list, firstKeptId } = view.condense({ items: builder.items(), condensed, event: id });
    const compaction = {
      type: 'compaction',
      summary,
      firstKeptId,
      tokensBefore: 0,
      trigger: 'import',
      details,
    } as const;
    yield* builder.append({ draft: compaction, at });
    yield* builder.append({ draft: { type: 'epoch', reason: 'compaction', items: { list }, codec: codecVersion }, at });
    places.set(id, builder.leaf);
  }
}

/**
 * Which events became which entries, so that a condensation, which speaks of events, can be applied to what is sent.
 * Holds ids only.
 */
interface CondensedView {
  /** An event that became, or became part of, an entry. */
  readonly add: (input: { readonly event: string; readonly entry: EntryId }) => void;
  /** What is sent after a condensation, and which entry is the first after the place of its summary. */
  readonly condense: (input: {
    readonly items: readonly EpochItem[];
    readonly condensed: Condensed;
    /** The event of the condensation. */
    readonly event: string;
  }) => { readonly list: readonly EpochItem[]; readonly firstKeptId: EntryId | null };
}

function createView(): CondensedView {
  const events = new Map<EntryId, string[]>();
  const summaries = new Map<Message, string>();
  return {
    add({ event, entry }) {
      const known = events.get(entry);
      if (known) known.push(event);
      else events.set(entry, [event]);
    },
    condense({ items, condensed, event }) {
      const { forgets, summary, offset, replaces } = condensed;
      const isShown = summary !== undefined && offset !== undefined;
      const kept = items.filter((item) => {
        if ('made' in item && replaces) return !isShown;
        const [first] = eventsOf(item);
        return first === undefined || !forgets(first);
      });
      const place = isShown ? placeOf({ kept, offset, forgets }) : kept.findIndex((item, at) => item !== items[at]);
      const firstKeptId = kept.slice(Math.max(0, place)).find((item) => 'entry' in item)?.entry ?? null;
      if (!isShown) return { list: kept, firstKeptId };
      const made: Message = user(summary, { origin: 'engine' });
      // The name by which a later condensation may forget it.
      summaries.set(made, `${event}-summary`);
      return { list: kept.toSpliced(place, 0, { made }), firstKeptId };
    },
  };

  function eventsOf(item: EpochItem): readonly string[] {
    if ('entry' in item) return events.get(item.entry) ?? [];
    const summary = summaries.get(item.made);
    return summary === undefined ? [] : [summary];
  }

  /** An offset counts events, of which an item may have come from several. */
  function placeOf(of: {
    readonly kept: readonly EpochItem[];
    readonly offset: number;
    forgets: Condensed['forgets'];
  }) {
    let counted = 0;
    const place = of.kept.findIndex((item) => {
      if (counted >= of.offset) return true;
      counted += eventsOf(item).filter((event) => !of.forgets(event)).length;
      return false;
    });
    return place < 0 ? of.kept.length : place;
  }
}
