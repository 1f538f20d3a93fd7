import type { JsonObject } from '../../json.ts';
import { type Message, type Part, user } from '../../message/index.ts';
import type { CustomMessageEntry, Draft, Entry, EntryId, EpochItem, MessageEntry } from '../../session/index.ts';
import { codecVersion } from '../../session/internal.ts';
import { liteLlmName } from '../litellm-name.ts';
import type { Weaver } from '../log-builder.ts';
import { readTime } from '../time.ts';
import { createClassicReader } from './classic.ts';
import { idOf } from './content.ts';
import type { Acted, Condensed, Happening, Observed } from './event.ts';
import type { Report } from './report.ts';
import { readSdkEvent } from './sdk.ts';
import { usageOf } from './usage.ts';

/** Weaves the events of one conversation into a log. */
export interface Thread {
  take(input: { readonly event: JsonObject; readonly line?: number }): Generator<Entry>;
  /** `mayGrow`: whether the file may go on, so that the last answer may still get calls. */
  end(input: { readonly mayGrow: boolean }): Generator<Entry>;
}

/** What is known of a conversation beside its events. */
export interface ThreadInput extends Report {
  readonly weaver: Weaver;
  /** The time of events that have none before any that has. */
  readonly startedAt: number;
  /** What the model's responses consumed, by their ids. */
  readonly usages?: ReadonlyMap<string, JsonObject>;
  readonly model?: string | undefined;
}

/** An answer to which the next events may add calls: those of one response are one answer. */
interface Answer {
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
export function createThread({ weaver, startedAt, usages, model, warnings, tally }: ThreadInput): Thread {
  const readClassic = createClassicReader();
  const view = createView();
  /** The node that the children of an event stand on. */
  const places = new Map<string, EntryId | null>();
  /** The call that an event was, and the answer that a response became. */
  const calls = new Map<string, string>();
  const answers = new Map<string, EntryId>();
  const seen = new Set<string>();
  let at = startedAt;
  let open: Answer | undefined;
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
    const happening = typeof event.kind === 'string' ? readSdkEvent(event) : readClassic(event);
    if (happening.kind === 'acted') calls.set(id, happening.call);
    if (isJoining(happening)) {
      open?.parts.push(...happening.parts);
      open?.events.push(id);
      return;
    }
    if (happening.kind === 'left-out' || happening.kind === 'noted' || happening.kind === 'unknown') {
      yield* beside({ happening, event, id });
      if (open) open.passed.push(id);
      else places.set(id, parentOf({ event, where }));
      return;
    }
    yield* settle();
    yield* onPath({ happening, id, parent: parentOf({ event, where }) });
  }

  function isJoining(happening: Happening): happening is Acted {
    if (happening.kind !== 'acted' || happening.isWhole || happening.response === undefined) return false;
    return open?.first.response === happening.response;
  }

  /** What adds nothing to the path. */
  function* beside(of: {
    readonly happening: Extract<Happening, { kind: 'left-out' | 'noted' | 'unknown' }>;
    readonly event: JsonObject;
    readonly id: string;
  }): Generator<Entry> {
    const { happening, event, id } = of;
    if ('isInView' in happening && weaver.leaf !== null) view.add({ event: id, entry: weaver.leaf });
    if (happening.kind === 'left-out') {
      tally.leftOut(happening.what);
    } else {
      const name = `openhands:${happening.name}`;
      const draft: Draft =
        happening.kind === 'noted'
          ? { type: 'custom', customType: name, data: happening.data }
          : { type: 'unknown', kind: name, value: event };
      yield* weaver.append({ draft, at });
    }
  }

  function parentOf(of: { readonly event: JsonObject; readonly where: { readonly line?: number } }): EntryId | null {
    const parent = of.event.parent_id;
    if (parent === root) return null;
    if (typeof parent !== 'string') return weaver.leaf;
    const place = places.get(parent);
    if (place !== undefined) return place;
    const message = `The parent ${parent} is not before it; it was put after the event before.`;
    warnings.add({ code: 'missing-parent', message, ...of.where });
    return weaver.leaf;
  }

  function* onPath(of: {
    readonly happening: Exclude<Happening, { kind: 'left-out' | 'noted' | 'unknown' }>;
    readonly id: string;
    readonly parent: EntryId | null;
  }): Generator<Entry> {
    const { happening, id, parent } = of;
    switch (happening.kind) {
      case 'said': {
        const { message, response } = happening;
        yield* put({
          draft: { type: 'message', message, ...byOf({ role: message.role, response }) },
          events: [id],
          parent,
        });
        yield* consumed({ response });
        return;
      }
      case 'told':
        yield* put({ draft: happening.draft, events: [id], parent });
        return;
      case 'observed':
        if (happening.leftOut !== undefined) tally.leftOut(happening.leftOut);
        yield* put({ draft: { type: 'message', message: resultOf(happening) }, events: [id], parent });
        return;
      case 'condensed':
        yield* condense({ condensed: happening, id, parent });
        return;
      case 'acted':
        yield* answer({ acted: happening, id, parent });
        return;
    }
  }

  function* put(of: {
    readonly draft: Draft<MessageEntry> | Draft<CustomMessageEntry>;
    readonly events: readonly string[];
    readonly parent: EntryId | null;
  }): Generator<Entry> {
    yield* weaver.append({ draft: of.draft, at, parent: of.parent });
    const entry = weaver.leaf;
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
      places.set(id, weaver.leaf);
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
    const by = byOf({ role: 'assistant', response: first.response, told: first.model });
    const unfinished = isUnfinished ? { details: { unfinished: true } } : {};
    yield* put({ draft: { type: 'message', message, ...by, ...unfinished }, events, parent });
    for (const event of passed) places.set(event, weaver.leaf);
    lastCall = first.call;
    if (first.isWhole && first.response !== undefined && weaver.leaf !== null) answers.set(first.response, weaver.leaf);
    yield* consumed({ response: first.response, told: first.usage });
  }

  function byOf(of: {
    readonly role: Message['role'];
    readonly response?: string | undefined;
    told?: string | undefined;
  }) {
    const recorded = of.response === undefined ? undefined : usages?.get(of.response)?.model;
    const by = of.role === 'assistant' ? liteLlmName(model ?? recorded ?? of.told) : undefined;
    return by ? { by } : {};
  }

  /** A note of what the newest answer cost. */
  function* consumed(of: { readonly response: string | undefined; readonly told?: Acted['usage'] }): Generator<Entry> {
    const recorded = of.response === undefined ? undefined : usages?.get(of.response);
    const usage = usageOf(of.told) ?? usageOf(recorded);
    if (usage && weaver.leaf !== null) yield* weaver.append({ draft: { ...usage, target: weaver.leaf }, at });
  }

  function resultOf({ call, cause, name, content, isError }: Observed): Message {
    // The oldest events name neither: an observation follows its action.
    const callId = call ?? (cause === undefined ? lastCall : calls.get(cause));
    if (call === undefined && cause === undefined) lastCall = undefined;
    if (callId === undefined) return { role: 'user', parts: content };
    const told = { ...(name !== undefined && { name }), content, ...(isError && { isError }) };
    return { role: 'tool', parts: [{ type: 'tool_result', origin: 'tool', callId, ...told }] };
  }

  function* condense(of: {
    readonly condensed: Condensed;
    readonly id: string;
    readonly parent: EntryId | null;
  }): Generator<Entry> {
    const { condensed, id, parent } = of;
    const { summary = '', details } = condensed;
    // What it forgets is what was sent where it stands.
    if (parent !== weaver.leaf) yield* weaver.append({ draft: { type: 'leaf', target: parent, reason: 'move' }, at });
    const { list, firstKeptId } = view.condense({ items: weaver.items(), condensed, event: id });
    const compaction = {
      type: 'compaction',
      summary,
      firstKeptId,
      tokensBefore: 0,
      trigger: 'import',
      details,
    } as const;
    yield* weaver.append({ draft: compaction, at });
    yield* weaver.append({ draft: { type: 'epoch', reason: 'compaction', items: { list }, codec: codecVersion }, at });
    places.set(id, weaver.leaf);
  }
}

/**
 * Which events became which entries, so that a condensation, which speaks of events, can be applied to what is sent.
 * Holds ids only.
 */
interface View {
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

function createView(): View {
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
